package check

import (
	"context"
	"slices"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// readLocks reads the locks of some candidates, strongly consistent.
func (f *followUp) readLocks(ctx context.Context, wanted func(*candidate) bool) error {
	for from, all := range f.codec.byTable(f.candidates, wanted) {
		for some := range slices.Chunk(all, 100) {
			keys := make([]attr.Key, len(some))
			for n, c := range some {
				_, keys[n] = f.codec.key(c.key)
			}
			found, err := f.consistent.Read(ctx, from.name, keys)
			if err != nil {
				return err
			}
			now := time.Now()
			for n, c := range some {
				c.read(f.run, from, found[keys[n].ID()], now)
			}
		}
	}
	return nil
}

// watch reads the candidates' locks now and then, from before the wait to the end
// of the look: a value that is given up and taken again leaves its lock absent
// for a moment. Calling what it returns ends it.
func (f *followUp) watch(ctx context.Context) (end func() error) {
	units, locks := float64(watchUnits), float64(len(f.candidates))
	if rate := f.consistent.Rate; rate > 0 {
		units = min(units, rate/watchShare)
	}
	every := max(watchEvery, time.Duration(locks/units*float64(time.Second)))
	f.watching = locks / every.Seconds()
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
				if err := f.readLocks(ctx, (*candidate).watchable); err != nil && ctx.Err() == nil {
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

// watchEvery is how often a candidate lock is read while the accounts are
// looked at, and watchUnits how many units a second that may take, or one part in
// watchShare of the pace: of very many locks each is read less often.
const (
	watchEvery = 5 * time.Second
	watchUnits = 100
	watchShare = 4
)

// settle waits until every transaction that was under way when the locks were
// read is visible.
func (f *followUp) settle(ctx context.Context) error {
	w := f.t.Connection().Settle()
	f.enter(stage{Stage: Waiting, until: time.Now().Add(w)})
	defer f.leave()
	f.settled = true
	return pause(ctx, w)
}

// rePoll reads the locks that nobody was seen to claim some times more, where
// other locks were given up or taken during the look: those may have moved from an
// account that was not read yet to one that had been. An orphan stays as it is; what
// moves is absent now and then. It ends when nothing has been absent for a while.
func (f *followUp) rePoll(ctx context.Context) error {
	left, others := f.unclaimed()
	if !f.settled || f.moved+others == 0 {
		return nil
	}
	most := rePollUnits(f.cost)
	f.enter(stage{Stage: RePolling})
	defer f.leave()
	for calm, n := 0, 0; left > 0 && calm < min(max(int(most)/left, leastCalm), mostCalm); n++ {
		if n == mostRePolls {
			f.unstable = true
			return nil
		}
		if err := pause(ctx, rePollEvery); err != nil {
			return err
		}
		if err := f.readLocks(ctx, (*candidate).unclaimed); err != nil {
			return err
		}
		before := left
		left, _ = f.unclaimed()
		if calm++; left < before {
			calm = 0
		}
	}
	return nil
}

// unclaimed counts the locks that are there still and that nobody was seen to call
// for, and those that turned out otherwise.
func (f *followUp) unclaimed() (left, moved int) {
	for _, c := range f.candidates {
		switch {
		case c.unclaimed():
			left++
		case c.count < 0:
			moved++
		}
	}
	return left, moved
}

// rePollEvery is how long to wait before locks are read once more. Nothing may have
// been absent for leastCalm to mostCalm readings, as many as leastRePollUnits units or
// a tenth of the look pay for; after mostRePolls readings it is given up.
const (
	rePollEvery      = 250 * time.Millisecond
	leastCalm        = 3
	mostCalm         = 40
	mostRePolls      = 200
	leastRePollUnits = 1000
)

// rePollUnits is about how many units reading locks once more may take.
func rePollUnits(cost Cost) float64 { return max(leastRePollUnits, cost.Again/10) }

// pause waits, or ends with the context.
func pause(ctx context.Context, d time.Duration) error {
	if client.Pause(ctx, d) == nil {
		return nil
	}
	return &client.Error{
		Kind: client.Cancelled,
		Op:   "the check",
		Why:  "stopped before it was done",
		Err:  context.Cause(ctx),
	}
}
