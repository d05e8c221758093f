// Package reading reads the open table for the screens of accounts and of locks. It holds the rows, how far the table
// is read and judged, and the filter. It opens tables, and draws the states without rows. It knows no screen, and it
// knows the program only through the interface Program. Start reading at Reading; commands.go has the commands, and
// states.go the texts about the state.
package reading

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/browse"
	"tallylock/dynamo/client"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Reading is the reading of the open table, for both accounts and locks.
type Reading struct {
	Known
	Outdated bool // the table was changed after it was read
	lists    listers
	program  Program
	another  bool // the table being opened is not the table on the screen
}

// New returns a Reading without a table.
func New(s *session.Session, p Program) *Reading {
	return &Reading{Known: Known{Session: s}, program: p}
}

// ShowOn adds a screen that lists the rows. It returns the screen's Narrowing, which shows all rows at first. by is the
// kind of the tasks that filter many rows.
func (r *Reading) ShowOn(l Lister, noun string, list *kit.List, by task.Kind) Narrowing {
	r.lists = append(r.lists, l)
	return Narrowing{narrowed: narrowed{reading: r, on: l, noun: noun, list: list, by: by}}
}

// Close forgets all rows, because no table is open.
func (r *Reading) Close() {
	r.tableRead, r.Outdated = nil, false
	r.lists.reset()
}

// Start reads the open table from its beginning.
func (r *Reading) Start() tea.Cmd {
	r.tableRead = nil
	r.lists.reset()
	if !r.Table.Connection().ReadsUnasked() {
		r.tableRead = &tableRead{browser: browse.New(r.Table), began: r.Now(), stopped: true}
		return nil // the connection reads only on request
	}
	return r.Reread()
}

// Reread reads the open table again from its beginning. The earlier rows stay on the screen until
// the first page arrives.
func (r *Reading) Reread() tea.Cmd {
	r.Outdated = false
	r.Tasks.Drop(task.Paging)
	r.Tasks.Drop(task.Confirming)
	fresh := &tableRead{browser: browse.New(r.Table), began: r.Now(), stays: true}
	var lost bool
	if fresh.sought, lost = r.lists.sought(r.Table.Name); lost && r.tableRead != nil {
		fresh.sought = append(fresh.sought, r.tableRead.sought...)
	}
	fresh.browser.Include(fresh.sought)
	if old := r.tableRead; old != nil {
		fresh.page, fresh.read, fresh.old, fresh.filled = old.page, old.read, old.read, old.filled
		fresh.before, _ = r.Sure()
	}
	r.tableRead = fresh
	return r.readPage()
}

// readPage reads the next page.
func (r *Reading) readPage() tea.Cmd {
	b := r.tableRead
	b.stopped, b.paused, b.err, b.refused, b.whole = false, false, nil, false, 0
	if !b.small {
		b.small = b.browser.ReadOn()
	}
	paged := r.lists.paging(b.small) // only small tables are sorted: a list that grows under the cursor keeps its order
	all := b.all
	return b.step(r.Tasks, task.Paging, func(ctx context.Context) (page, error) {
		if all {
			b.browser.ReadAll()
		}
		return nextPage(ctx, b.browser, paged)
	}, func(p page, err error) tea.Cmd { return r.done(b, p, err) })
}

func (r *Reading) done(b *tableRead, p page, err error) tea.Cmd {
	if b != r.tableRead {
		return nil
	}
	b.err = err
	if err != nil {
		if client.KindOf(err) == client.Cancelled {
			b.stopped = true
			return nil
		}
		if b.read && !session.IsTransient(err) { // the rows leave no room for the error
			return r.Complain(say.Explain(err).String())
		}
		return r.Unreached(task.Paging, err, r.readPage)
	}
	others := r.Reached(task.Paging)
	renewed := r.fill(p)
	if !b.read || b.old {
		b.asked = p.view.Units
	}
	b.read, b.old = true, false
	return tea.Batch(others, renewed)
}

// confirm reads again to confirm provisional verdicts. It runs only for small tables, where this
// costs almost nothing.
func (r *Reading) confirm() tea.Cmd {
	b := r.tableRead
	b.again = true
	paged := r.lists.paging(true)
	return b.step(r.Tasks, task.Confirming, func(ctx context.Context) (page, error) {
		v, err := b.browser.Confirm(ctx)
		if err != nil {
			return page{}, err
		}
		return paged(v), nil
	}, func(p page, err error) tea.Cmd {
		if b != r.tableRead {
			return nil
		}
		if err != nil {
			return nil // the verdicts on the screen stay provisional
		}
		return r.fill(p)
	})
}

// fill shows a page. Rows may move; each cursor stays on its row.
func (r *Reading) fill(p page) tea.Cmd {
	var follow []func()
	for _, l := range r.lists {
		follow = append(follow, l.Hold())
	}
	r.tableRead.page = p
	r.tableRead.filled++
	var renewed []tea.Cmd
	for n, l := range r.lists {
		renewed = append(renewed, l.Renew())
		follow[n]()
	}
	return tea.Batch(renewed...)
}

