package write

import (
	"context"

	"github.com/spf13/cobra"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/planner"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
)

// Undo undoes a change.
func Undo(s *app.Run) *cobra.Command {
	w := &writing{Run: s, op: "undoing a change"}
	trust := false
	cmd := &cobra.Command{
		Use:   "undo RECEIPT",
		Short: "Undo a change",
		Long: `Undo a change. An undo is a new change with its own conditions, in the same
account, Region and table. A released lock comes back if nobody has taken the
value. A counter is set back only if it still has the number of the change: type
its name. Reserved numbers are never taken back. "tallylock journal" lists the
receipts.`,
		Example: "  tallylock undo R-20261120-120000-1a2b3c4d --write --reason 'wrong ticket'",
		Args:    app.Takes(1, 1, "a RECEIPT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.undo(cmd.Context(), args[0], trust)
		},
	}
	w.addFlags(cmd)
	app.CompletesArgument(cmd, 0, s.Flags.Receipts)
	cmd.Flags().BoolVar(&trust, "trust-journal", false, "use the journal although somebody edited its lines")
	return cmd
}

func (w *writing) undo(ctx context.Context, receipt string, trust bool) error {
	missing := exit.Usage(w.op, "the journal has no receipt "+receipt, "see them with: "+w.Flags.Command("journal"))
	c, err := w.Flags.Config.Read()
	if err != nil {
		return err
	}
	j := journal.OpenReadOnly(c.JournalFile(w.Flags.Journal))
	if record, err := j.Record(receipt); record == nil && err == nil { // fail before the connection
		return missing
	}
	if err := w.prepare(ctx); err != nil {
		return err
	}
	if trust {
		w.changer.Journal.Trust()
	}
	if err := w.changer.Journal.CheckChain("undoing " + receipt); err != nil && !w.dryRun {
		return err
	}
	record, err := w.changer.Journal.Record(receipt)
	if err != nil {
		return err
	}
	if record == nil {
		return missing
	}
	p, err := planner.Undo(ctx, w.conn, record)
	return w.carryOut(ctx, p, err)
}
