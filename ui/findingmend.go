package ui

import (
	"context"
	"fmt"
	"math/big"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// mended is what became of a finding that was to be mended.
type mended struct {
	sign kit.Sign
	why  string // it was not
	done bool   // there is nothing to mend any more
}

// whyMendFinding says why a finding is not mended from here; empty where it is.
func (a *app) whyMendFinding(row *findingRow) string {
	if row == nil {
		return "no finding is selected"
	}
	f, lock := row.f, lockTableOf(row.f)
	if row.done() {
		return "it is " + row.mended.sign.Word
	}
	switch f.Kind {
	case check.DuplicateValue:
		return "people decide who keeps it: " + a.Keys.Key(keymap.ChangeValue) + " on accounts"
	case check.DuplicateID:
		return "people decide which item gets another id"
	case check.DriftedKey:
		return "the application has to write the key anew with what it is made of"
	case check.MalformedLock:
		return "mend what wrote it; " + a.Keys.Key(keymap.Release) + " releases the lock"
	case check.CounterUnsafe:
		return "the number is right; what reads it as a double has to be mended"
	}
	return a.WhyWrite(lock, change.MendVerbs(f.Kind)...)
}

// whyReleaseFinding says why the lock of a finding is not released from here.
func (a *app) whyReleaseFinding(row *findingRow) string {
	switch {
	case row == nil:
		return "no finding is selected"
	case row.done():
		return "it is " + row.mended.sign.Word
	}
	switch row.f.Kind {
	case check.OrphanedLock, check.StaleLock, check.MalformedLock:
		return a.WhyWrite(lockTableOf(row.f), client.Delete)
	}
	return "only a lock that nobody calls for is released"
}

// mostMarked is how many findings are mended at once here: more than anybody looks
// through is for `tallylock mend`.
const mostMarked = 100

// whyMarkFinding says why a finding is not marked, to be mended with others.
func (a *app) whyMarkFinding(r *checkRun, row *findingRow) string {
	switch {
	case row == nil:
		return "no finding is selected"
	case len(r.marked) >= mostMarked:
		return fmt.Sprintf("%d are mended together at most; `tallylock mend` takes any number from a file", mostMarked)
	}
	return a.whyMendFinding(row)
}

// mark marks the finding at the cursor, or all of the group whose head is there; or
// takes the marks away.
func (s *findingsScreen) mark(r *checkRun) tea.Cmd {
	g, n := r.lines(80).at(r.list.Cursor)
	rows := g.rows
	if n >= 0 {
		rows = rows[n : n+1]
	}
	why, marked := "", 0
	for _, row := range rows {
		if r.marked[row] {
			continue
		}
		if no := s.app.whyMarkFinding(r, row); no != "" {
			why = no
			continue
		}
		r.marked[row] = true
		marked++
	}
	switch {
	case marked == 0 && why != "":
		return s.app.Say(words.Sentence(why))
	case marked == 0:
		for _, row := range rows {
			delete(r.marked, row)
		}
	}
	if n >= 0 {
		r.list.Move(r.lines(80), 1)
	}
	return nil
}

// askMendFinding plans what mends a finding, which is read again for that, and
// asks. What became of it stands in its row.
func (a *app) askMendFinding(r *checkRun, row *findingRow) tea.Cmd {
	c := a.Connection().Changer
	w := way{title: "Mend", plan: func(ctx context.Context, _ string) (*change.Plan, error) { return c.PlanMend(ctx, r.table, row.f) }}
	switch row.f.Kind {
	case check.CounterNotNumber:
		w = convert(func(ctx context.Context, to *big.Int) (*change.Plan, error) {
			return c.PlanMendTo(ctx, r.table, row.f, to)
		})
	case check.MalformedLock: // which is released, and never mended
		w = way{title: "Release a lock", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
			return change.PlanReleaseAt(ctx, r.table, row.f.Constraint, row.f.Lock)
		}}
	}
	w.after = func(receipts []change.Receipt, err error) {
		if err != nil {
			r.became(row, unplanned(err))
			return
		}
		r.became(row, receipts[0])
	}
	return a.askChange(w).replan()
}

