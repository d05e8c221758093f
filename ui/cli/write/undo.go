package write

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/setting"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
)

// Undo undoes changes.
func Undo(s *app.Run) *cobra.Command {
	w := &writing{Run: s, op: "undoing a change"}
	trust := false
	var said setting.Config
	cmd := &cobra.Command{
		Use:   "undo RECEIPT...",
		Short: "Undo changes by their receipts",
		Long: `Undo changes, the newest first. RECEIPT names a change: "tallylock journal"
lists the receipts. To undo a change, tallylock makes the opposite change, in
the same AWS account, Region and table. If the items have changed since, it
refuses. A released lock comes back if nobody has taken the value. A counter is
set back only if its number has not changed since. To lower a counter, you must
type its name. Reserved numbers are never taken back.

The undo of a backfill deletes the locks that the backfill put, if nobody has
changed them since. If you undo a backfill, name no other receipt. You can stop
the undo, and continue it with the same command.

If you name several receipts, tallylock asks only once. It verifies each change
alone: if one change cannot be undone, the other changes are still undone.`,
		Example: `  tallylock undo R-20261120-120000-1a2b3c4d --write --reason 'wrong ticket'
  tallylock undo R-20261120-120000-1a2b3c4d R-20261120-120107-9z8y7x6w --dry-run`,
		Args: app.Takes(1, app.Many, "a RECEIPT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.undo(cmd.Context(), args, trust, said)
		},
	}
	w.addFlags(cmd)
	app.CompletesArgument(cmd, 0, s.Flags.Receipts)
	cmd.Flags().BoolVar(&trust, "trust-journal", false, "use the journal although somebody has edited it")
	app.WriteUnitsFlag(cmd.Flags(), &said)
	return cmd
}

func (w *writing) undo(ctx context.Context, receipts []string, trust bool, said setting.Config) error {
	if len(receipts) > 1 && w.to != "" {
		return exit.Usage(w.op, "a plan file can hold only one undo", "name one receipt; nothing was sent")
	}
	c, err := w.Flags.Config.Read()
	if err != nil {
		return err
	}
	j := journal.OpenReadOnly(c.JournalFile(w.Flags.Journal))
	for _, receipt := range receipts {
		if record, err := j.Record(receipt); record == nil && err == nil { // fail before connecting
			return w.noReceipt(receipt)
		}
	}
	if err := w.prepare(ctx); err != nil {
		return err
	}
	w.changer.Writes.Rate = app.WriteRate(said.Over(w.target.Check))
	if trust {
		w.changer.Journal.Trust()
	}
	if err := w.changer.Journal.CheckChain("undoing " + receipts[0]); err != nil && !w.dryRun {
		return err
	}
	var records []*journal.Record
	for _, receipt := range receipts {
		record, err := w.changer.Journal.Record(receipt)
		if err != nil {
			return err
		}
		if record == nil {
			return w.noReceipt(receipt)
		}
		if !slices.ContainsFunc(records, func(r *journal.Record) bool { return r.Receipt == receipt }) {
			records = append(records, record)
		}
	}
	if len(records) == 1 && change.IsBackfill(records[0]) {
		return w.undoBackfill(ctx, records[0])
	}
	if len(records) == 1 {
		p, err := planner.Undo(ctx, w.conn, records[0])
		return w.carryOut(ctx, p, err)
	}
	b, err := change.PlanUndos(ctx, w.conn, records...)
	if err != nil {
		return err
	}
	return w.carryOutAll(ctx, b, "Undo", "change")
}

func (w *writing) noReceipt(receipt string) error {
	return exit.Usage(w.op, "the journal has no receipt "+receipt, "to list the receipts, run: "+w.Flags.Command("journal"))
}
