// Package browse is the reading of the open table, which the screens of accounts and of locks
// share: its rows, how far they are read and judged, what is read next, what stands in place
// of rows that are not there. It imports what a screen does, and neither a screen nor the
// program, which it asks in messages. Start reading at Reading; a table's first rows, before
// its layout is judged, are in opening.go, and what goes on by itself is in ahead.go.
package browse

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/client"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// Reading is the reading of the open table, which accounts and locks share.
type Reading struct {
	Known
	Outdated bool // what was read of the open table is of before a change
	lists    listers
}

// New is a reading of no table yet.
func New(s *session.Session) *Reading { return &Reading{Known: Known{Session: s}} }

// ShowOn has a screen list what is read, as yet narrowed by nothing. A task of the kind looks
// through many rows.
func (r *Reading) ShowOn(l Lister, list *kit.List, by task.Kind) Narrowing {
	r.lists = append(r.lists, l)
	return Narrowing{narrowed: narrowed{reading: r, on: l, list: list, by: by}}
}

// Close forgets what was read: no table is open.
func (r *Reading) Close() {
	r.pass, r.Outdated = nil, false
	r.lists.reset()
}

// Start reads the open table from its beginning.
func (r *Reading) Start() tea.Cmd {
	r.pass = nil
	r.lists.reset()
	if !r.Table.Connection().ReadsUnasked() {
		r.pass = &pass{browser: r.Table.Browse(), began: r.Now(), stopped: true}
		return nil // nothing is read unasked
	}
	return r.Reread()
}

// Reread reads the open table again from its beginning. What was read before
// stays on the screen until the first page has come.
func (r *Reading) Reread() tea.Cmd {
	r.Outdated = false
	r.Tasks.Drop(task.Paging)
	r.Tasks.Drop(task.Confirming)
	fresh := &pass{browser: r.Table.Browse(), began: r.Now()}
	if old := r.pass; old != nil {
		fresh.page, fresh.read, fresh.old, fresh.filled = old.page, old.read, old.read, old.filled
		fresh.before, _ = r.Sure()
	}
	r.pass = fresh
	return r.readPage()
}

// readPage reads on by a page.
func (r *Reading) readPage() tea.Cmd {
	b := r.pass
	b.stopped, b.paused, b.err, b.refused = false, false, nil, false
	if !b.small {
		b.small = b.browser.ReadOn()
	}
	paged := r.lists.paging(b.small) // a list that grows under the cursor keeps its order
	return b.step(r.Tasks, task.Paging, func(ctx context.Context) (page, error) {
		return nextPage(ctx, b.browser, paged)
	}, func(p page, err error) tea.Cmd { return r.done(b, p, err) })
}

func (r *Reading) done(b *pass, p page, err error) tea.Cmd {
	if b != r.pass {
		return nil
	}
	b.err = err
	if err != nil {
		if client.KindOf(err) == client.Cancelled {
			b.stopped = true
			return nil
		}
		if b.read && !session.Passing(err) { // the rows leave no room to say it
			_, _, why, do := words.Explain(err)
			return r.Complain(strings.TrimSpace(words.Sentence(why) + " " + words.Sentence(do)))
		}
		return r.Unreached(task.Paging, err, r.readPage)
	}
	others := r.Reached(task.Paging)
	renewed := r.fill(p)
	if !b.read || b.old {
		b.asked = p.view.Units
	}
	b.read, b.old = true, false
	return tea.Batch(others, renewed, r.Send(message.ReadAhead{}))
}

// confirm looks a second time at what is provisional, in a table so small that
// this costs next to nothing.
func (r *Reading) confirm() tea.Cmd {
	b := r.pass
	b.again = true
	paged := r.lists.paging(true)
	return b.step(r.Tasks, task.Confirming, func(ctx context.Context) (page, error) {
		v, err := b.browser.Confirm(ctx)
		if err != nil {
			return page{}, err
		}
		return paged(v), nil
	}, func(p page, err error) tea.Cmd {
		if b != r.pass {
			return nil
		}
		var renewed tea.Cmd
		if err == nil { // else it stays provisional, which is what is on the screen
			renewed = r.fill(p)
		}
		return tea.Batch(renewed, r.Send(message.ReadAhead{})) // what was asked for meanwhile
	})
}

// fill puts what was read on the screen. Rows may have moved: the cursors stay on what
// they are on.
func (r *Reading) fill(p page) tea.Cmd {
	var follow []func()
	for _, l := range r.lists {
		follow = append(follow, l.Hold())
	}
	r.pass.page = p
	r.pass.filled++
	var renewed []tea.Cmd
	for n, l := range r.lists {
		renewed = append(renewed, l.Renew())
		follow[n]()
	}
	return tea.Batch(renewed...)
}

// Rearrange makes the rows again, since what Arrange does has changed: in the background, as they
// may be very many. done is called once they are on the screen.
func (r *Reading) Rearrange(done func() tea.Cmd) tea.Cmd {
	b := r.pass
	view, filled, paged := b.view, b.filled, r.lists.paging(b.small)
	return task.Start(r.Tasks, task.Sorting, func(context.Context) (page, error) {
		return paged(view), nil
	}, func(p page, _ error) tea.Cmd {
		switch {
		case b != r.pass:
			return nil
		case filled != b.filled:
			return r.Rearrange(done) // more is known meanwhile
		}
		renewed := r.fill(p)
		return tea.Batch(renewed, done())
	})
}

// stop ends the reading; what was read stays.
func (r *Reading) stop() tea.Cmd {
	if r.Table == nil {
		r.Tasks.Cancel(task.Opening)
		return nil
	}
	if r.Tasks.Cancel(task.Paging) || r.Tasks.Cancel(task.Confirming) {
		r.pass.stopped = true
		return r.Say("Stopped. What was read stays.")
	}
	return nil
}

// readOn goes on where stop ended it.
func (r *Reading) readOn() tea.Cmd {
	b := r.pass
	switch {
	case r.Opening != "":
		return nil
	case b == nil, r.Unjudged():
		return r.Send(message.OpenAgain{})
	}
	if b.stopped && b.view.Complete && b.counts.Open > 0 {
		b.stopped = false
		return r.Send(message.ReadAhead{})
	}
	if b.view.Complete && !b.old {
		return r.Say("The whole table is read.")
	}
	if _, busy := r.Tasks.Since(task.Paging); busy {
		return r.stop()
	}
	return r.Reading(0, func() tea.Cmd {
		b.asked = b.view.Units
		return r.readPage()
	})
}
