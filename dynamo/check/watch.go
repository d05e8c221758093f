package check

import (
	"context"
	"slices"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// readLocks reads the locks of some suspects, strongly consistent.
func (l *look) readLocks(ctx context.Context, wanted func(*suspect) bool) error {
	byTable := map[*source][]*suspect{}
	for _, s := range l.suspects {
		if wanted(s) {
			byTable[s.from] = append(byTable[s.from], s)
		}
	}
	for from, all := range byTable {
		for some := range slices.Chunk(all, 100) {
			var keys []attr.Key
			for _, s := range some {
				keys = append(keys, s.key)
			}
			found, err := l.c.witness.Read(ctx, from.name, keys)
			if err != nil {
				return err
			}
			now := time.Now()
			for _, s := range some {
				s.reading(l.c, found[s.key.ID()], now)
			}
		}
	}
	return nil
}

// watchable reports whether reading the lock can tell anything more.
func (s *suspect) watchable() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known() && !s.gone && !s.judged
}

// reading takes in what a strongly consistent read found at the lock's key.
func (s *suspect) reading(c *checker, item attr.Item, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.judged {
		return
	}
	if s.first.IsZero() {
		s.first = now
		if item == nil {
			s.gone = true
			return
		}
		role := c.t.Layout.Classify(c.t.Name, s.from.name, s.from.schema, item)
		if role.Constraint == nil {
			s.gone = true // something else has taken its key
			return
		}
		s.bad = role.Malformed && !layout.Nonsense(role.Value)
		s.take(c, role, item)
		s.print = c.secret.item(item)
	}
	if item == nil || s.print != c.secret.item(item) {
		s.gone = true
	}
	s.readings++
	s.last = now
}

// watch reads the suspects' locks now and then, from before the wait to the end
// of the look: a value that is given up and taken again leaves its lock absent
// for a moment. Calling what it returns ends it.
func (l *look) watch(ctx context.Context) (end func() error) {
	units, locks := float64(watchUnits), float64(len(l.suspects))
	if rate := l.c.witness.Rate; rate > 0 {
		units = min(units, rate/watchShare)
	}
	every := max(watchEvery, time.Duration(locks/units*float64(time.Second)))
	l.watching = locks / every.Seconds()
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				done <- nil
				return
			case <-ticker.C:
				if err := l.readLocks(ctx, (*suspect).watchable); err != nil && ctx.Err() == nil {
					done <- err
					return
				}
			}
		}
	}()
	return func() error {
		cancel()
		return <-done
	}
}

// watchEvery is how often a lock under suspicion is read while the accounts are
// looked at, and watchUnits how many units a second that may take, or one part in
// watchShare of the pace: of very many locks each is read less often.
const (
	watchEvery = 5 * time.Second
	watchUnits = 100
	watchShare = 4
)

// linger reads the locks that nobody was seen to call for some times more, where
// other locks were given up or taken during the look: those may have moved from an
// account that was not read yet to one that had been. An orphan stays as it is; what
// moves is absent now and then. It ends when nothing has been absent for a while.
func (l *look) linger(ctx context.Context) error {
	left, others := l.forlorn()
	if !l.settled || l.moved+others == 0 {
		return nil
	}
	most := max(leastLingering, Estimate(l.c.t, l.c.o).Again/10)
	l.c.enter(stage{what: "watching what is left"})
	defer l.c.leave()
	for calm, n := 0, 0; left > 0 && calm < min(max(int(most)/left, leastCalm), mostCalm); n++ {
		if n == mostLingering {
			l.restless = true
			return nil
		}
		if err := pause(ctx, lingerEvery); err != nil {
			return err
		}
		if err := l.readLocks(ctx, (*suspect).forlorn); err != nil {
			return err
		}
		before := left
		left, _ = l.forlorn()
		if calm++; left < before {
			calm = 0
		}
	}
	return nil
}

// forlorn counts the locks that are there still and that nobody was seen to call
// for, and those that turned out otherwise.
func (l *look) forlorn() (left, moved int) {
	for _, s := range l.suspects {
		switch {
		case s.forlorn():
			left++
		case s.count < 0:
			moved++
		}
	}
	return left, moved
}

// lingerEvery is how long to wait before locks are read once more. Nothing may have
// been absent for leastCalm to mostCalm readings, as many as leastLingering units or
// a tenth of the look pay for; after mostLingering readings it is given up.
const (
	lingerEvery    = 250 * time.Millisecond
	leastCalm      = 3
	mostCalm       = 40
	mostLingering  = 200
	leastLingering = 1000
)

// forlorn reports whether the lock is there still, and nobody was seen to call for
// it.
func (s *suspect) forlorn() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count < 0 && s.known() && s.rel != nil && !s.gone && !s.judged && len(s.claimants) == 0
}
