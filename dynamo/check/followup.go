package check

import (
	"context"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/layout"
)

// followUp is one look at all accounts again, for candidates: docs/truth.md §3a.
type followUp struct {
	*run
	candidates map[uint64]*candidate
	looks      int                   // this one included
	next       map[uint64]*candidate // of the next look
	known      map[uint64]bool       // what is left over and is no candidate any more
	// before is what earlier readings left over: what this one leaves over besides has
	// moved since.
	before     []sketch.Remainder
	duplicates *collector
	values     *valueCollector
	search     *dynamo.ClaimScan
	// began and ended say when every account was read, and accounts how many.
	began, ended time.Time
	accounts     int64
	heldBefore   time.Duration // how long the check was held back before it began
	// settled: the look began only after everything had settled, and the locks
	// were watched.
	settled bool
	// watching is how many units a second the watch takes.
	watching float64
	// moved counts what was given up or taken since the first reading.
	moved int
	// unstable: locks that looked like orphans kept turning out to be none.
	unstable bool
}

// followUp finds the items of what is left over, and makes sure of it. Looking
// again leaves something over, too: what the first reading did not see because it
// changed at that moment.
func (r *run) followUp(ctx context.Context, left *leftOver) error {
	f := &followUp{run: r, known: map[uint64]bool{}}
	if left != nil {
		f.candidates, f.before = left.candidates, left.prints
	}
	f.collect()
	for f.looks = 1; len(f.candidates) > 0 || f.duplicates != nil || f.values != nil; f.looks++ {
		f.heldBefore, f.settled, f.unstable, f.moved, f.next = r.o.Gate.Held(), false, false, 0, nil
		if err := f.look(ctx); err != nil {
			f.giveUp()
			return err
		}
		if err := f.sameTwice(ctx); err != nil {
			return err
		}
		f.candidates = f.next
	}
	return nil
}

// takeMoved follows up what has moved since the reading before, as far as that is worth another
// look: a lock without an account that only this look has met is younger than the
// check, since an orphan stays as it is.
func (f *followUp) takeMoved(moved []sketch.Remainder) {
	next := candidatesOf(moved)
	for place, c := range next {
		if c.count < 0 || f.known[place] || f.candidates[place] != nil {
			delete(next, place)
		}
	}
	if len(next) > 0 && (f.looks == mostLooks || f.cost.Again > f.t.Connection().AutoReadUnits()) {
		f.run.unsettled(len(next))
		next = nil
	}
	if f.next = next; len(next) == 0 {
		f.before = nil // nothing is compared with it any more
		return
	}
	f.before = append(f.before, moved...)
	for place := range f.candidates {
		f.known[place] = true
	}
}

// mostLooks is how often a table is looked at for what only turned up on a look.
const mostLooks = 3

// look looks for the items of the candidates and judges them.
func (f *followUp) look(ctx context.Context) error {
	f.follow(len(f.candidates))
	if f.o.Confirm != ConfirmNone {
		if err := f.readAhead(ctx); err != nil {
			return err
		}
		if f.follow(len(f.candidates)); len(f.candidates) == 0 && f.duplicates == nil && f.values == nil {
			return nil
		}
		f.suspect()
	}
	rests, err := f.listed(ctx)
	if err != nil {
		return err
	}
	watched := func() error { return nil }
	if f.o.Confirm == ConfirmFull && len(f.candidates) > 0 && rests {
		watched = f.watch(ctx)
		if err := f.settle(ctx); err != nil {
			_ = watched()
			return err
		}
	}
	p := f.lookPass()
	p.now = p.now || f.o.Candidates != nil && rests && f.o.Confirm == ConfirmFull
	f.began = time.Now()
	err = f.scan(ctx, p, LookingAgain, f.settled && f.o.Look == Strong)
	f.ended = time.Now()
	if err == nil {
		f.takeMoved(f.movedIn(p))
		f.accounts = p.count.accounts
		err = f.rePoll(ctx)
	}
	if err == nil {
		f.learn()
		err = (&judging{followUp: f}).all(ctx)
	}
	if ended := watched(); err == nil {
		err = ended
	}
	return err
}

// mayBeUnclaimed are the locks that may turn out to be nobody's: what holds their values
// is looked for in every item. There may be very many, and each is made when it is asked for.
func (f *followUp) mayBeUnclaimed(yield func(*dynamo.Relation) bool) {
	for _, c := range f.candidates {
		c.mu.Lock()
		var rel *dynamo.Relation
		if c.rule != nil && c.exists && c.count < 0 {
			rel = c.relation(f.codec)
		}
		c.mu.Unlock()
		if rel != nil && !yield(rel) {
			return
		}
	}
}

