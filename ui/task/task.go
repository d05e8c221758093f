// Package task runs what the inspector does besides taking keys: it hands out contexts
// that end with the program, gives results back in Update, and drops those that were
// overtaken. It knows nothing of what runs. Start reading at Start.
package task

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Kind is what a task is for. At most one of each kind runs: a new one replaces the
// old, whose result is dropped.
type Kind int

// The kinds.
const (
	Opening    Kind = iota // a table
	Paging                 // the next page of it
	Confirming             // the second look
	Finding                // who holds a value
	Listing                // the tables
	Polling                // the counters
	Fetching               // an item
	Recalling              // the journal
	Loading                // one change of it
	Tracing                // what was done to one item
	Sorting                // what was read
	Checking               // the whole table
	Saving                 // its findings, to a file
	Planning               // a change
	Changing
	Describing // a layout
	Watching   // a released value, until somebody takes it
	Querying   // the items of a partition
	Comparing  // the accepted layout with what a sample shows
	Filtering  // the accounts that were read
	FilteringLocks
	Kinds
)

// Each is the kind of what is done in the background for each of several, by their numbers:
// nobody waits for it.
func Each(n int) Kind { return Kinds + Kind(n) }

// background reports whether no key asked for the task: ctrl+c does not stop at it.
func (k Kind) background() bool {
	switch k {
	case Confirming,
		Polling,
		Paging,
		Recalling,
		Loading,
		Tracing,
		Sorting,
		Checking,
		Watching,
		Comparing,
		Filtering,
		FilteringLocks:
		return true
	}
	return false
}

// running is a task under way.
type running struct {
	id     uint64
	since  time.Time
	cancel context.CancelFunc
}

// Tasks are the tasks of a program. It is used in Update only, but for Close.
type Tasks struct {
	root    context.Context //nolint:containedctx // the program's own lifetime
	end     context.CancelFunc
	now     func() time.Time
	last    uint64
	running map[Kind]*running
	mu      sync.Mutex
	closed  bool
	wg      sync.WaitGroup
}

// New has tasks end with the context.
func New(ctx context.Context, now func() time.Time) *Tasks {
	root, end := context.WithCancel(ctx)
	return &Tasks{root: root, end: end, now: now, running: map[Kind]*running{}}
}

// Done is the message that brings a result home.
type Done struct {
	kind  Kind
	id    uint64
	Apply func() tea.Cmd
}

// Start runs work in the background and gives its result to done, in Update,
// unless another task of the kind has begun meanwhile.
func Start[T any](t *Tasks, k Kind, work func(context.Context) (T, error), done func(T, error) tea.Cmd) tea.Cmd {
	if old := t.running[k]; old != nil {
		old.cancel()
	}
	ctx, cancel := context.WithCancel(t.root)
	t.last++
	id := t.last
	t.running[k] = &running{id: id, since: t.now(), cancel: cancel}
	return func() tea.Msg {
		defer cancel()
		if !t.enter() {
			return nil
		}
		defer t.wg.Done()
		result, err := work(ctx)
		return Done{k, id, func() tea.Cmd { return done(result, err) }}
	}
}

// Finish takes a result in. It reports false for one that was overtaken.
func (t *Tasks) Finish(m Done) bool {
	if t.running[m.kind] == nil || t.running[m.kind].id != m.id {
		return false
	}
	t.running[m.kind] = nil
	return true
}

// Since reports whether a task is under way, and since when.
func (t *Tasks) Since(k Kind) (time.Time, bool) {
	if t.running[k] == nil {
		return time.Time{}, false
	}
	return t.running[k].since, true
}

// Cancel asks a task to end: its result comes all the same, as an error.
func (t *Tasks) Cancel(k Kind) bool {
	if t.running[k] == nil {
		return false
	}
	t.running[k].cancel()
	return true
}

// Drop cancels a task whose result nobody wants any more.
func (t *Tasks) Drop(k Kind) {
	if t.Cancel(k) {
		t.running[k] = nil
	}
}

// Interrupt cancels what somebody asked for and waits on; it reports whether
// there was any.
func (t *Tasks) Interrupt() bool {
	any := false
	for k := range Kinds {
		if !k.background() && t.Cancel(k) {
			any = true
		}
	}
	return any
}

// enter registers running work, unless the program is over.
func (t *Tasks) enter() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.wg.Add(1)
	return true
}

// Close ends all work and waits for it.
func (t *Tasks) Close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.end()
	t.wg.Wait()
}

// Later is the message of a moment that was waited for.
type Later struct{ Apply func() tea.Cmd }

// After calls apply, in Update, when d has passed.
func (t *Tasks) After(d time.Duration, apply func() tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		if !t.enter() {
			return nil
		}
		defer t.wg.Done()
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-t.root.Done():
			return nil
		case <-timer.C:
			return Later{apply}
		}
	}
}

// Stream is Start for work that reports as it goes on. A report that finds the
// screen busy is dropped: the next one, or the result, says more.
func Stream[T, P any](
	t *Tasks, k Kind, work func(context.Context, func(P)) (T, error), progress func(P), done func(T, error) tea.Cmd,
) tea.Cmd {
	news := make(chan P, 256)
	start := Start(t, k, func(ctx context.Context) (T, error) {
		defer close(news)
		return work(ctx, func(p P) {
			select {
			case news <- p:
			default:
			}
		})
	}, done)
	id := t.last
	var listen func() tea.Msg
	listen = func() tea.Msg {
		if !t.enter() {
			return nil
		}
		defer t.wg.Done()
		select {
		case <-t.root.Done():
			return nil
		case p, ok := <-news:
			if !ok {
				return nil
			}
			return Later{func() tea.Cmd {
				if now := t.running[k]; now != nil && now.id != id {
					return nil // overtaken
				}
				progress(p)
				return listen
			}}
		}
	}
	return tea.Batch(start, listen)
}
