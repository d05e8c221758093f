package change

import (
	"context"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
)

// releaseRun releases locks of one account table that share one look: a scan that must find
// no account with their values.
type releaseRun struct {
	changer  *Changer
	table    *dynamo.Table
	said     string // Table.Statements after the look
	locks    []*runLock
	progress func(Progress)
}

// release marks the locks, and finishes those that it marked.
func (r *releaseRun) release(ctx context.Context) {
	first := r.locks[0] // of an undo the only one
	run := first.plan.live.run
	release, err := r.changer.Journal.LockRun(run)
	if err != nil {
		r.leave(r.locks, err)
		return
	}
	defer release()
	if err := r.table.CheckConfig(); err != nil {
		for _, m := range r.locks {
			m.receipt.Reasons = refuse(Changed, "%s", err).Reasons
		}
		return
	}
	if first.receipt.Reasons, first.receipt.Err = r.changer.undoneSince(first.plan); first.receipt.Reasons != nil ||
		first.receipt.Err != nil {
		return
	}
	if len(r.locks) == 1 { // of several, FindApplied has told before
		if first.receipt.Reasons, first.receipt.Err = r.changer.madeBefore(first.plan); first.receipt.Reasons != nil ||
			first.receipt.Err != nil {
			return
		}
	}
	for n, m := range r.locks {
		m.plan.live.run = run
		r.mark(ctx, m, n)
		if affectsOthers(*m.receipt) {
			r.leave(r.locks[n+1:], m.receipt.Err)
			break
		}
	}
	r.finish(ctx)
}

// leave gives locks the receipt of a change that was not tried.
func (r *releaseRun) leave(locks []*runLock, why error) {
	for _, m := range locks {
		*m.receipt = untried(m.plan, why)
	}
}

// at adds to progress how many locks are through the stage.
func (r *releaseRun) at(done int) func(Progress) {
	return func(p Progress) {
		p.Locks, p.AllLocks = done, len(r.locks)
		r.progress(p)
	}
}

// finish waits, looks, and deletes each lock that is still marked and that nobody
// claims; the others' marks are taken off. It does nothing for locks that are not
// marked.
func (r *releaseRun) finish(ctx context.Context) {
	defer func() {
		for _, m := range r.locks {
			m.receipt.Done = r.changer.now()
		}
	}()
	if len(r.marked()) == 0 {
		return
	}
	r.look(ctx)
	for n, m := range r.marked() {
		if reasons := saidSince(r.table, r.said); reasons != nil {
			r.keep(ctx, m, n, &reasons[0], nil)
			continue
		}
		m.marked = false
		r.changer.step(ctx, m.plan, m.deletion, m.receipt, r.at(n))
		switch {
		case m.receipt.Outcome == Unknown:
			m.noteMarkLeft(markMayStay)
		case m.receipt.Outcome == Refused && !takenOver(m.receipt.Reasons):
			r.unmark(ctx, m, n)
		}
		if affectsOthers(*m.receipt) {
			r.giveUp(ctx, r.marked(), m.receipt.Err)
			return
		}
	}
}

func (r *releaseRun) marked() []*runLock {
	var left []*runLock
	for _, m := range r.locks {
		if m.marked {
			left = append(left, m)
		}
	}
	return left
}

// look waits until every transaction from before the marks is visible, and reads every
// account. It takes the marks off locks that must stay.
func (r *releaseRun) look(ctx context.Context) {
	marked := r.marked()
	if err := wait(ctx, r.table.Connection().Settle(), r.at(0)); err != nil {
		r.giveUp(ctx, marked, err)
		return
	}
	report := r.at(0)
	report(Progress{Stage: StageLook, Total: dynamo.LookCost(r.table).Items})
	rels := make([]*dynamo.Relation, len(marked))
	for n, m := range marked {
		rels[n] = m.plan.live.release.rel
	}
	scan := r.table.ClaimScan(rels...)
	ctx = r.changer.paced(ctx, r.table) // what is asked of single locks afterwards
	units, reads, err := r.changer.look(ctx, r.table, scan, report)
	marked[0].receipt.ReadUnits += units // one look, paid once
	if err != nil {
		r.giveUp(ctx, marked, err)
		return
	}
	r.table.Fit.LearnAll(scan)
	r.said, _ = r.table.Statements() // an error comes back before each deletion
	for _, rel := range rels {
		if err := r.table.CheckSure("releasing a lock of "+rel.Constraint.Name, rel.Constraint); err != nil {
			r.giveUp(ctx, marked, err)
			return
		}
	}
	again := false
	for n, m := range marked {
		m.receipt.Reads = slices.Clone(reads)
		reason := r.whyKept(scan.Of(rels[n]), m.plan.live.release)
		if reason == nil && !m.requireAbsent(scan.OtherLocks(rels[n].Constraint).Lacks(rels[n].Lock.Item)) {
			reason = &refuse(ByHand, "held locks have so many attributes that DynamoDB does not take the condition "+
				"that this lock still lacks them: it was not deleted").Reasons[0]
		}
		if reason != nil {
			r.keep(ctx, m, n, reason, nil)
			continue
		}
		again = again || rels[n].Constraint.TwoSteps
	}
	if again {
		// The mark must survive a deletion that takes more than one step.
		if err := wait(ctx, r.table.Connection().Settle(), report); err != nil {
			r.giveUp(ctx, r.marked(), err)
		}
	}
}

// requireAbsent adds to the deletion that the lock still lacks attributes, which held locks have.
// It returns false if the condition is too long.
func (m *runLock) requireAbsent(names []string) bool {
	m.deletion = m.plan.Steps[1]
	m.deletion.Writes = slices.Clone(m.deletion.Writes)
	remove := &m.deletion.Writes[0]
	remove.If = withAbsent(remove.If, names)
	return !tooLong(*remove)
}

// giveUp keeps locks because of an error, and takes their marks off. It stops sending once
// that fails in a way that the other locks would fail in, too.
func (r *releaseRun) giveUp(ctx context.Context, locks []*runLock, err error) {
	for n, m := range locks {
		if !affectsOthers(r.keep(ctx, m, n, nil, err)) {
			continue
		}
		for _, m := range locks[n+1:] {
			m.setKept(nil, err)
			m.noteMarkLeft(markStays)
		}
		return
	}
}

// wait waits for the settle time d, and reports progress.
func wait(ctx context.Context, d time.Duration, progress func(Progress)) error {
	const tick = 100 * time.Millisecond
	begin := time.Now()
	for {
		progress(Progress{Stage: StageWait, Done: time.Since(begin).Milliseconds(), Total: d.Milliseconds()})
		left := d - time.Since(begin)
		if left <= 0 {
			return ctx.Err()
		}
		if !sleep(ctx, min(left, tick)) {
			return &client.Error{
				Kind: client.Cancelled,
				Why:  "stopped while waiting; the lock was not deleted",
				Err:  ctx.Err(),
			}
		}
	}
}
