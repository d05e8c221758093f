package cli

import (
	"context"
	"fmt"
	"math/big"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
)

// release frees values.
func (s *session) release() *cobra.Command {
	w := &writing{session: s, op: "releasing a lock"}
	var in scope
	cmd := &cobra.Command{
		Use:   "release CONSTRAINT VALUE…",
		Short: "Release locks that no account calls for",
		Long: `Release locks that no account calls for. Where a lock does not name its owner it
is marked first; after --settle every account is read, and the lock is deleted only
if none holds the value and the mark is still there. Several locks share one look.
A lock that an account claims is refused.`,
		Example: "  tallylock release username alan --table accounts --write --reason 'ticket 48151'\n  tallylock release email mel@oldmail.test --dry-run",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.runRelease(cmd.Context(), args[0], args[1:], in)
		},
	}
	w.take(cmd)
	in.take(cmd.Flags())
	return cmd
}

func (w *writing) runRelease(ctx context.Context, constraint string, values []string, in scope) error {
	r, err := w.prepare(ctx)
	if err != nil {
		return err
	}
	table, err := w.accountTable(ctx, r.target, r.conn)
	if err != nil {
		return err
	}
	var rels []*dynamo.Relation
	seen := map[string]bool{}
	for _, value := range values {
		rel, err := table.LockOf(ctx, constraint, value, in)
		if err != nil {
			return err
		}
		if id := rel.Lock.Key.ID(); !seen[id] {
			seen[id] = true
			rels = append(rels, rel)
		}
	}
	if len(values) == 1 {
		p, err := change.PlanRelease(ctx, table, rels[0])
		return w.carryOut(ctx, r, p, err)
	}
	b, err := change.PlanReleases(ctx, table, rels...)
	if err != nil {
		return err
	}
	return w.carryOutAll(ctx, r, b)
}

// carryOutAll shows several plans, asks once, and applies them.
func (w *writing) carryOutAll(ctx context.Context, r ready, b *change.Batch) error {
	for _, p := range b.Plans {
		p.Reason = w.reason
	}
	if w.dryRun && len(b.Plans) > 0 {
		return w.plannedAll(r.conn, b)
	}
	receipts := b.Refused
	if len(b.Plans) > 0 {
		button := "Release " + locks(len(b.Plans))
		if err := w.allowed(ctx, b.Plans, func(to *paper) { w.writeBatch(to, b) }, button); err != nil {
			return err
		}
		progress := w.progress()
		receipts = append(receipts, r.changer.ApplyAll(ctx, b.Plans, progress.show)...)
		progress.clear()
	}
	return w.answerAll(receipts)
}

func locks(n int) string {
	if n == 1 {
		return "one lock"
	}
	return dynamo.Group(big.NewInt(int64(n)).String()) + " locks"
}

// writeBatch writes several plans for people.
func (w *writing) writeBatch(page *paper, b *change.Batch) {
	page.line(strong, "Release %s", locks(len(b.Plans)))
	var rows [][]cell
	for _, p := range b.Plans {
		rows = append(rows, []cell{{muted, "release", false}, {text: fmt.Sprintf("%s \"%s\"", p.Constraint, p.Value)}})
	}
	for _, refused := range b.Refused {
		rows = append(rows, []cell{{muted, "not", false}, {text: refused.Reasons[0].Text}})
	}
	rows = append(rows, []cell{{muted, "price", false}, {text: b.Price.String()}})
	if w.reason != "" {
		rows = append(rows, []cell{{muted, "reason", false}, {text: w.reason}})
	}
	page.table(2, rows...)
}
