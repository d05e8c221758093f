// Package task runs work in the background. It cancels all contexts when the program ends, delivers
// results in Update, and drops the results of replaced tasks. It knows nothing about the work
// itself. Start reading at Start.
package task

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Kind is the purpose of a task. At most one task of each kind runs: a new task replaces the old
// one, whose result is dropped.
type Kind int

// The kinds.
const (
	Opening        Kind = iota // a table
	Paging                     // the next page of the open table
	Confirming                 // the second look at provisional verdicts
	Finding                    // who holds a value
	FindingSeveral             // who holds several values
	Listing                    // the tables of a connection
	Polling                    // the counters
	Fetching                   // an item
	Recalling                  // the journal
	Loading                    // one change of the journal
	Tracing                    // the journal's records of one item
	Explaining                 // the past of a value
	Sorting                    // the rows that were read
	Checking                   // the whole table, for findings
	Saving                     // a list or a plan, to a file
	Planning                   // a change
	Changing
	Describing // a layout
	Watching   // a released value, until somebody takes it
	Querying   // the items of a partition
	Following  // the config, which may describe the open table differently
	Comparing  // the layout with the one that a larger sample shows
	Filtering  // the accounts that were read
	FilteringLocks
	Connecting // with another AWS profile or in another Region
	Profiling  // the names of the AWS profiles
	Adopting   // a phase of an adoption
	Queueing   // the queue of plans
	Deciding   // a plan of the queue
	Kinds
)

// Each returns the kind of background work that runs once for each of several things, such as
// connections. n is the index of the thing.
func Each(n int) Kind { return Kinds + Kind(n) }

// background reports whether nobody waits for tasks of the kind, so that ctrl+c does not cancel
// them.
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
		Following,
		Comparing,
		Filtering,
		FilteringLocks,
		Queueing,
		Profiling:
		return true
	}
	return false
}

// running holds the state of a running task.
type running struct {
	id     uint64
	since  time.Time
	cancel context.CancelFunc
}

// Tasks holds the running tasks of a program. Only Update uses it; Close is the exception.
type Tasks struct {
	root    context.Context //nolint:containedctx // the program's own lifetime
	end     context.CancelFunc
	lasting context.Context //nolint:containedctx // of the kinds of Outlast
	halt    context.CancelFunc
	lasts   map[Kind]bool
	now     func() time.Time
	last    uint64
	running map[Kind]*running
	mu      sync.Mutex
	closed  bool
	wg      sync.WaitGroup
}

// New returns Tasks without any task. All tasks end with ctx, except the tasks of Outlast.
func New(ctx context.Context, now func() time.Time) *Tasks {
	root, end := context.WithCancel(ctx)
	lasting, halt := context.WithCancel(context.WithoutCancel(ctx))
	return &Tasks{
		root: root, end: end, lasting: lasting, halt: halt, lasts: map[Kind]bool{}, now: now, running: map[Kind]*running{},
	}
}

// Outlast lets tasks of a kind run on when the program ends. Close waits for them, and Halt cancels them.
func (t *Tasks) Outlast(k Kind) { t.lasts[k] = true }

// Halt cancels the tasks of the kinds of Outlast.
func (t *Tasks) Halt() { t.halt() }

// Done is the message that delivers a task's result to Update.
type Done struct {
	kind  Kind
	id    uint64
	Apply func() tea.Cmd
}

// Start runs work in the background, and calls done with the result, in Update. If another task of the kind starts
// before that, done is not called.
func Start[T any](t *Tasks, k Kind, work func(context.Context) (T, error), done func(T, error) tea.Cmd) tea.Cmd {
	if old := t.running[k]; old != nil {
		old.cancel()
	}
	root := t.root
	if t.lasts[k] {
		root = t.lasting
	}
	ctx, cancel := context.WithCancel(root)
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

// Finish accepts the result of a task. It reports false if another task has replaced that one.
func (t *Tasks) Finish(m Done) bool {
	if t.running[m.kind] == nil || t.running[m.kind].id != m.id {
		return false
	}
	t.running[m.kind] = nil
	return true
}

// Since reports whether a task of the kind is running, and since when.
func (t *Tasks) Since(k Kind) (time.Time, bool) {
	if t.running[k] == nil {
		return time.Time{}, false
	}
	return t.running[k].since, true
}

// Cancel cancels a task. Its result still arrives, as an error. Cancel reports whether there was
// one.
func (t *Tasks) Cancel(k Kind) bool {
	if t.running[k] == nil {
		return false
	}
	t.running[k].cancel()
	return true
}

// Drop cancels a task, and drops its result.
func (t *Tasks) Drop(k Kind) {
	if t.Cancel(k) {
		t.running[k] = nil
	}
}

// Interrupt cancels the tasks that a person asked for and waits for. It reports whether there was
// one.
func (t *Tasks) Interrupt() bool {
	any := false
	for k := range Kinds {
		if !k.background() && t.Cancel(k) {
			any = true
		}
	}
	return any
}

// enter counts running work for Close. It reports false once the program has ended.
func (t *Tasks) enter() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.wg.Add(1)
	return true
}

// Close cancels all work except the tasks of Outlast, and waits until all work has ended.
func (t *Tasks) Close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.end()
	t.wg.Wait()
	t.halt()
}

// Later is the message that runs Apply in Update, after a wait or for a progress report.
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

// Stream is Start for work that reports its progress. Reports are dropped while 256 of them wait:
// the next one, or the result, says more.
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
					return nil // another task has replaced this one
				}
				progress(p)
				return listen
			}}
		}
	}
	return tea.Batch(start, listen)
}
