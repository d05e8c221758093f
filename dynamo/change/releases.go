package change

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// ApplyAll makes several changes, and answers a receipt for each, in their order.
// Releases of locks that name nobody share one look, each with a mark of its own;
// everything else is made one after the other, until nothing gets through any more; of
// what a permission is missing for, one of each kind is tried.
// Cancelling takes all marks off that are not used yet.
func (c *Changer) ApplyAll(ctx context.Context, plans []*Plan, progress func(Progress)) []Receipt {
	if progress == nil {
		progress = func(Progress) {}
	}
	receipts := make([]Receipt, len(plans))
	var batches []*batch
	var down error               // nothing gets through any more
	denied := map[string]error{} // by kind and table: what is alike takes the same permissions
	for n, p := range plans {
		if down != nil {
			receipts[n] = Receipt{ID: p.ID, Plan: p, Outcome: Refused, Err: down}
			continue
		}
		if p.release == nil || !p.release.marked {
			alike := string(p.Kind) + " " + p.Table
			if err := denied[alike]; err != nil {
				receipts[n] = Receipt{ID: p.ID, Plan: p, Outcome: Refused, Err: err}
				continue
			}
			receipts[n] = c.Apply(ctx, p, progress)
			switch client.KindOf(receipts[n].Err) {
			case client.Denied:
				denied[alike] = receipts[n].Err
			case client.Unreachable, client.NoCredentials, client.Expired, client.Cancelled:
				down = receipts[n].Err
			}
			continue
		}
		receipts[n] = Receipt{ID: p.ID, Plan: p, Outcome: Refused, Err: p.ready()}
		if receipts[n].Err != nil {
			continue
		}
		var own *batch
		for _, b := range batches {
			if b.t == p.table && p.Undoes == "" && b.all[0].p.Undoes == "" { // taking a change back is a run of its own
				own = b
			}
		}
		if own == nil {
			own = &batch{c: c, t: p.table, progress: progress}
			batches = append(batches, own)
		}
		own.all = append(own.all, &marking{p: p, r: &receipts[n]})
	}
	for _, b := range batches {
		if down != nil {
			b.leave(b.all, down)
			continue
		}
		b.release(ctx)
	}
	return receipts
}

// batch is locks of one account table that are released with one look.
type batch struct {
	c        *Changer
	t        *dynamo.Table
	all      []*marking
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
		if unheard(*m.r) {
			b.leave(b.all[n+1:], m.r.Err)
			break
		}
	}
	b.finish(ctx)
}

// unheard reports whether a step came to nothing for a reason that others would
// come to nothing for, too. That one item is being written by others is none.
func unheard(r Receipt) bool {
	return r.Err != nil && (len(r.Reasons) == 0 || r.Reasons[0].Code != "TransactionConflict")
}

// leave says of locks that they were not even tried.
func (b *batch) leave(locks []*marking, why error) {
	for _, m := range locks {
		m.r.Err = why
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
		if unheard(*m.r) {
			b.giveUp(ctx, b.marked(), m.r.Err)
			return
		}
	}
}

func (b *batch) marked() []*marking {
	var left []*marking
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
	report(Progress{Stage: StageLook, Total: b.t.SearchCost().Items})
	rels := make([]*dynamo.Relation, len(marked))
	for n, m := range marked {
		rels[n] = m.p.release.rel
	}
	scan := b.t.ClaimScan(rels...)
	ctx = b.c.paced(ctx, b.t, true) // what is asked of single locks afterwards
	units, reads, err := b.c.look(ctx, b.t, scan, report)
	marked[0].r.ReadUnits += units // one look, paid once
	if err != nil {
		b.giveUp(ctx, marked, err)
		return
	}
	b.t.LearnAll(scan, rels)
	again := false
	for n, m := range marked {
		m.r.Reads = append(slices.Clone(reads), met(scan, rels[n])...)
		reason, err := b.stays(ctx, scan, rels[n], m.p.release.settled)
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
func (b *batch) giveUp(ctx context.Context, locks []*marking, err error) {
	for n, m := range locks {
		if !unheard(b.keep(ctx, m, n, nil, err)) {
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
			return &client.Error{Kind: client.Cancelled, Op: "waiting before the look", Why: "stopped before it was done", Err: ctx.Err()}
		}
	}
}

// Batch is releases that are made together with ApplyAll.
type Batch struct {
	Plans []*Plan
	// Refused are the locks that are not even tried, with the reason.
	Refused []Receipt
	// Price is that of all plans; their look is paid once.
	Price Price
	// Typed is what has to be typed besides: how many they are, where they are a large
	// share of all locks. Empty where nothing has to.
	Typed string
}

// A batch is large where it has so many plans, and so large a part, in percent, of all
// locks that are known of.
const (
	largeBatch = 20
	largeShare = 20
)

// Weigh prices the batch, and has its number typed where it is large.
func (b *Batch) Weigh() {
	b.Price, b.Typed = PriceOf(b.Plans), ""
	of := map[*layout.Constraint]int{}
	for _, p := range b.Plans {
		if p.table == nil || p.Constraint == "" {
			continue
		}
		_, con := p.table.Layout.Constraint(p.Constraint)
		of[con]++
		fit := p.table.FitOf(con)
		if of[con] >= largeBatch && (!fit.Whole || 100*of[con] > largeShare*fit.Locks) {
			b.Typed = strconv.Itoa(len(b.Plans))
		}
	}
}

// oneByOne refuses what a layout would have changed in bulk that may not fit; nil where
// that is sure.
func oneByOne(t *dynamo.Table, con *layout.Constraint) *Refusal {
	fit := t.FitOf(con)
	if fit.Standing() == layout.Supported {
		return nil
	}
	r := refusal(ByHand, "whether the layout fits is not sure (%s): look at it, and do this one by itself", fit.Why())
	r.Reasons[0].Asks = t.Ask(con)
	return r
}

// PlanReleases plans to release several locks. Who claims them is read for all at
// once; where not every account can be read unasked the one look of ApplyAll
// decides.
func PlanReleases(ctx context.Context, t *dynamo.Table, rels ...*dynamo.Relation) (*Batch, error) {
	fresh, _, err := t.Examine(ctx, rels)
	if err != nil {
		return nil, err
	}
	b := &Batch{}
	for n, rel := range rels {
		if refused := oneByOne(t, rel.Constraint); refused != nil && len(rels) > 1 {
			b.refuse(rel, refused)
			continue
		}
		if now := fresh[n]; now.Verdict == dynamo.Orphaned && rel.Verdict == dynamo.Malformed {
			now.Verdict = dynamo.Malformed
		}
		p, err := planRelease(t, fresh[n])
		if refused, ok := errors.AsType[*Refusal](err); ok {
			b.refuse(rel, refused)
			continue
		}
		if err != nil {
			return nil, err
		}
		b.Plans = append(b.Plans, p)
	}
	b.Weigh()
	return b, nil
}

func (b *Batch) refuse(rel *dynamo.Relation, why *Refusal) {
	about := &Plan{Kind: KindRelease, Table: rel.Lock.Table, Constraint: rel.Constraint.Name, Value: rel.Value}
	b.Refused = append(b.Refused, Receipt{Plan: about, Outcome: Refused, Reasons: why.Reasons})
}
