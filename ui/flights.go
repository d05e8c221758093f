package ui

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// errand is what a piece of work in flight is for. There is at most one of each:
// a new one replaces the old, whose result is dropped when it lands.
type errand int

const (
	opening    errand = iota // a table
	paging                   // the next page of it
	confirming               // the second look
	finding
	listing   // the tables
	sizing    // what the tables hold
	polling   // the counters
	fetching  // an item
	recalling // the journal
	loading   // one change of it
	tracing   // what was done to one item
	sorting   // what was read
	checking  // the whole table
	saving    // its findings, to a file
	planning  // a change
	changing
	errands
)

// background errands were not asked for by a key: ctrl+c does not stop at them.
func (e errand) background() bool {
	return e == confirming || e == polling || e == sizing || e == paging || e == recalling || e == loading || e == tracing || e == sorting || e == checking
}

// flight is one piece of work under way.
type flight struct {
	id     uint64
	since  time.Time
	cancel context.CancelFunc
}

// flights is the one guard of everything asynchronous: it hands out contexts
// that end with the program, numbers what it sends so that overtaken results are
// dropped, cancels, and at the end waits until nothing is left running.
type flights struct {
	root   context.Context //nolint:containedctx // the program's own lifetime
	end    context.CancelFunc
	now    func() time.Time
	last   uint64
	air    [errands]*flight
	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
}

func newFlights(ctx context.Context, now func() time.Time) *flights {
	root, end := context.WithCancel(ctx)
	return &flights{root: root, end: end, now: now}
}

// landed is the message that brings a result home.
type landed struct {
	errand errand
	id     uint64
	apply  func() tea.Cmd
}

// send runs work in the background and gives its result to done, in Update,
// unless another errand of the kind has begun meanwhile.
func send[T any](f *flights, e errand, work func(context.Context) (T, error), done func(T, error) tea.Cmd) tea.Cmd {
	if old := f.air[e]; old != nil {
		old.cancel()
	}
	ctx, cancel := context.WithCancel(f.root)
	f.last++
	id := f.last
	f.air[e] = &flight{id: id, since: f.now(), cancel: cancel}
	return func() tea.Msg {
		defer cancel()
		if !f.enter() {
			return nil
		}
		defer f.wg.Done()
		result, err := work(ctx)
		return landed{e, id, func() tea.Cmd { return done(result, err) }}
	}
}

// land takes a result in. It reports false for one that was overtaken.
func (f *flights) land(m landed) bool {
	if f.air[m.errand] == nil || f.air[m.errand].id != m.id {
		return false
	}
	f.air[m.errand] = nil
	return true
}

// busy reports whether an errand is under way, and since when.
func (f *flights) busy(e errand) (time.Time, bool) {
	if f.air[e] == nil {
		return time.Time{}, false
	}
	return f.air[e].since, true
}

// cancel asks an errand to end. Its result still lands, and says so.
func (f *flights) cancel(e errand) bool {
	if f.air[e] == nil {
		return false
	}
	f.air[e].cancel()
	return true
}

// drop cancels an errand whose result nobody wants any more.
func (f *flights) drop(e errand) {
	if f.cancel(e) {
		f.air[e] = nil
	}
}

// interrupt cancels what somebody asked for and waits on; it reports whether
// there was any.
func (f *flights) interrupt() bool {
	any := false
	for e := range errands {
		if !e.background() && f.cancel(e) {
			any = true
		}
	}
	return any
}

// enter registers running work, unless the program is over.
func (f *flights) enter() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	f.wg.Add(1)
	return true
}

// close ends all work and waits for it.
func (f *flights) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.end()
	f.wg.Wait()
}

// later is the message of a moment that was waited for.
type later struct{ apply func() tea.Cmd }

// after calls apply, in Update, when d has passed.
func (f *flights) after(d time.Duration, apply func() tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		if !f.enter() {
			return nil
		}
		defer f.wg.Done()
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-f.root.Done():
			return nil
		case <-timer.C:
			return later{apply}
		}
	}
}

// stream is send for work that reports as it goes on. A report that finds the
// screen busy is dropped: the next one, or the result, says more.
func stream[T, P any](f *flights, e errand, work func(context.Context, func(P)) (T, error), progress func(P), done func(T, error) tea.Cmd) tea.Cmd {
	news := make(chan P, 256)
	start := send(f, e, func(ctx context.Context) (T, error) {
		defer close(news)
		return work(ctx, func(p P) {
			select {
			case news <- p:
			default:
			}
		})
	}, done)
	id := f.last
	var listen func() tea.Msg
	listen = func() tea.Msg {
		if !f.enter() {
			return nil
		}
		defer f.wg.Done()
		select {
		case <-f.root.Done():
			return nil
		case p, ok := <-news:
			if !ok {
				return nil
			}
			return later{func() tea.Cmd {
				if now := f.air[e]; now != nil && now.id != id {
					return nil // overtaken
				}
				progress(p)
				return listen
			}}
		}
	}
	return tea.Batch(start, listen)
}
