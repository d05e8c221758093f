package ui

import (
	"context"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// browse is the reading of the open table, which accounts and locks share.
type browse struct {
	browser *dynamo.Browser
	view    dynamo.View
	rows    rows
	err     error // why the last page did not come
	began   time.Time
	read    bool // a page has come
	old     bool // what is shown is of the reading before this one
	stopped bool // by the user: what was read stays
	small   bool // read to its end unasked
	// refused: settling the rows that are near would take too much, and spent: that of the
	// others; again: the second look was asked for.
	refused, spent, again bool
	filled                int // how often rows were put on the screen
	order                 order
	turn                  sync.Mutex // of those who go on with opening: one was stopped, and has not ended yet
}

// awaited reports whether the first page is under way.
func (b *browse) awaited() bool { return !b.read && !b.stopped && b.err == nil }

// rows are the lists made of a View, off the screen's own goroutine.
type rows struct {
	accounts, problems []relationRow
	locks              []lockRow
	problemLocks       []lockRow
	items              []itemRow
	broken, unsure     int
	judged, unjudged   int // values and locks
	open               int // values to be read together with their locks
}

// page is what a Next, a Settle or a Confirm brings.
type page struct {
	view    dynamo.View
	rows    rows
	settled int
}

// nextPage is what is known after a step on.
func nextPage(ctx context.Context, b *dynamo.Browser, sorted bool, by order) (page, error) {
	v, err := b.Next(ctx)
	if err != nil {
		return page{}, err
	}
	return newPage(v, sorted, by), nil
}

func newPage(v dynamo.View, sorted bool, by order) page {
	p := page{view: v}
	p.rows.accounts = relationRows(v.Relations, false, by)
	p.rows.problems = relationRows(v.Relations, true, by)
	p.rows.locks = lockRows(v.Locks, false, sorted)
	p.rows.problemLocks = lockRows(v.Locks, true, sorted)
	if len(v.Relations) == 0 && len(v.Locks) == 0 {
		p.rows.items = itemRows(v.Items, v.Schema)
	}
	p.rows.unjudged = v.Unmatched
	seen := map[string]bool{}
	for _, r := range v.Relations {
		if r.Verdict == dynamo.Unknown {
			p.rows.unjudged++
		} else {
			p.rows.judged++
		}
		if r.Unjudged && !r.Constraint.Lockless() {
			p.rows.open++
		}
		if !r.Verdict.Broken() {
			continue
		}
		if id := r.Subject(); id != "" {
			if seen[id] {
				continue // two accounts on one value are one problem
			}
			seen[id] = true
		}
		p.rows.broken++
		if r.Provisional {
			p.rows.unsure++
		}
	}
	return p
}

// start reads the open table from its beginning.
func (a *app) start() tea.Cmd {
	a.browse = nil
	a.accounts.reset()
	a.locks.reset()
	if !a.Table.Connection().ReadsUnasked() {
		a.browse = &browse{browser: a.Table.Browse(), began: a.Now(), stopped: true}
		return nil // nothing is read unasked
	}
	return a.reread()
}

// reread reads the open table again from its beginning. What was read before
// stays on the screen until the first page has come.
func (a *app) reread() tea.Cmd {
	a.outdated = false
	a.Tasks.Drop(task.Paging)
	a.Tasks.Drop(task.Confirming)
	fresh := &browse{browser: a.Table.Browse(), began: a.Now()}
	if old := a.browse; old != nil {
		fresh.view, fresh.rows, fresh.read, fresh.old, fresh.order = old.view, old.rows, old.read, old.read, old.order
	}
	a.browse = fresh
	return a.readPage()
}

// readPage reads on by a page.
func (a *app) readPage() tea.Cmd {
	b := a.browse
	b.stopped, b.err, b.refused = false, nil, false
	if !b.small {
		b.small = b.browser.ReadOn()
	}
	sorted, by := b.small, b.order // a list that grows under the cursor keeps its order
	return task.Start(a.Tasks, task.Paging, func(ctx context.Context) (page, error) {
		return nextPage(ctx, b.browser, sorted, by)
	}, func(p page, err error) tea.Cmd { return a.pageLanded(b, p, err) })
}

func (a *app) pageLanded(b *browse, p page, err error) tea.Cmd {
	if b != a.browse {
		return nil
	}
	b.err = err
	if err != nil {
		if client.KindOf(err) == client.Cancelled {
			b.stopped = true
			return nil
		}
		if b.read && client.KindOf(err) != client.Unreachable { // the rows leave no room to say it
			_, _, why, do := words.Explain(err)
			return a.Complain(strings.TrimSpace(words.Sentence(why) + " " + words.Sentence(do)))
		}
		return a.Unreached(err, a.readPage)
	}
	a.Reached()
	a.fill(p)
	b.read, b.old = true, false
	return a.readAhead()
}

// confirm looks a second time at what is provisional, in a table so small that
// this costs next to nothing.
func (a *app) confirm() tea.Cmd {
	b := a.browse
	b.again = true
	by := b.order
	return task.Start(a.Tasks, task.Confirming, func(ctx context.Context) (page, error) {
		v, err := b.browser.Confirm(ctx)
		if err != nil {
			return page{}, err
		}
		return newPage(v, true, by), nil
	}, func(p page, err error) tea.Cmd {
		if b != a.browse || err != nil {
			return nil // it stays provisional, which is what is on the screen
		}
		a.fill(p)
		return nil
	})
}

// fill puts what was read on the screen. Rows may have moved: the cursors stay on what
// they are on.
func (a *app) fill(p page) {
	item, raw := a.accounts.item()
	a.accounts.list.Hold(a.accounts.rows(80))
	a.locks.list.Hold(a.locks.rows(80))
	a.browse.view, a.browse.rows = p.view, p.rows
	a.browse.filled++
	if raw && !a.accounts.raw() {
		a.accounts.toItem(item.key)
	}
	a.accounts.list.Follow(a.accounts.rows(80))
	a.locks.list.Follow(a.locks.rows(80))
}

// onlyHint says what the key that leaves only problems does.
func onlyHint(only bool) string {
	if only {
		return "show all"
	}
	return "only problems"
}

// isOld reports whether the rows on the screen are those of before: the endpoint
// is away, or reading again did not get anywhere.
func (a *app) isOld() bool {
	b := a.browse
	return a.Offline != nil || b != nil && b.old && (b.err != nil || b.stopped)
}

// stop ends the reading; what was read stays.
func (a *app) stop() tea.Cmd {
	if a.Table == nil {
		a.Tasks.Cancel(task.Opening)
		return nil
	}
	if a.Tasks.Cancel(task.Paging) || a.Tasks.Cancel(task.Confirming) {
		a.browse.stopped = true
		return a.Say("Stopped. What was read stays.")
	}
	return nil
}

// over reports whether nothing is left to read, and nothing to stop.
func (b *browse) over() bool {
	return b.view.Complete && !b.old && !(b.stopped && b.rows.open > 0)
}

// readOn goes on where stop ended it.
func (a *app) readOn() tea.Cmd {
	b := a.browse
	switch {
	case a.opening != "":
		return nil
	case b == nil, a.unjudged():
		return a.retryOpen()
	}
	if b.stopped && b.view.Complete && b.rows.open > 0 {
		b.stopped = false
		return a.readOnAhead()
	}
	if b.view.Complete && !b.old {
		return a.Say("The whole table is read.")
	}
	if _, busy := a.Tasks.Since(task.Paging); busy {
		return a.stop()
	}
	return a.readPage()
}
