package ui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
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

// readAhead goes on with the reading, where it should go on by itself.
func (a *app) readAhead() tea.Cmd {
	if s, ok := a.top().(screen.Follower); ok {
		return tea.Batch(s.Follow(), a.readOnAhead())
	}
	return a.readOnAhead()
}

// readOnAhead settles what is not held on the screen or near it, reads a small table to its
// end and of others the next page when the cursor comes near the end of what was read, and
// settles the rest.
func (a *app) readOnAhead() tea.Cmd {
	if a.Tab == session.JournalTab && len(a.stack) == 0 {
		return a.journal.Load()
	}
	b := a.browse
	if b == nil || a.Table == nil || !b.read || b.stopped || b.err != nil {
		return nil
	}
	if _, busy := a.Tasks.Since(task.Paging); busy {
		return nil
	}
	near := a.near()
	switch {
	case len(near) > 0 && !b.refused:
		return a.settle(near)
	case b.browser.Owes(), b.browser.ReadOn(), !b.view.Complete && a.nearEnd():
		return a.readPage()
	case b.rows.open > len(near) && !b.spent:
		return a.settle(nil)
	case b.view.Complete && b.small && !b.again && len(b.view.Provisional()) > 0:
		return a.confirm()
	}
	return nil
}

// nearEnd reports whether the cursor comes near the end of what was read.
func (a *app) nearEnd() bool {
	if !a.Tab.Browses() {
		return false
	}
	s := a.tabScreen().Content()
	last := s.List.Cursor
	if s.List.Lost {
		last = max(last, s.List.At) // as far as it was read before
	}
	return s.Rows == nil || last+3*a.Size.Height >= s.Rows.Len()
}

// near are the rows on the screen, or not far from it, that are still to be read together
// with their locks, by what they are of.
func (a *app) near() map[string]bool {
	if !a.Tab.Browses() || len(a.stack) > 0 || a.browse.rows.open == 0 {
		return nil
	}
	near := map[string]bool{}
	list, at := a.accounts.list, a.accounts.relation
	if a.Tab == session.LocksTab {
		list, at = a.locks.list, a.locks.rows(80).relation
	}
	for n := list.Cursor - a.Size.Height; n <= list.Cursor+a.Size.Height; n++ {
		if r := at(n); r != nil && r.Unjudged && !r.Constraint.Lockless() {
			near[r.Subject()] = true
		}
	}
	return near
}

// settle reads a few rows together with their locks: those that are near, then others.
func (a *app) settle(near map[string]bool) tea.Cmd {
	b := a.browse
	sorted, by := b.small, b.order
	return task.Start(a.Tasks, task.Paging, func(ctx context.Context) (page, error) {
		v, judged, err := b.browser.Settle(ctx, func(r *dynamo.Relation) bool { return near[r.Subject()] })
		if err != nil {
			return page{}, err
		}
		p := newPage(v, sorted, by)
		p.settled = judged
		return p, nil
	}, func(p page, err error) tea.Cmd {
		if err == nil && p.settled == 0 {
			b.refused, b.spent = b.refused || len(near) > 0, b.spent || len(near) == 0
		}
		return a.pageLanded(b, p, err)
	})
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

// readOn goes on where stop ended it.
func (a *app) readOn() tea.Cmd {
	if a.Table == nil {
		if a.opening != "" || a.browse == nil {
			return nil
		}
		return a.retryOpen()
	}
	b := a.browse
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

// coverageOf is the completeness line of accounts and locks.
func (a *app) coverageOf(at, of int, onlyProblems bool) *kit.Coverage {
	b := a.browse
	c := &kit.Coverage{Working: -1, Part: 1}
	for _, e := range [2]task.Kind{task.Opening, task.Paging} {
		if since, busy := a.Tasks.Since(e); busy {
			c.Working = a.Phase(since)
		}
	}
	if b == nil {
		return c
	}
	if !b.read {
		c.Part = 0
		if b.awaited() {
			c.Right = []kit.Span{kit.Muted.Of("first page, " + words.Lasts(a.Now().Sub(b.began).Truncate(100*time.Millisecond)))}
		} else {
			c.Part, c.Right = 1, []kit.Span{kit.Muted.Of("nothing has been read")}
		}
		return c
	}
	v := b.view
	c.Left = []kit.Span{kit.Muted.Of(words.Position(at, of, false))}
	word := b.order.words()
	if word != "" && a.Tab == session.AccountsTab {
		c.Left = append(c.Left, kit.Muted.Of(" · "), kit.Text.Of(word))
	}
	switch n := b.rows.broken; {
	case len(a.Marks.Order) > 0:
		c.Left = append(c.Left, a.MarkedWords()...)
	case onlyProblems:
		c.Left = append(c.Left, kit.Muted.Of(" · "), kit.Text.Of("only problems"))
	case n > 0 && (word == "" || a.Size.Width >= 100):
		k, mark := kit.Bad|kit.Bold, ""
		if b.rows.unsure == n {
			k, mark = kit.Muted, "?"
		}
		c.Left = append(c.Left, kit.Muted.Of(" · "), k.Of(phrase.Count(n, "problem")+mark))
	}
	switch {
	case a.Table == nil:
		c.Part, c.Right = words.Part(v.Scanned, v.Expected), []kit.Span{kit.Warn.Of(a.awaits())}
	case a.isOld():
		c.Right = []kit.Span{kit.Muted.Of("as it was at "), kit.Text.Of(words.Clock(v.ReadAt)), kit.Muted.Of(", " + words.Ago(a.Now().Sub(v.ReadAt)))}
	case v.Complete:
		sep := kit.Muted.Of(" · ")
		c.Right = []kit.Span{kit.Muted.Of("whole table, " + phrase.Count(int(v.Scanned), "item"))}
		if a.Size.Width < 80 {
			c.Right, sep = nil, kit.Span{}
		}
		switch {
		case b.rows.open > 0:
			c.Right = append(c.Right, sep, kit.Warn.Of(phrase.Count(b.rows.open, "value")+" not judged yet"))
		case !v.Confirmed.IsZero():
			c.Right = append(c.Right, sep, kit.Good.Of(kit.GlyphYes), kit.Muted.Of(" confirmed "+v.Confirmed.Local().Format("15:04")))
		case len(v.Provisional()) > 0:
			word := "provisional"
			if _, on := a.Tasks.Since(task.Confirming); on {
				word = "looking again"
			}
			c.Right = append(c.Right, sep, kit.Warn.Of(word))
		default:
			c.Right = append(c.Right, sep, kit.Muted.Of("read "+v.ReadAt.Local().Format("15:04")))
		}
	default:
		c.Part = words.Part(v.Scanned, v.Expected)
		c.Right = []kit.Span{kit.Warn.Of(words.Percent(c.Part) + " read · provisional")}
	}
	return c
}

// awaits is what a table that is being opened waits for.
func (a *app) awaits() string {
	switch {
	case a.opening == "":
		return "not judged"
	case a.accounts.raw():
		return "recognising the layout"
	}
	return "judging the layout"
}
