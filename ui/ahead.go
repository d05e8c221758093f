package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

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
