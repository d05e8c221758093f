package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// toStdout is the file of --plan that is standard output.
const toStdout = "-"

// onlyPlans makes a dry run of a command whose plan goes to a file, which must be a new
// one.
func (w *writing) onlyPlans() error {
	if w.to == "" {
		return nil
	}
	if w.dryRun {
		return usage(w.op, "--plan writes the plan to a file, and --dry-run shows it", "give one of them")
	}
	w.dryRun = true
	if _, err := os.Lstat(w.to); err == nil && w.to != toStdout {
		return usage("writing the plan "+w.to, "the file exists already", "name another file, or remove it; nothing was sent")
	}
	return nil
}

// handOver ends a dry run: it writes the plans to the file of --plan, if there is one,
// and shows them unless that is standard output.
func (w *writing) handOver(
	ctx context.Context, conn *dynamo.Connection, plans []*change.Plan, show func() error,
) error {
	if w.to == "" {
		return show()
	}
	f := change.NewPlanFile(ctx, conn, who(), w.reason)
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

// writePlanFile writes the file of --plan.
func (w *writing) writePlanFile(f *change.PlanFile) error {
	data, err := f.Bytes()
	switch {
	case err != nil:
	case w.to == toStdout:
		_, err = w.out.Write(data)
	default:
		err = session.WriteFile(w.to, data, false)
	}
	if err != nil {
		return usage("writing the plan "+w.to, phrase.WithoutPath(err), "name another file; nothing was sent")
	}
	return nil
}

// notePlanFile tells people how to go on with the file of --plan: at the same place, which somebody
// else may reach by a profile of another name.
func (w *writing) notePlanFile() {
	if w.flags.output == asText {
		line := cmp.Or(w.flags.commandLine([]string{"apply", w.to, "--write"}), "tallylock apply PLAN --write")
		w.printer().hang(kit.Muted, 0,
			fmt.Sprintf("The plan is in %s. Somebody with write access runs: %s", w.to, line))
	}
}

// hand adds plans of repairs to the file of --plan. A finding that did not say by its
// table_id which table it is of does not do so there, either.
func (m *mending) hand(ctx context.Context, conn *dynamo.Connection, plans []*change.Plan) error {
	if m.to == "" || len(plans) == 0 {
		return nil
	}
	if m.out == nil {
		m.out = change.NewPlanFile(ctx, conn, who(), m.reason)
	}
	return m.out.Add(plans...)
}

// handedOver writes the file of --plan, once everything is planned.
func (m *mending) handedOver(failed error) error {
	switch {
	case failed != nil || m.to == "":
		return nil
	case m.out == nil:
		m.note("No plan was written: there is nothing to mend.")
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