// Renew updates the lists after their filters or their arrangement have changed.
func (r *Reading) Renew() tea.Cmd {
	var renewed []tea.Cmd
	for _, l := range r.lists {
		renewed = append(renewed, l.Renew())
	}
	return tea.Batch(renewed...)
}

// Rearrange arranges the rows again, in the background because there may be many. It is called when
// Arrange would return other rows. It calls done once the rows are on the screen.
func (r *Reading) Rearrange(done func() tea.Cmd) tea.Cmd {
	b := r.tableRead
	view, filled, paged := b.view, b.filled, r.lists.paging(b.small)
	return task.Start(r.Tasks, task.Sorting, func(context.Context) (page, error) {
		return paged(view), nil
	}, func(p page, _ error) tea.Cmd {
		switch {
		case b != r.tableRead:
			return nil
		case filled != b.filled:
			return r.Rearrange(done) // another page arrived first
		}
		renewed := r.fill(p)
		return tea.Batch(renewed, done())
	})
}

// stop ends the reading, and keeps the rows.
func (r *Reading) stop() tea.Cmd {
	if r.Table == nil {
		r.Tasks.Cancel(task.Opening)
		return nil
	}
	if r.Tasks.Cancel(task.Paging) || r.Tasks.Cancel(task.Confirming) {
		r.tableRead.stopped = true
		return r.Say("Stopped. The rows on the screen stay.")
	}
	return nil
}

// readOn continues after stop, or reads the next page.
func (r *Reading) readOn() tea.Cmd {
	b := r.tableRead
	switch {
	case r.opening != "":
		return nil
	case b == nil, r.Unjudged():
		return r.Retry()
	}
	if b.stopped && b.view.Complete && b.counts.Open > 0 {
		b.stopped = false
		return nil
	}
	if b.view.Complete && !b.old {
		return r.Say("The whole table is read.")
	}
	if _, busy := r.Tasks.Since(task.Paging); busy {
		return r.stop()
	}
	if why := r.WhyBudget(b.whole); why != "" {
		return r.Say(say.Sentence(why))
	}
	return r.Reading(b.whole, func() tea.Cmd {
		b.asked, b.all = b.view.Units, b.all || b.whole > 0
		return r.readPage()
	})
}

// tableRead is one reading of a table from its beginning.
type tableRead struct {
	browser *browse.Browser
	page    // the rows and counts so far
	unasked
	err     error // why the last page could not be read
	began   time.Time
	read    bool             // at least one page has arrived
	old     bool             // the rows on the screen are from the previous reading
	stopped bool             // a person stopped the reading; the rows stay
	stays   bool             // no cursor has moved since the reading began
	sought  []client.Address // the items of the rows that the lists return to
	before  int              // the number of sure problems of the previous reading
	filled  int              // counts the calls of fill
	turn    sync.Mutex       // held by a step: a cancelled step may still be running
}

// step starts a step of the reading. Steps take turns, because a Browser allows only one at a time.
func (b *tableRead) step(
	tasks *task.Tasks, k task.Kind, work func(context.Context) (page, error), done func(page, error) tea.Cmd,
) tea.Cmd {
	return task.Start(tasks, k, func(ctx context.Context) (page, error) {
		b.turn.Lock()
		defer b.turn.Unlock()
		if err := ctx.Err(); err != nil {
			return page{}, err
		}
		return work(ctx)
	}, done)
}

// awaited reports whether the first page is being read.
func (b *tableRead) awaited() bool { return !b.read && !b.stopped && b.err == nil }

// over reports whether nothing is left to read or to judge.
func (b *tableRead) over() bool {
	return b.view.Complete && !b.old && !(b.stopped && b.counts.Open > 0)
}

// Counts counts the rows that were read: the broken values, and how far the values are judged.
type Counts struct {
	Broken           int
	Open             int // values still to be read together with their locks
	unsure           int
	judged, unjudged int // the judged values; the values and locks that cannot be judged
}

// Sure counts the problems that no further reading can change.
func (c Counts) Sure() int { return c.Broken - c.unsure }

// settled reports whether the number of sure problems is final: further reading cannot raise it.
func (b *tableRead) settled() bool {
	return b.view.Complete && !b.old && b.counts.unsure+b.counts.Open == 0
}

// page is the state after a call of Next, JudgeTogether or Confirm.
type page struct {
	view   browse.View
	rows   map[Lister]arranged
	counts Counts
	judged int
}

// nextPage reads a page, and returns the state after it.
func nextPage(ctx context.Context, b *browse.Browser, page func(browse.View) page) (p page, err error) {
	v, err := b.Next(ctx)
	if err != nil {
		return p, err
	}
	return page(v), nil
}

func count(v *browse.View) Counts {
	c := Counts{unjudged: v.Unmatched}
	seen := map[string]bool{}
	for _, r := range v.Relations {
		if r.Verdict == verdict.Unknown {
			c.unjudged++
		} else {
			c.judged++
		}
		if r.Unjudged && !r.Constraint.Lockless() {
			c.Open++
		}
		if !r.Verdict.Broken() {
			continue
		}
		if id := r.Subject(); id != "" {
			if seen[id] {
				continue // two accounts with one value are one problem
			}
			seen[id] = true
		}
		c.Broken++
		if r.Provisional {
			c.unsure++
		}
	}
	return c
}
