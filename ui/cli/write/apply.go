package write

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"time"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// toStdout is the value of --plan for standard output.
const toStdout = "-"

// onlyPlans makes the command a dry run if --plan is given. The file of --plan must not exist yet.
func (w *writing) onlyPlans() error {
	if w.to == "" {
		return nil
	}
	if w.dryRun {
		return exit.Usage(w.op, "--plan writes the plan to a file, and --dry-run shows it", "give one of them")
	}
	w.dryRun = true
	if _, err := os.Lstat(w.to); err == nil && w.to != toStdout {
		return exit.Usage("writing the plan "+w.to, "the file exists already", "name another file, or remove it; nothing was sent")
	}
	return nil
}

// handOver ends a dry run. With --plan, it writes the plans to the file. It then calls show to
// print the plans, unless the file is standard output.
func (w *writing) handOver(
	ctx context.Context, conn *dynamo.Connection, plans []*plan.Plan, show func() error,
) error {
	if w.to == "" {
		return show()
	}
	f := change.NewPlanFile(ctx, conn, app.Who(), w.reason)
	if err := f.Add(plans...); err != nil {
		return err
	}
	if err := w.writePlanFile(f); err != nil || w.to == toStdout {
		return err
	}
	if err := show(); err != nil {
		return err
	}
	w.notePlanFile()
	return nil
}

// writePlanFile writes f to the file of --plan.
func (w *writing) writePlanFile(f *change.PlanFile) error {
	data, err := f.Bytes()
	switch {
	case err != nil:
	case w.to == toStdout:
		_, err = w.Results.Write(data)
	default:
		err = session.WriteFile(w.to, data, false)
	}
	if err != nil {
		return exit.Usage("writing the plan "+w.to, phrase.WithoutPath(err), "name another file; nothing was sent")
	}
	return nil
}

// notePlanFile prints the command that applies the file of --plan on the same connection. Another
// person may need another profile for it.
func (w *writing) notePlanFile() {
	if w.Flags.Output == app.Text {
		line := cmp.Or(w.Flags.CommandLine([]string{"apply", w.to, "--write"}), "tallylock apply PLAN --write")
		w.Printer().Hang(kit.Muted, 0,
			fmt.Sprintf("The plan is in %s. Somebody with write access runs: %s", w.to, line))
	}
}

// hand adds plans of repairs to the file of --plan.
func (m *mending) hand(ctx context.Context, conn *dynamo.Connection, plans []*plan.Plan) error {
	if m.to == "" || len(plans) == 0 {
		return nil
	}
	if m.out == nil {
		m.out = change.NewPlanFile(ctx, conn, app.Who(), m.reason)
	}
	return m.out.Add(plans...)
}

// handedOver writes the file of --plan after all findings are planned. It removes the TableID from
// findings that had none in their file. failed is the error of the run.
func (m *mending) handedOver(failed error) error {
	switch {
	case failed != nil || m.to == "":
		return nil
	case m.out == nil:
		m.Note("No plan was written: there is nothing to mend.")
		return nil
	}
	for _, c := range m.out.Changes {
		for _, name := range m.nameless {
			if c.Table == name {
				c.Request.Finding.TableID = ""
			}
		}
	}
	if err := m.writePlanFile(m.out); err != nil {
		return err
	}
	if m.to != toStdout {
		m.notePlanFile()
	}
	return nil
}

// Apply applies the changes in a plan file.
func Apply(s *app.Run) *cobra.Command {
	w := &writing{Run: s}
	cmd := &cobra.Command{
		Use:   "apply PLAN",
		Short: "Make the change that a --plan file asks for",
		Long: `Make the change that a plan file asks for. Another command wrote it with --plan
FILE, or the inspector with ctrl+s; - reads it from standard input. Nothing in the
file is sent as it is: the change is planned again on the table as it is now,
shown, and asked about. It is refused if the table is another one, or holds
something else than was seen then: also if a counter has moved since. A plan is
applied once: one that was applied, or whose outcome is unknown, is refused.

The reason is the file's own, unless --reason gives another.`,
		Example: `  tallylock release username alan --reason 'ticket 48151' --plan alan.json
  tallylock apply alan.json --dry-run
  tallylock apply alan.json --write`,
		Args: app.Takes(1, 1, "a file of plans"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runApply(cmd.Context(), w, args[0])
		},
	}
	w.addSharedFlags(cmd)
	return cmd
}

