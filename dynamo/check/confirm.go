package check

import (
	"context"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// look is how the suspects of a pass are followed up: docs/truth.md §3a.
type look struct {
	c        *checker
	share    share // of the keys that are suspects
	suspects map[uint64]*suspect
	twice    *collector
	search   *dynamo.ClaimScan
	// began and ended say when every account was read, and accounts how many.
	began, ended time.Time
	accounts     int64
	held         time.Duration // before it began
	// settled: the look began only after everything had settled, and the locks
	// were watched.
	settled bool
	// watching is how many units a second the watch takes.
	watching float64
	// moved counts what was given up or taken since the first reading.
	moved int
	// restless: locks that looked like orphans kept turning out to be none.
	restless bool
	// many says of a constraint that very many of its locks are orphaned, folds that its
	// values may be folded by the application.
	many, folds map[*layout.Constraint]string
	bare        map[*layout.Constraint]string // that very many of its values have no lock
}

// followUp finds the items of what is left over, and makes sure of it. Looking
// again leaves something over, too: what the first pass did not see because it
// changed at that moment.
func (c *checker) followUp(ctx context.Context, suspects map[uint64]*suspect, of share) error {
	known := map[uint64]bool{}
	var twice *collector
	if c.seen != nil && len(c.seen.twice) > 0 {
		twice = &collector{set: c.seen, items: map[string]*carried{}}
	}
	for round := 1; len(suspects) > 0 || twice != nil; round++ {
		l := &look{c: c, share: of, suspects: suspects, twice: twice, held: c.o.Gate.Held()}
		left, err := l.run(ctx)
		if err != nil {
			l.giveUp()
			return err
		}
		if twice != nil {
			if err := c.twins(ctx, twice); err != nil {
				return err
			}
			twice, c.seen = nil, nil
		}
		for place := range suspects {
			known[place] = true
		}
		next := c.suspectsOf(left, known)
		for place, s := range next {
			// A lock without an account that only this look has met is younger than
			// the check: an orphan stays as it is.
			if s.count < 0 {
				delete(next, place)
			}
		}
		if len(next) > 0 && (round == mostLooks || Estimate(c.t, c.o).Again > c.t.Connection().AutoReadUnits()) {
			c.summary.Unsettled += len(next)
			return nil
		}
		suspects = next
	}
	return nil
}

// mostLooks is how often a table is looked at for what only turned up on a look.
const mostLooks = 3

// run looks for the items of the suspects and judges them. It answers what this
// reading of the table leaves over.
func (l *look) run(ctx context.Context) ([]remainder, error) {
	c := l.c
	c.follow(len(l.suspects))
	if c.o.Confirm != ConfirmNone {
		if err := l.readAhead(ctx); err != nil {
			return nil, err
		}
		if c.follow(len(l.suspects)); len(l.suspects) == 0 && l.twice == nil {
			return nil, nil
		}
	}
	watched := func() error { return nil }
	if c.o.Confirm == ConfirmFull && len(l.suspects) > 0 {
		watched = l.watch(ctx)
		if err := l.settle(ctx); err != nil {
			_ = watched()
			return nil, err
		}
	}
	var rels []*dynamo.Relation
	for _, s := range l.suspects {
		if s.rel != nil && s.rel.Lock.Exists && s.count < 0 { // it may be nobody's
			rels = append(rels, s.rel)
		}
	}
	l.search = c.t.ClaimScan(rels...)
	if c.o.Confirm != ConfirmNone && len(l.suspects) > 0 {
		l.search.CompareShapes()
	}
	z := sizesFor(c.o.Memory, 0)
	cells := min(max(z.most, 2*len(l.suspects)), max(leastCells, 4*len(l.suspects))) // they and what moves meanwhile
	p := c.pass(z.of(cells, c.o.Memory), l.share)
	p.suspects, p.search, p.twice, p.now, p.beside = l.suspects, l.search, l.twice, l.settled, l.watching
	p.whole = !l.search.Empty()
	p.owners = map[string][]*suspect{}
	for _, s := range l.suspects {
		if s.owner != "" {
			p.owners[s.owner] = append(p.owners[s.owner], s)
		}
	}
	l.began = time.Now()
	err := c.scan(ctx, p, "looking again", l.settled && c.o.Look == Strong)
	l.ended = time.Now()
	var left []remainder
	if err == nil {
		left = l.leaves(p)
		l.accounts = p.count.accounts
		err = l.linger(ctx)
	}
	if err == nil {
		l.learn(rels)
		err = l.judge(ctx)
	}
	if ended := watched(); err == nil {
		err = ended
	}
	return left, err
}

// leaves is what the look's own reading leaves over. What is not among the suspects
// has moved since.
func (l *look) leaves(p *pass) []remainder {
	if p.join == nil {
		return nil
	}
	left, whole := p.join.sum().decode()
	for _, r := range left {
		if l.suspects[r.place] == nil {
			l.moved++
		}
	}
	if !whole {
		l.moved++
		l.c.remark("so many values changed while the accounts were looked at again that what did not fit only then was not followed up: check again while less is written, or with more --memory")
		return nil
	}
	return left
}

// readAhead reads the suspects' locks. Those that are gone are suspects no more,
// unless an account calls for them.
func (l *look) readAhead(ctx context.Context) error {
	if l.c.o.Confirm == ConfirmFull {
		if err := l.identify(ctx); err != nil {
			return err
		}
	}
	if err := l.readLocks(ctx, (*suspect).watchable); err != nil {
		return err
	}
	for place, s := range l.suspects {
		if s.known() && s.rel == nil && s.count < 0 {
			l.moved++
			delete(l.suspects, place)
		}
	}
	return nil
}

// settle waits until every transaction that was under way when the locks were
// read is visible.
func (l *look) settle(ctx context.Context) error {
	w := l.c.t.Connection().Settle()
	l.c.enter(stage{what: "waiting", until: time.Now().Add(w)})
	defer l.c.leave()
	l.settled = true
	return pause(ctx, w)
}

// identify finds the keys that the sketch did not give back, by one more pass.
func (l *look) identify(ctx context.Context) error {
	unknown := map[uint64]*suspect{}
	for place, s := range l.suspects {
		if !s.known() {
			unknown[place] = s
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	p := l.c.pass(sizes{cells: leastCells, copies: 1}, l.share)
	p.suspects = unknown
	if err := l.c.scan(ctx, p, "finding long keys", false); err != nil {
		return err
	}
	for place, s := range unknown {
		s.rel, s.claimants, s.more = nil, nil, 0
		if !s.known() {
			delete(l.suspects, place) // gone since
		}
	}
	return nil
}

// pause waits, or ends with the context.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return &client.Error{Kind: client.Cancelled, Op: "waiting for what is under way", Why: "stopped before it was done", Err: context.Cause(ctx)}
	case <-timer.C:
		return nil
	}
}