// askMendMarked plans what mends the marked findings, and asks once for all.
func (a *app) askMendMarked(r *checkRun) tea.Cmd {
	rows := r.markedRows()
	findings := make([]check.Finding, len(rows))
	for n, row := range rows {
		findings[n] = row.f
	}
	c := a.Connection().Changer
	var batch *change.Batch
	var order []*findingRow // as their receipts come: the plans first, then what was refused
	return a.askChange(way{
		title:   "Mend " + phrase.Count(len(rows), "finding"),
		several: several{"finding", "Mend", "mended", "Mends %s. Each was read again just now, and is mended only if it still is so."},
		batch: func(ctx context.Context) (*change.Batch, error) {
			mends, err := c.PlanMends(ctx, r.table, findings...)
			if err != nil {
				return nil, err
			}
			batch, order = batchOf(mends, rows)
			return batch, nil
		},
		after: func(receipts []change.Receipt, err error) {
			if refusalOf(err) != nil { // each of them
				receipts = batch.Refused
			}
			for n := range receipts {
				r.became(order[n], receipts[n])
				if !stopped(receipts[n]) {
					delete(r.marked, order[n])
				}
			}
		},
	}).replan()
}

// batchOf makes a batch of what can be done about findings. It answers the rows in
// the order in which their receipts come.
func batchOf(mends []change.Mend, rows []*findingRow) (*change.Batch, []*findingRow) {
	b := &change.Batch{}
	var planned, refused []*findingRow
	for n, m := range mends {
		if m.Plan == nil {
			f := m.Finding
			about := &change.Plan{Table: f.Table, Constraint: f.Constraint, Value: f.Value, Counter: f.Counter}
			if f.Counter == "" && f.Constraint == "" {
				about.Constraint, about.Value = "id", f.ID
			}
			b.Refused, refused = append(b.Refused, change.Receipt{Plan: about, Outcome: change.Refused, Reasons: m.Refused}), append(refused, rows[n])
			continue
		}
		b.Plans, planned = append(b.Plans, m.Plan), append(planned, rows[n])
	}
	b.Weigh()
	return b, append(planned, refused...)
}

// became notes what became of the change that was to mend a finding.
func (r *checkRun) became(row *findingRow, receipt change.Receipt) {
	now := mended{}
	switch {
	case receipt.Outcome == change.Applied:
		now.sign, now.done = kit.Sign{Glyph: kit.GlyphYes, Style: kit.Good, Word: "mended", Quiet: true}, true
		now.why = words.Sentence(words.Done(receipt.Plan, receipt))
		if receipt.Plan.Counter != "" { // which is the first word, as it is spelt
			now.why = words.Done(receipt.Plan, receipt) + "."
		}
		now.why += " Receipt " + receipt.ID + "."
	case inOrder(receipt):
		now.sign, now.done = kit.Sign{Glyph: kit.GlyphYes, Style: kit.Good, Word: "in order", Quiet: true}, true
	case stopped(receipt):
		return // it is as it was
	case receipt.Outcome == change.Unknown:
		now.sign = kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "not known"}
	default:
		now.sign = kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "refused"}
	}
	if why := whyReceipt(receipt); len(why) > 0 {
		now.why = why[0]
	}
	row.mended = &now
	r.regroup() // the counts change
	r.sure = 0
	for _, row := range r.all {
		if row.f.Confirmed && !row.done() {
			r.sure++
		}
	}
}

// unplanned is the receipt of a change that was not even planned.
func unplanned(err error) change.Receipt {
	r := change.Receipt{Outcome: change.Refused, Err: err}
	if refused := refusalOf(err); refused != nil {
		r.Err, r.Reasons = nil, refused.Reasons
	}
	return r
}

// done reports whether there is nothing to mend any more.
func (row *findingRow) done() bool { return row.mended != nil && row.mended.done }