func runApply(ctx context.Context, w *writing, file string) error {
	w.op = "applying " + file
	f, err := readPlanFile(ctx, w, file)
	if err != nil {
		return err
	}
	if w.reason == "" {
		w.reason = f.Reason
	}
	w.from = writtenBy(f, time.Now())
	if f.Mends() {
		m := &mending{writing: w, file: file, in: f, rate: change.DefaultWriteUnits, tables: map[string]*dynamo.Table{}}
		return m.run(ctx)
	}
	name := f.Changes[0].Table
	if w.Flags.Table != "" && w.Flags.Table != name {
		return exit.Usage(w.op, "the plan is for the table "+name+", but --table says "+w.Flags.Table,
			"leave --table out; nothing was sent")
	}
	r, err := w.prepare(ctx)
	if err != nil {
		return err
	}
	if err := f.CheckTables(ctx, r.conn, w.op); err != nil {
		return err
	}
	if err := f.FindApplied(r.changer.Journal); err != nil {
		return err
	}
	t, err := r.conn.Open(ctx, name)
	if err != nil {
		return err
	}
	if t, err = app.Grown(ctx, t); err != nil { // with the same sample as the command that wrote the plan
		return err
	}
	if len(f.Changes) == 1 {
		return applyOne(ctx, w, r, t, f.Changes[0])
	}
	b, err := f.Releases(ctx, t)
	if err != nil {
		return err
	}
	var number []*plan.Plan
	if b.Typed != "" {
		number = append(number, &plan.Plan{Value: b.Typed, Typed: b.Typed})
	}
	return w.carryOutAll(ctx, r, b, number...)
}

func applyOne(ctx context.Context, w *writing, r ready, t *dynamo.Table, c change.PlannedChange) error {
	if receipt := c.Request.Receipt; receipt != "" && !w.dryRun {
		if err := r.changer.Journal.CheckChain("undoing " + receipt); err != nil {
			return err
		}
	}
	p, err := c.Replan(ctx, r.changer, t)
	return w.carryOut(ctx, r, p, err)
}

// readPlanFile reads a plan file.
func readPlanFile(ctx context.Context, w *writing, file string) (*change.PlanFile, error) {
	op, do := "reading the plan "+file, "name a file that --plan wrote; nothing was sent"
	in := w.Reading(ctx, file)
	defer in.Close()
	f, err := change.ReadPlanFile(in)
	return f, app.CannotRead(err, op, do)
}

// writtenBy says when a plan file was written, and by whom according to the file.
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

// planOne plans the repair if the file has only one finding.
func (m *mending) planOne(ctx context.Context, r ready, t *dynamo.Table, f finding.Finding) (*plan.Plan, error) {
	var to *big.Int
	if m.in != nil {
		to, _ = attr.Integer(m.in.Changes[0].Request.To)
	}
	if m.in != nil {
		if err := m.in.Changes[0].AppliedBefore(); err != nil {
			return nil, err
		}
	}
	p, err := r.changer.PlanMend(ctx, t, f, to)
	if err == nil && m.in != nil {
		err = m.in.Changes[0].CheckSeen(p)
	}
	return p, err
}

// compare refuses repairs if the table has changed since the plan file was written.
func (m *mending) compare(mends []mend.Mend) {
	if m.in == nil {
		return
	}
	if m.expected == nil {
		m.expected = map[string]change.PlannedChange{}
		for _, c := range m.in.Changes {
			m.expected[c.Request.Finding.Same()] = c
		}
	}
	for n, one := range mends {
		if one.Plan == nil {
			continue
		}
		if refused, ok := errors.AsType[*plan.Refusal](m.expected[one.Finding.Same()].CheckSeen(one.Plan)); ok {
			mends[n] = mend.Mend{Finding: one.Finding, Refused: refused.Reasons}
		}
	}
}
