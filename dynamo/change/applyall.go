package change

import (
	"context"

	"tallylock/dynamo/client"
)

// ApplyAll makes several changes, and answers a receipt for each, in their order: first
// those that need no look, one after the other, then releases that mark their locks,
// which share one look. The first failure that says nothing of the item itself, as
// where the endpoint is dead, ends it: the rest is refused with the code NotTried. Of
// what a permission is missing for, one of each kind is tried.
// Cancelling takes all marks off that are not used yet.
func (c *Changer) ApplyAll(ctx context.Context, plans []*Plan, progress func(Progress)) []Receipt {
	if progress == nil {
		progress = func(Progress) {}
	}
	s := &series{Changer: c, several: len(plans) > 1, progress: progress, denied: map[string]error{}}
	receipts := make([]Receipt, len(plans))
	var batches []*batch
	for n, p := range plans {
		if p.marks() {
			batches = s.join(batches, p, &receipts[n])
		} else {
			s.total++
		}
	}
	for n, p := range plans {
		if !p.marks() {
			receipts[n] = s.apply(ctx, p)
		}
	}
	for _, b := range batches {
		if s.stopped != nil {
			b.leave(b.all, s.stopped)
			continue
		}
		b.release(ctx)
		for _, m := range b.all {
			s.learn(*m.r)
		}
	}
	return receipts
}

// series is changes that are made one after the other.
type series struct {
	*Changer
	several     bool
	progress    func(Progress)
	done, total int64            // of those that need no look
	stopped     error            // why nothing more is tried
	denied      map[string]error // by kind and table: those alike take the same permissions
}

// apply makes one of the changes that need no look.
func (s *series) apply(ctx context.Context, p *Plan) Receipt {
	alike := string(p.Kind) + " " + p.Table
	if s.stopped != nil {
		return untried(p, s.stopped)
	}
	if err := s.denied[alike]; err != nil {
		return untried(p, err)
	}
	r := s.Apply(ctx, p, s.report)
	if s.done++; s.several {
		s.progress(Progress{Stage: StageEach, Done: s.done, Total: s.total})
	}
	if s.learn(r); client.KindOf(r.Err) == client.Denied {
		s.denied[alike] = r.Err
	}
	return r
}

// report says which of several changes is being made; of one it says the step.
func (s *series) report(p Progress) {
	if s.several {
		p.Stage, p.Done, p.Total = StageEach, s.done, s.total
	}
	s.progress(p)
}

// learn notes that nothing gets through any more.
func (s *series) learn(r Receipt) {
	switch client.KindOf(r.Err) {
	case client.Unreachable, client.NoCredentials, client.Expired, client.Cancelled, client.Throttled:
		s.stopped = r.Err
	}
}

// join has a release made with the others of its table. Taking a change back is a run of
// its own.
func (s *series) join(batches []*batch, p *Plan, r *Receipt) []*batch {
	*r = Receipt{Plan: p, Outcome: Refused, Err: p.ready()}
	if r.Err != nil {
		return batches
	}
	for _, b := range batches {
		if b.t == p.table && p.Undoes == "" && b.all[0].p.Undoes == "" {
			b.all = append(b.all, &batchLock{p: p, r: r})
			return batches
		}
	}
	return append(batches, &batch{c: s.Changer, t: p.table, progress: s.progress, all: []*batchLock{{p: p, r: r}}})
}

// untried is the receipt of a change that was left since others came to nothing.
func untried(p *Plan, why error) Receipt {
	return Receipt{Plan: p, Outcome: Refused, Reasons: []Reason{{Code: NotTried, Text: "it was not tried"}}, Err: why}
}

// general reports whether a step came to nothing for a reason that others would come to
// nothing for, too. That one item is being written by others is none.
func general(r Receipt) bool {
	return r.Err != nil && client.KindOf(r.Err) != client.Conflict
}
