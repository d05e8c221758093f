package ui

import (
	"context"
	"math/big"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/words"
)

// askMendFindings plans what mends findings, which are read again for that, and asks once
// for all.
func (a *app) askMendFindings(m message.MendFindings) tea.Cmd {
	if len(m.Findings) == 1 {
		return a.askMendFinding(m)
	}
	c := a.Connection().Changer
	var batch *change.Batch
	var order []int // of the findings, as their receipts come: the plans first, then what was refused
	return a.askChange(way{
		title:   "Mend " + phrase.Count(len(m.Findings), "finding"),
		several: several{"finding", "Mend", "mended", "Mends %s. Each was read again just now, and is mended only if it still is so."},
		batch: func(ctx context.Context) (*change.Batch, error) {
			mends, err := c.PlanMends(ctx, m.Table, m.Findings...)
			if err != nil {
				return nil, err
			}
			batch, order = batchOf(mends)
			return batch, nil
		},
		after: func(receipts []change.Receipt, err error) {
			if refusalOf(err) != nil { // each of them
				receipts = batch.Refused
			}
			for n := range receipts {
				tellOutcome(m, order[n], receipts[n])
			}
		},
	}).replan()
}

func (a *app) askMendFinding(m message.MendFindings) tea.Cmd {
	c, f := a.Connection().Changer, m.Findings[0]
	w := way{title: "Mend", plan: func(ctx context.Context, _ string) (*change.Plan, error) { return c.PlanMend(ctx, m.Table, f) }}
	switch f.Kind {
	case check.CounterNotNumber:
		w = convert(func(ctx context.Context, to *big.Int) (*change.Plan, error) { return c.PlanMendTo(ctx, m.Table, f, to) })
	case check.MalformedLock: // which is released, and never mended
		w = way{title: "Release a lock", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
			return change.PlanReleaseAt(ctx, m.Table, f.Constraint, f.Lock)
		}}
	}
	w.after = func(receipts []change.Receipt, err error) {
		if err != nil {
			tellOutcome(m, 0, unplanned(err))
			return
		}
		tellOutcome(m, 0, receipts[0])
	}
	return a.askChange(w).replan()
}

// batchOf makes a batch of what can be done about findings. It answers their numbers in
// the order in which the receipts come.
func batchOf(mends []change.Mend) (*change.Batch, []int) {
	b := &change.Batch{}
	var planned, refused []int
	for n, m := range mends {
		if m.Plan == nil {
			f := m.Finding
			about := &change.Plan{Table: f.Table, Constraint: f.Constraint, Value: f.Value, Counter: f.Counter}
			if f.Counter == "" && f.Constraint == "" {
				about.Constraint, about.Value = "id", f.ID
			}
			b.Refused, refused = append(b.Refused, change.Receipt{Plan: about, Outcome: change.Refused, Reasons: m.Refused}), append(refused, n)
			continue
		}
		b.Plans, planned = append(b.Plans, m.Plan), append(planned, n)
	}
	b.Weigh()
	return b, append(planned, refused...)
}

// tellOutcome tells what became of the change that was to mend a finding. One that was
// stopped leaves it as it is.
func tellOutcome(m message.MendFindings, n int, r change.Receipt) {
	now := message.Outcome{}
	switch {
	case r.Outcome == change.Applied:
		now.Sign, now.Done = kit.Sign{Glyph: kit.GlyphYes, Style: kit.Good, Word: "mended", Quiet: true}, true
		now.Why = words.Sentence(words.Done(r.Plan, r))
		if r.Plan.Counter != "" { // which is the first word, as it is spelt
			now.Why = words.Done(r.Plan, r) + "."
		}
		now.Why += " Receipt " + r.ID + "."
	case inOrder(r):
		now.Sign, now.Done = kit.Sign{Glyph: kit.GlyphYes, Style: kit.Good, Word: "in order", Quiet: true}, true
	case stopped(r):
		return
	case r.Outcome == change.Unknown:
		now.Sign = kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "not known"}
	default:
		now.Sign = kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "refused"}
	}
	if why := whyReceipt(r); len(why) > 0 {
		now.Why = why[0]
	}
	m.Became(n, now)
}

// unplanned is the receipt of a change that was not even planned.
func unplanned(err error) change.Receipt {
	r := change.Receipt{Outcome: change.Refused, Err: err}
	if refused := refusalOf(err); refused != nil {
		r.Err, r.Reasons = nil, refused.Reasons
	}
	return r
}
