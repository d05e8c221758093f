package check

import (
	"context"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check/sketch"
)

// followUp reads all accounts again for the candidates, as docs/truth.md §3a describes.
type followUp struct {
	run        *run
	report     *report
	candidates map[uint64]*candidate
	gone       map[uint64]bool     // the keys of locks that are gone since the first reading
	left       []sketch.Remainder  // of the first reading: what else this one leaves over has changed since
	shared     *collected[sharing] // what may have come twice; nil if nothing
	search     *dynamo.ClaimScan
	// began and ended are when the accounts were read, and accounts is how many.
	began, ended time.Time
	accounts     int64
	heldBefore   time.Duration // how long the gate had been shut when it began
	// settled: it began only after the grace period, and the locks were watched.
	settled bool
	// watchRate is how many read units a second the watch uses.
	watchRate float64
	// moved counts the values that were given up or taken since the first reading.
	moved int
	// unstable: locks that looked orphaned kept turning out not to be.
	unstable bool
}

// followUp reads and judges what is left over.
func (r *run) followUp(ctx context.Context, left *leftOver) error {
	f := &followUp{run: r, report: r.report, gone: map[uint64]bool{}, heldBefore: r.o.Gate.Held()}
	if left != nil {
		f.candidates, f.left = left.candidates, left.prints
	}
	if r.ids.filter.any() || r.values.filter.any() {
		f.shared = new(collected[sharing])
	}
	if len(f.candidates) == 0 && f.shared == nil {
		return nil
	}
	if err := f.readAgain(ctx); err != nil {
		f.reportUnjudged()
		return err
	}
	if f.shared != nil {
		return r.duplicates(ctx, f.shared)
	}
	return nil
}

// readAgain reads the candidates' locks and all accounts again, and judges the candidates.
func (f *followUp) readAgain(ctx context.Context) error {
	f.run.progress.follow(len(f.candidates))
	if f.run.o.Confirm != ConfirmNone {
		if err := f.readAhead(ctx); err != nil {
			return err
		}
		if f.run.progress.follow(len(f.candidates)); len(f.candidates) == 0 && f.shared == nil {
			return nil
		}
		f.suspect()
	}
	rests, err := f.needsAllAccounts(ctx)
	if err != nil {
		return err
	}
	watched := func() error { return nil }
	if f.run.o.Confirm == ConfirmFull && len(f.candidates) > 0 && rests {
		watched = f.watch(ctx)
		if err := f.settle(ctx); err != nil {
			_ = watched()
			return err
		}
	}
	p := f.newPass()
	p.live = p.live || f.run.o.Candidates != nil && rests && f.run.o.Confirm == ConfirmFull
	f.began = time.Now()
	err = f.run.scan(ctx, p, LookingAgain, f.settled && f.run.o.Look == Strong)
	f.ended = time.Now()
	if err == nil {
		f.countMoved(p)
		f.accounts = p.count.accounts
		err = f.rePoll(ctx)
	}
	if err == nil {
		f.learnFit()
		err = newJudging(f).all(ctx)
	}
	if ended := watched(); err == nil {
		err = ended
	}
	return err
}

// mayBeUnclaimed yields the locks that may have no account: every item is searched for their
// values. There may be very many, so each is made only when it is asked for.
func (f *followUp) mayBeUnclaimed(yield func(*dynamo.Relation) bool) {
	for _, c := range f.candidates {
		c.mu.Lock()
		var rel *dynamo.Relation
		if c.rule != nil && c.exists && c.count < 0 {
			rel = c.relation(f.run.codec)
		}
		c.mu.Unlock()
		if rel != nil && !yield(rel) {
			return
		}
	}
}

// newPass returns the pass that looks for the candidates. What it leaves over is only
// counted, so its sketch has no keys.
func (f *followUp) newPass() *pass {
	p := f.run.newPass(min(defaultCells, maxCells(f.run.o.Memory)), false)
	f.search = f.run.t.ClaimScanOf(f.mayBeUnclaimed)
	f.search.ClaimsKnown()
	p.candidates, p.search, p.shared, p.live, p.otherUnits = f.candidates, f.search, f.shared, f.settled, f.watchRate
	p.whole = !f.search.Empty()
	p.owners = map[string][]*candidate{}
	for _, c := range f.candidates {
		if c.lock != nil && c.lock.ownerPartition != "" {
			p.owners[c.lock.ownerPartition] = append(p.owners[c.lock.ownerPartition], c)
		}
	}
	return p
}

// countMoved counts what the pass leaves over and the first reading did not. A value that accounts
// claim then is not judged. A lock that only this reading has met is younger than the check, and no
// orphan.
func (f *followUp) countMoved(p *pass) {
	if p.join == nil {
		return
	}
	sum := p.join.sum()
	sum.Subtract(f.left)
	moved, whole := sum.Decode()
	count := map[uint64]int64{}
	for _, one := range moved {
		if f.candidates[one.Place] == nil {
			f.moved++
			count[one.Place] += one.Count
		}
	}
	if !whole {
		f.moved++
		f.report.note(
			"so many values changed while the accounts were looked at again that what did not fit only then was not followed up: check again while less is written, or with more --memory",
		)
		return
	}
	for place, n := range count {
		if n >= 0 && !f.gone[place] {
			f.report.unsettled()
		}
	}
}
