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
	lists    []Lister
}

// Lister is a screen that lists what is read.
type Lister interface {
	// Reset begins anew, for another table.
	Reset()
	// Hold remembers what is selected before rows are read again, and follow selects it again.
	Hold() (follow func())
	// Keep remembers it before rows that were read are left out, or listed again. Follow reports
	// whether it is listed.
	Keep() (follow func() bool)
	// Renew looks for the letters among what was read meanwhile.
	Renew() tea.Cmd
	// List is the list as it is now, and its rows.
	List() (kit.List, kit.Source)
	// Narrowed reports whether letters that somebody typed leave rows out.
	Narrowed() bool
}

// New is a reading of no table yet.
func New(s *session.Session) *Reading { return &Reading{Known: Known{Session: s}} }

// ShowOn has a screen list what is read.
func (r *Reading) ShowOn(l Lister) { r.lists = append(r.lists, l) }

// reset has the screens begin anew, for another table.
func (r *Reading) reset() {
	for _, l := range r.lists {
		l.Reset()
	}
}

// Close forgets what was read: no table is open.
func Close(r *Reading) {
	r.pass, r.Outdated = nil, false
	r.reset()
}

// Start reads the open table from its beginning.
func (r *Reading) Start() tea.Cmd {
	r.pass = nil
	r.reset()
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
		fresh.view, fresh.rows, fresh.read, fresh.old, fresh.order, fresh.filled = old.view, old.rows, old.read, old.read, old.order, old.filled
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
	sorted, by := b.small, b.order // a list that grows under the cursor keeps its order
	return b.step(r.Tasks, task.Paging, func(ctx context.Context) (page, error) {
		return nextPage(ctx, b.browser, sorted, by)
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
	by := b.order
	return b.step(r.Tasks, task.Confirming, func(ctx context.Context) (page, error) {
		v, err := b.browser.Confirm(ctx)
		if err != nil {
			return page{}, err
		}
		return newPage(v, true, by), nil
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
	r.pass.view, r.pass.rows = p.view, p.rows
	r.pass.filled++
	var renewed []tea.Cmd
	for n, l := range r.lists {
		renewed = append(renewed, l.Renew())
		follow[n]()
	}
	return tea.Batch(renewed...)
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
	if b.stopped && b.view.Complete && b.rows.Open > 0 {
		b.stopped = false
		return r.Send(message.ReadAhead{})
	}
	if b.view.Complete && !b.old {
		return r.Say("The whole table is read.")
	}
	if _, busy := r.Tasks.Since(task.Paging); busy {
		return r.stop()
	}
	b.asked = b.view.Units
	return r.readPage()
}
