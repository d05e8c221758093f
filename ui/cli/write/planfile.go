package write

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// toStdout is the value of --plan for standard output.
const toStdout = "-"

// onlyPlans makes the command a dry run if --plan is given. --plan names a new file, or an existing directory.
func (w *writing) onlyPlans() error {
	if w.to == "" {
		return nil
	}
	if w.dryRun {
		return exit.Usage(w.op, "--plan writes the plan to a file, but --dry-run prints the plan", "use only one of the two flags")
	}
	w.dryRun = true
	if info, err := os.Stat(w.to); err == nil && info.IsDir() {
		return nil
	}
	if _, err := os.Lstat(w.to); err == nil && w.to != toStdout {
		return exit.Usage("writing the plan "+w.to, "the file exists already", "name another file, or remove this file; nothing was sent")
	}
	return nil
}

// hand adds plans to the file of --plan.
func (w *writing) hand(ctx context.Context, plans []*plan.Plan) error {
	if w.to == "" || len(plans) == 0 {
		return nil
	}
	if w.out == nil {
		w.out = change.NewPlanFile(ctx, w.conn, app.Who(), w.reason)
	}
	return w.out.Add(plans...)
}

// handOver writes the file of --plan, and prints the command that applies the plan on the same
// connection. Another person may need another profile.
func (w *writing) handOver() error {
	if w.out == nil {
		return nil
	}
	inDirectory := false
	if info, err := os.Stat(w.to); err == nil && info.IsDir() {
		inDirectory = true
		w.to = session.FreeName(filepath.Join(w.to, session.PlanName(w.out.Changes[0].Table)))
	}
	data, err := w.out.Bytes()
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
	switch {
	case w.to == toStdout:
	case w.Flags.Output != app.Text:
		if inDirectory {
			w.Note("The plan is in %s.", w.to)
		}
	default:
		line := cmp.Or(w.Flags.CommandLine([]string{"apply", w.to, "--write"}), "tallylock apply PLAN --write")
		w.Printer().Hang(kit.Muted, 0,
			fmt.Sprintf("The plan is in %s. To make the change, somebody with write access runs: %s", w.to, line))
	}
	return nil
}
