package change

import (
	"context"
	"time"

	"tallylock/dynamo/client"
)

// batchLock is one lock of a batch.
type batchLock struct {
	p *Plan
	r *Receipt
	// marked: the mark is on the lock, and neither used nor taken off.
	marked bool
}

// markTries is how often a lock is marked whose mark is not answered at once.
const markTries = 5

// mark marks a lock. A deletion rests only on a mark that was sent once and answered.
// If a mark was sent twice, a copy may still be under way: DynamoDB may have forgotten its
// token when it arrives, and would set the mark on a lock that was put since. So such a
// mark is taken off and never used, and the lock gets another mark, which no copy can set.
func (b *batch) mark(ctx context.Context, m *batchLock, done int) {
	for try := 1; ; try++ {
		m.p.release.begun = true
		m.marked = b.c.step(ctx, m.p, m.p.Steps[0], m.r, b.at(done))
		switch {
		case m.r.Outcome == Unknown:
			b.afterLostMark(ctx, m)
			return
		case !m.marked:
			return
		case !m.r.lost:
			m.r.Marked, m.r.Unmarked = b.c.now(), false
			return
		}
		off := b.keep(ctx, m, done, &Reason{Code: "NoAnswer", Text: "the marker was not answered at its first sending, and no deletion rests on one that was sent again: it was not used. Release the lock once more"}, nil)
		if off.Outcome != Applied || try == markTries {
			return
		}
		m.p = markedAnew(m.p, b.c.now())
		m.r.Plan = m.p
	}
}

// keep takes a lock's mark off, and says why. done is how many locks came before it.
func (b *batch) keep(ctx context.Context, m *batchLock, done int, reason *Reason, err error) Receipt {
	m.kept(reason, err)
	return b.unmark(ctx, m, done)
}

// kept says why a lock is not deleted.
func (m *batchLock) kept(reason *Reason, err error) {
	m.r.Outcome, m.r.Reasons, m.r.Err = Refused, nil, err
	if reason != nil {
		m.r.Reasons = []Reason{*reason}
	}
	m.marked = false
}

// left says that the mark is still on the lock.
func (m *batchLock) left() {
	m.r.Reasons = append(m.r.Reasons, Reason{Code: MarkLeft, Text: "the marker could not be removed; it is harmless: `tallylock journal --resolve` removes it, or the next release takes it over"})
}

// afterLostMark takes a mark off whose answer was lost. The deletion was never sent.
// Where there is no mark yet it may still come, and the change stays open.
func (b *batch) afterLostMark(ctx context.Context, m *batchLock) {
	m.r.Reasons = []Reason{{Code: "NoAnswer", Text: "the answer to the marker was lost; the lock was not deleted"}}
	switch off := b.unmark(ctx, m, 0); {
	case off.Outcome == Applied:
		m.r.Outcome = Refused
	case notThere(off):
		m.r.Reasons = append(m.r.Reasons, Reason{Code: MarkLeft, Text: "there is no marker, but it may still be under way; it is harmless: in a few minutes `tallylock journal --resolve` tells, or removes it"})
	}
}

// unmarkWithin is how long taking one mark off is still tried once the person has
// cancelled: a batch has as many as it likes.
const unmarkWithin = 15 * time.Second

// unmark takes the mark off, if it is still there. It does so although the
// person has cancelled: that is what cancelling means here.
func (b *batch) unmark(ctx context.Context, m *batchLock, done int) Receipt {
	on, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { sleep(on, unmarkWithin); cancel() })()
	off := Receipt{Reasons: m.r.Reasons}
	switch {
	case client.KindOf(m.r.Err) == client.Cancelled:
		off.Reasons = []Reason{{Code: Cancelled, Text: "stopped before the lock was deleted: its marker was removed, and the lock stays"}}
	case m.r.Err != nil:
		off.Reasons = []Reason{{Code: Incomplete, Text: m.r.Err.Error()}}
	}
	b.c.step(on, m.p, m.p.Steps[2], &off, b.at(done))
	m.r.WriteUnits += off.WriteUnits
	m.r.Unmarked = off.Outcome == Applied
	if off.Outcome != Applied && !notThere(off) {
		m.left()
	}
	return off
}

// notThere reports whether taking a mark off was refused by its condition: the lock
// is gone or was put again, and the mark with it.
func notThere(off Receipt) bool { return off.Outcome == Refused && off.Err == nil }
