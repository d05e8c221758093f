package change

import (
	"context"
	"time"

	"tallylock/dynamo/client"
)

// runLock is one lock of a run.
type runLock struct {
	plan    *Plan
	receipt *Receipt
	marked  bool // the mark is on the lock, neither used nor taken off
	// deletion is the plan's last step with what the look requires besides. The plan itself stays as it
	// is: others read it meanwhile.
	deletion Step
}

// markTries is how often a lock is marked at most, if its mark is not answered at once.
const markTries = 5

// mark marks a lock. A deletion rests only on a mark that was sent once and answered.
// If a mark was sent twice, a copy may still be under way: DynamoDB may have forgotten its
// token when it arrives, and would set the mark on a lock that was put since. So such a
// mark is taken off and never used, and the lock gets another mark, which no copy can set.
func (r *releaseRun) mark(ctx context.Context, m *runLock, done int) {
	for try := 1; ; try++ {
		m.plan.live.release.begun = true
		m.marked = r.changer.step(ctx, m.plan, m.plan.Steps[0], m.receipt, r.at(done))
		switch {
		case m.receipt.Outcome == Unknown:
			r.afterLostMark(ctx, m)
			return
		case !m.marked:
			return
		case !m.receipt.lost:
			m.receipt.Marked, m.receipt.Unmarked = r.changer.now(), false
			return
		}
		off := r.keep(
			ctx,
			m,
			done,
			&Reason{
				Code: NoAnswer,
				Text: "the marker was not answered at its first sending, and no deletion rests on one that was sent again: it was not used. Release the lock once more",
			},
			nil,
		)
		if off.Outcome != Applied || try == markTries {
			return
		}
		m.plan = withNewMark(m.plan, r.changer.now())
		m.receipt.Plan = m.plan
	}
}

// keep records why a lock is kept, and takes its mark off. done is how many locks came
// before it.
func (r *releaseRun) keep(ctx context.Context, m *runLock, done int, reason *Reason, err error) Receipt {
	m.setKept(reason, err)
	return r.unmark(ctx, m, done)
}

// setKept records why a lock is not deleted.
func (m *runLock) setKept(reason *Reason, err error) {
	m.receipt.Outcome, m.receipt.Reasons, m.receipt.Err = Refused, nil, err
	if reason != nil {
		m.receipt.Reasons = []Reason{*reason}
	}
	m.marked = false
}

// noteMarkLeft records that the mark is, or may be, still on the lock.
func (m *runLock) noteMarkLeft(where string) {
	m.receipt.Reasons = append(m.receipt.Reasons, Reason{
		Code: MarkLeft,
		Text: where + "; it is harmless: `tallylock journal --resolve` removes it, or the next release takes it over",
	})
}

// Where a mark is that was not removed.
const (
	markStays   = "the marker could not be removed"
	markUnsure  = "the answer to the removal of the marker was lost, so the marker may still be on the lock"
	markMayStay = "if the lock is still there, its marker is still on it"
	markMayCome = "the marker is not on the lock, but may still be under way"
)

// afterLostMark takes off a mark whose answer was lost. The deletion was never sent. If
// there is no mark yet, it may still arrive, and the change stays open.
func (r *releaseRun) afterLostMark(ctx context.Context, m *runLock) {
	m.receipt.Reasons = []Reason{{Code: NoAnswer, Text: "the answer to the marker was lost; the lock was not deleted"}}
	switch off := r.unmark(ctx, m, 0); {
	case off.Outcome == Applied:
		m.receipt.Outcome = Refused
	case notThere(off):
		m.noteMarkLeft(markMayCome)
	}
}

// unmarkWithin is how long taking one mark off is still tried after cancelling: a run may
// have many.
const unmarkWithin = 15 * time.Second

// unmark takes the mark off, if it is still there. It does so even if ctx is cancelled: that
// is what cancelling a release means.
func (r *releaseRun) unmark(ctx context.Context, m *runLock, done int) Receipt {
	on, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { sleep(on, unmarkWithin); cancel() })()
	off := Receipt{Reasons: m.receipt.Reasons}
	switch {
	case client.KindOf(m.receipt.Err) == client.Cancelled:
		off.Reasons = []Reason{
			{Code: Cancelled, Text: "stopped before the lock was deleted: its marker was removed, and the lock stays"},
		}
	case m.receipt.Err != nil:
		off.Reasons = []Reason{{Code: Incomplete, Text: m.receipt.Err.Error()}}
	}
	r.changer.step(on, m.plan, m.plan.Steps[2], &off, r.at(done))
	m.receipt.WriteUnits += off.WriteUnits
	m.receipt.Unmarked = off.Outcome == Applied
	switch {
	case off.Outcome == Applied:
	case takenOver(off.Reasons):
		m.receipt.Reasons = append(m.receipt.Reasons, Reason{Code: TakenOver, Text: off.Reasons[0].Text})
	case off.Outcome == Unknown:
		m.noteMarkLeft(markUnsure)
	case !notThere(off):
		m.noteMarkLeft(markStays)
	}
	return off
}

// notThere reports whether taking a mark off was refused by its condition: the lock
// is gone or was put again, and the mark with it.
func notThere(off Receipt) bool { return off.Outcome == Refused && off.Err == nil }