// lookPass begins the pass that looks for the candidates. What it leaves over is only
// counted, so its sketch has no keys.
func (f *followUp) lookPass() *pass {
	p := f.pass(min(usualCells, mostCells(f.o.Memory)), false)
	f.search = f.t.ClaimScanOf(f.mayBeUnclaimed)
	f.search.ClaimsKnown()
	if f.o.Confirm != ConfirmNone && len(f.candidates) > 0 {
		f.search.CompareShapes()
	}
	p.candidates, p.search, p.duplicates, p.now, p.beside = f.candidates, f.search, f.duplicates, f.settled, f.watching
	p.values = f.values
	p.whole = !f.search.Empty()
	p.owners = map[string][]*candidate{}
	for _, c := range f.candidates {
		if c.lock != nil && c.lock.partition != "" {
			p.owners[c.lock.partition] = append(p.owners[c.lock.partition], c)
		}
	}
	return p
}

// movedIn is what the look's own reading leaves over besides what was left over before.
func (f *followUp) movedIn(p *pass) []sketch.Remainder {
	if p.join == nil {
		return nil
	}
	sum := p.join.sum()
	sum.Subtract(f.before)
	moved, whole := sum.Decode()
	for _, one := range moved {
		if f.candidates[one.Place] == nil {
			f.moved++
		}
	}
	if !whole {
		f.moved++
		f.remark("so many values changed while the accounts were looked at again that what did not fit only then was not followed up: check again while less is written, or with more --memory")
		return nil
	}
	return moved
}

// readAhead reads the candidates' locks. Those that are gone are candidates no more,
// unless an account claims them.
func (f *followUp) readAhead(ctx context.Context) error {
	if f.o.Confirm == ConfirmFull {
		if err := f.findKeys(ctx); err != nil {
			return err
		}
	}
	if err := f.readLocks(ctx, (*candidate).watchable); err != nil {
		return err
	}
	for place, c := range f.candidates {
		if c.key != "" && c.rule == nil && c.count < 0 {
			f.moved++
			f.known[place] = true
			delete(f.candidates, place)
		}
	}
	return nil
}

// findKeys finds the keys of locks that a reading told only by a fingerprint, by one
// more pass. Values that more accounts claim than there are locks need none before
// they are looked for.
func (f *followUp) findKeys(ctx context.Context) error {
	unknown := map[uint64]*candidate{}
	for place, c := range f.candidates {
		if c.key == "" && c.count <= 0 {
			unknown[place] = c
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	p := f.pass(fewestCells, false)
	p.candidates = unknown
	if err := f.scan(ctx, p, FindingKeys, false); err != nil {
		return err
	}
	for place, c := range unknown {
		c.rule, c.exists, c.holders, c.more = nil, false, nil, 0
		if c.key == "" {
			f.known[place] = true
			delete(f.candidates, place) // gone since
		}
	}
	return nil
}

// learn judges the layout again by what a whole reading has met, and by what the look
// has found to hold the values of locks that no account claims.
func (f *followUp) learn() {
	if f.o.Candidates == nil || f.settled {
		f.t.Fit.LearnShapes(f.search)
	}
	if !f.part.all() {
		return // what a part of the keys says of all of them is no count
	}
	missing, twice, foreign, reserved := map[*layout.Constraint]int{}, map[*layout.Constraint]int{}, map[*layout.Constraint]int{}, map[*rule]int{}
	for _, c := range f.candidates {
		c.mu.Lock()
		if c.rule != nil && len(c.holders) == 0 && c.exists && c.reserved(asOf(f.run)) {
			reserved[c.rule.first]++
		}
		if c.rule != nil && len(c.holders) > 0 {
			con := c.rule.Constraint
			if !c.exists {
				missing[con]++
			}
			twice[con] += len(c.holders) - 1 + int(c.more)
			if c.owner() != "" {
				rel := c.relation(f.codec)
				if !slices.ContainsFunc(c.accounts(f.sources[0]), func(a dynamo.Account) bool { return f.t.Match.Names(rel, &a) }) {
					foreign[con]++
				}
			}
		}
		c.mu.Unlock()
	}
	for _, of := range f.rules.all {
		tally, con := f.count.of[of.at], of.Constraint
		locked := f.locked(of, twice, missing)
		f.t.Fit.Learn(con, func(e *layout.Evidence) {
			e.Whole, e.Items, e.Accounts = true, int(f.summary.Items), int(f.count.accounts)
			e.Claims, e.Locks = int(tally.calls), max(int(f.count.of[of.first.at].locks)-reserved[of.first], 0)
			e.Values = max(e.Claims-twice[con], 0)
			e.Locked = max(e.Values-missing[con], 0)
			e.Unclaimed, e.UnclaimedOf = max(e.Locks-locked, 0), e.Locks
			if of.first.owned {
				e.Met, e.MetRight = e.Locked, max(e.Locked-foreign[con], 0)
			}
		})
	}
	if f.o.Candidates == nil || f.settled {
		f.t.Fit.LearnSightings(f.search, f.mayBeUnclaimed)
	}
	for _, of := range f.rules.all {
		if f.t.Fit.Of(of.Constraint).Standing() == layout.Contradicted {
			f.misfit(of, f.remark)
		}
		if say := f.t.Fit.SayRival(of.Constraint); say != "" {
			f.remark("no finding of %s is confirmed: %s %s", of.Name, f.t.Fit.Of(of.Constraint).Why(), say)
		}
	}
}
