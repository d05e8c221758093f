package write

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/say"
)

// Apply applies the changes in a plan file.
func Apply(s *app.Run) *cobra.Command {
	w := &writing{Run: s}
	cmd := &cobra.Command{
		Use:   "apply PLAN",
		Short: "Carry out the change of a plan file",
		Long: `Carry out the change that a plan file describes. Other commands write plan files
with --plan FILE, and the inspector writes them with ctrl+s. If PLAN is -, apply
reads the plan from standard input.

apply reads the items again, plans the change again, shows the change, and asks.
It refuses the plan if the table was deleted and created again, or if the items
have changed since the plan was written. It also refuses a plan that was applied
before, or a plan with an unknown outcome.

The plan file can have a reason for the journal. --reason replaces the reason.`,
		Example: `  tallylock release username alan --reason 'ticket 48151' --plan alan.json
  tallylock apply alan.json --dry-run
  tallylock apply alan.json --write`,
		Args: app.Takes(1, 1, "a plan file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.applyFile(cmd.Context(), args[0])
		},
	}
	w.addSharedFlags(cmd)
	return cmd
}

func (w *writing) applyFile(ctx context.Context, file string) error {
	w.op = "applying " + file
	f, err := w.readPlanFile(ctx, file)
	if err != nil {
		return err
	}
	if w.reason == "" {
		w.reason = f.Reason
	}
	w.from = writtenBy(f, time.Now())
	if f.Mends() {
		m := &mending{writing: w, file: file, in: f, tables: map[string]*dynamo.Table{}}
		return m.run(ctx)
	}
	name := f.Changes[0].Table
	if w.Flags.Table != "" && w.Flags.Table != name {
		return exit.Usage(w.op, "the plan is for the table "+name+", but --table names the table "+w.Flags.Table,
			"leave --table out; nothing was sent")
	}
	if err := w.prepare(ctx); err != nil {
		return err
	}
	if err := f.CheckTables(ctx, w.conn, w.op); err != nil {
		return err
	}
	if err := f.FindApplied(w.changer.Journal); err != nil {
		return err
	}
	t, err := w.conn.Open(ctx, name)
	if err != nil {
		return err
	}
	if t, err = app.Grown(ctx, t); err != nil { // use the same sample as the command that wrote the plan
		return err
	}
	if len(f.Changes) == 1 {
		return w.applyOne(ctx, t, f.Changes[0])
	}
	b, err := f.Releases(ctx, t)
	if err != nil {
		return err
	}
	return w.carryOutAll(ctx, b, "Release", "lock")
}

func (w *writing) applyOne(ctx context.Context, t *dynamo.Table, c change.PlannedChange) error {
	if receipt := c.Request.Receipt; receipt != "" && !w.dryRun {
		if err := w.changer.Journal.CheckChain("undoing " + receipt); err != nil {
			return err
		}
	}
	p, err := c.Replan(ctx, w.changer, t)
	return w.carryOut(ctx, p, err)
}

// readPlanFile reads a plan file.
func (w *writing) readPlanFile(ctx context.Context, file string) (*change.PlanFile, error) {
	op, do := "reading the plan "+file, "name a file that --plan wrote; nothing was sent"
	in := w.Reading(ctx, file)
	defer in.Close()
	f, err := change.ReadPlanFile(in)
	return f, app.CannotRead(err, op, do)
}

// writtenBy returns the time and the author of a plan file, as the file has them.
func writtenBy(f *change.PlanFile, now time.Time) string {
	when := f.Written.Local().Format("2006-01-02 15:04")
	if age := now.Sub(f.Written); age >= 0 {
		when += ", " + say.Ago(age)
	}
	if f.Who == "" {
		return when
	}
	return when + " by " + f.Who + " (as the file says)"
}
