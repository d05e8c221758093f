package change

import (
	"context"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
)

// batch is locks of one account table that are released with one look.
type batch struct {
	c        *Changer
	t        *dynamo.Table
	all      []*batchLock
	progress func(Progress)
}

// release marks the locks and finishes what it has begun.
func (b *batch) release(ctx context.Context) {
	run := b.all[0].p.run
	release, err := b.c.Journal.Begin(run)
	if err != nil {
		b.leave(b.all, err)
		return
	}
	defer release()
	for _, m := range b.all {
		if m.r.Reasons, m.r.Err = b.c.takenBack(m.p); m.r.Reasons != nil || m.r.Err != nil {
			return
		}
	}
	for n, m := range b.all {
		m.p.run = run
		b.mark(ctx, m, n)
		if general(*m.r) {
			b.leave(b.all[n+1:], m.r.Err)
			break
		}
	}
	b.finish(ctx)
}

// leave says of locks that they were not even tried.
func (b *batch) leave(locks []*batchLock, why error) {
	for _, m := range locks {
		*m.r = untried(m.p, why)
	}
}

// at reports progress with how many locks have got through the stage.
func (b *batch) at(done int) func(Progress) {
	return func(p Progress) {
		p.Locks, p.AllLocks = done, len(b.all)
		b.progress(p)
	}
}

// finish waits, looks, and deletes each lock that is still marked and that nobody
// claims; the others' marks are taken off. It does nothing for locks that are not
// marked.
func (b *batch) finish(ctx context.Context) {
	defer func() {
		for _, m := range b.all {
			m.r.Done = b.c.now()
		}
	}()
	if len(b.marked()) == 0 {
		return
	}
	b.look(ctx)
	for n, m := range b.marked() {
		m.marked = false
		b.c.step(ctx, m.p, m.p.Steps[1], m.r, b.at(n))
		if m.r.Outcome == Refused {
			b.unmark(ctx, m, n)
		}
		if general(*m.r) {
			b.giveUp(ctx, b.marked(), m.r.Err)
			return
		}
	}
}

func (b *batch) marked() []*batchLock {
	var left []*batchLock
	for _, m := range b.all {
		if m.marked {
			left = append(left, m)
		}
	}
	return left
}

// look waits until every transaction of before the marks is visible, and reads
// every account. Locks that must stay lose their mark.
func (b *batch) look(ctx context.Context) {
	marked := b.marked()
	if err := wait(ctx, b.t.Connection().Settle(), b.at(0)); err != nil {
		b.giveUp(ctx, marked, err)
		return
	}
	report := b.at(0)
	report(Progress{Stage: StageLook, Total: dynamo.SearchCost(b.t).Items})
	rels := make([]*dynamo.Relation, len(marked))
	for n, m := range marked {
		rels[n] = m.p.release.rel
	}
	scan := b.t.ClaimScan(rels...)
	ctx = b.c.paced(ctx, b.t) // what is asked of single locks afterwards
	units, reads, err := b.c.look(ctx, b.t, scan, report)
	marked[0].r.ReadUnits += units // one look, paid once
	if err != nil {
		b.giveUp(ctx, marked, err)
		return
	}
	b.t.Fit.LearnAll(scan, rels)
	again := false
	for n, m := range marked {
		m.r.Reads = append(slices.Clone(reads), met(scan.Of(rels[n]), rels[n])...)
		reason, err := b.stays(ctx, scan.Of(rels[n]), rels[n], m.p.release.respelt)
		if reason != nil || err != nil {
			b.keep(ctx, m, n, reason, err)
			continue
		}
		again = again || rels[n].Constraint.TwoSteps
	}
	if again {
		// The mark must survive a deletion that takes more than one step.
		if err := wait(ctx, b.t.Connection().Settle(), report); err != nil {
			b.giveUp(ctx, b.marked(), err)
		}
	}
}

// giveUp keeps locks that nothing can be told of any more. It takes the time that it
// takes to take their marks off, but does not ask for each in vain.
func (b *batch) giveUp(ctx context.Context, locks []*batchLock, err error) {
	for n, m := range locks {
		if !general(b.keep(ctx, m, n, nil, err)) {
			continue
		}
		for _, m := range locks[n+1:] {
			m.kept(nil, err)
			m.left()
		}
		return
	}
}

// wait lets the settle time pass.
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
				Op:   "waiting before the look",
				Why:  "stopped before it was done",
				Err:  ctx.Err(),
			}
		}
	}
}
