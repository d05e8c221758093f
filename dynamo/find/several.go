package find

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// SeveralOptions limit a search for several values.
type SeveralOptions struct {
	// Scan allows reading the whole table. It is read at most once. MaxUnits limits the read units of this sweep; 0 means
	// no limit.
	Scan     bool
	MaxUnits float64
	// Agreed allows point reads of more than AutoReadUnits, because a person has seen their price. A sweep without Scan
	// then has AutoReadUnits of its own.
	Agreed bool
	// Near adds a search for look-alikes; see Options.
	Near bool
	// Scope has the values of variables in lock keys; see Options.
	Scope map[string]string
}

// Progress is the state of a search for several values.
type Progress struct {
	// Answers has the answers in the order of the values. An answer is nil until it is found.
	Answers []*Answer
	Found   int     // the number of answers
	Read    int     // the number of values whose locks were read
	Units   float64 // the read units consumed so far
	Part    float64 // the part of the table that the sweep has read, from 0 to 1
	// Limited is true if the search stopped at AutoReadUnits, before all values were read.
	Limited bool
}

// SeveralCost estimates the read units of a search for several values: by key, and for a sweep of the whole table.
// It reads nothing.
func SeveralCost(t *dynamo.Table, values []string, scope map[string]string) (byKey, sweep float64) {
	for _, v := range values {
		s := newSearch(t, v)
		s.scope = scope
		s.begin()
		byKey += s.cost()
	}
	return byKey, dynamo.AccountsCost(t).Units
}

// cost estimates the read units of a search's reads by key.
func (s *search) cost() (units float64) {
	units = float64(len(s.ids()))
	for _, c := range slices.Concat(s.candidates, s.scoped, s.lockless) {
		if c.rel.Impossible == nil && !c.rel.Constraint.Lockless() {
			units += float64(len(c.rel.Constraint.Forms(c.rel.Lock.Key)))
		}
		if dynamo.IndexOf(s.t, c.rel.Constraint) != "" {
			units++
		}
	}
	const transaction, keys = 2, 2 // usually one lock is in use, and is read with its account
	most := 0
	for _, kind := range s.t.Layout.Accounts {
		most = max(most, len(kind.Constraints))
	}
	return units + transaction*keys*float64(most)
}

// Several finds several values, each like Find. All values that need the whole table share one sweep. Several calls
// report after each step, from one goroutine at a time. After an error, it returns the answers so far.
func Several(
	ctx context.Context, t *dynamo.Table, values []string, o SeveralOptions, report func(Progress),
) (Progress, error) {
	l := &several{t: t, o: o, report: report, values: values, waiting: make([]*finding, len(values))}
	l.state.Answers = make([]*Answer, len(values))
	if err := dynamo.CheckScope(t, "finding several values", o.Scope); err != nil {
		return l.state, err
	}
	err := l.each(ctx, l.readOne)
	if err == nil {
		err = l.sweep(ctx)
	}
	if client.KindOf(err) == client.Cancelled && err != nil {
		l.keep(ctx)
	}
	return l.state, err
}

// several is the work on several values.
type several struct {
	t       *dynamo.Table
	o       SeveralOptions
	values  []string
	waiting []*finding // for each value, the work that needs a sweep; nil if it needs none
	report  func(Progress)

	mu    sync.Mutex // guards state, and calls of report
	state Progress
}

// each calls do for the index of each value, from several goroutines. It stops at the first error.
func (l *several) each(ctx context.Context, do func(ctx context.Context, n int) error) error {
	const atOnce = 4
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for n := range l.values {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return do(ctx, n)
		})
	}
	return group.Wait()
}

// readOne reads the locks of a value. If the locks give the answer, readOne stores it. Otherwise the value waits for
// the sweep.
func (l *several) readOne(ctx context.Context, n int) error {
	if layout.TrimPasted(l.values[n]) == "" || l.spent() {
		return nil
	}
	start := time.Now()
	f := newFinding(newSearch(l.t, l.values[n]))
	f.scope = l.o.Scope
	if err := f.ask(ctx, l.o.Near); err != nil {
		l.change(func(state *Progress) { state.Units += f.r.Units })
		return err
	}
	if f.needsSweep(l.o.Scan) && (l.o.Scan || dynamo.Affordable(l.t)) {
		l.waiting[n] = f
		l.change(func(state *Progress) { state.Read, state.Units = state.Read+1, state.Units+f.r.Units })
		return nil
	}
	a, err := f.conclude(ctx, start)
	l.change(func(state *Progress) {
		state.Units += f.r.Units
		if err == nil {
			state.Read++
			state.take(n, a)
		}
	})
	return err
}

// spent reports whether the search has reached its limit of read units.
func (l *several) spent() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.o.Agreed && l.state.Units >= l.t.Connection().AutoReadUnits() {
		l.state.Limited = true
	}
	return l.state.Limited
}

// change changes the state, and reports it.
func (l *several) change(do func(state *Progress)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do(&l.state)
	now := l.state
	now.Answers = slices.Clone(now.Answers)
	l.report(now)
}

// keep answers the values that still wait for the sweep, if the items read so far are enough. ctx is cancelled.
func (l *several) keep(ctx context.Context) {
	for n, f := range l.waiting {
		if f == nil || l.state.Answers[n] != nil {
			continue
		}
		f.whole.all = nil // the next sweep starts again
		if a, err := f.conclude(ctx, time.Now()); err == nil {
			l.state.take(n, a)
		}
	}
}

func (s *Progress) take(n int, a *Answer) {
	a.work = nil // a later question cannot continue a sweep for several values
	s.Answers[n] = a
	s.Found++
}

// sweep reads the whole table once for all values that need it, and stores their answers.
func (l *several) sweep(ctx context.Context) error {
	whole := &accountSweep{t: l.t, r: l.t.Connection().Reader(), apart: l.o.Agreed, most: l.o.MaxUnits}
	for _, f := range l.waiting {
		if f != nil {
			f.join(whole)
		}
	}
	if len(whole.searches) == 0 {
		return nil
	}
	if !l.o.Agreed {
		whole.r.Units = l.state.Units // reads by key count for the limit, too
	}
	before := whole.r.Units
	whole.paged = func() {
		part := min(float64(whole.all.Bytes)/float64(max(l.t.Bytes, 1)), 1)
		l.change(func(state *Progress) {
			state.Units, state.Part = state.Units+whole.r.Units-before, part
			before = whole.r.Units
		})
	}
	start := time.Now()
	if err := whole.read(ctx, l.o.Scan); err != nil {
		return err
	}
	l.state.Units += whole.r.Units - before
	if !whole.swept {
		whole.all = nil // the next sweep starts again
	}
	return l.each(ctx, func(ctx context.Context, n int) error {
		f := l.waiting[n]
		if f == nil {
			return nil
		}
		before := f.r.Units
		a, err := f.conclude(ctx, start)
		l.change(func(state *Progress) {
			state.Units += f.r.Units - before
			if err == nil {
				state.take(n, a)
			}
		})
		return err
	})
}
