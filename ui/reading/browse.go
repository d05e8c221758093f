// Package reading is the reading of the open table, which the screens of accounts and of locks
// share: its rows, how far they are read and judged, what is read next, what stands in place
// of rows that are not there. It imports what a screen does, and neither a screen nor the
// program, which it asks in messages. Start reading at Reading; commands.go has the commands
// that read, and states.go what the screen says of the reading.
package reading

import (
	"context"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/browse"
	"tallylock/dynamo/client"
	"tallylock/dynamo/verdict"
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
		r.pass = &pass{browser: browse.New(r.Table), began: r.Now(), stopped: true}
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
	fresh := &pass{browser: browse.New(r.Table), began: r.Now()}
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
	b.stopped, b.paused, b.err, b.refused, b.whole = false, false, nil, false, 0
	if !b.small {
		b.small = b.browser.ReadOn()
	}
	paged := r.lists.paging(b.small) // a list that grows under the cursor keeps its order
	all := b.all
	return b.step(r.Tasks, task.Paging, func(ctx context.Context) (page, error) {
		if all {
			b.browser.ReadAll()
		}
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
	return r.Reading(b.whole, func() tea.Cmd {
		b.asked, b.all = b.view.Units, b.all || b.whole > 0
		return r.readPage()
	})
}

// Begin shows the first rows of a table, which was asked for at a time, and goes on with
// opening it: its layout is yet to be judged.
func (r *Reading) Begin(b *browse.Browser, first browse.View, asked time.Time) tea.Cmd {
	r.pass, r.Outdated = &pass{browser: b, began: asked}, false
	r.lists.reset()
	return r.judgedFurther(r.lists.paging(false)(first))
}

// JudgeOn goes on with opening a table whose first rows are on the screen: nothing is
// judged, looked for or changed before its layout is. What was read before it was stopped
// is not read again.
func (r *Reading) JudgeOn() tea.Cmd {
	b := r.pass
	r.Opening, r.Failed, b.stopped = r.Wanted, nil, false
	paged := r.lists.paging(false)
	return b.step(r.Tasks, task.Opening, func(ctx context.Context) (page, error) {
		return nextPage(ctx, b.browser, paged)
	}, func(p page, err error) tea.Cmd {
		if err != nil {
			return r.NotJudged(err)
		}
		return tea.Batch(r.Reached(task.Opening), r.judgedFurther(p))
	})
}

// judgedFurther shows what is known of the first rows by now.
func (r *Reading) judgedFurther(p page) tea.Cmd {
	b := r.pass
	renewed := r.fill(p)
	b.read, b.asked = p.view.Scanned > 0 || p.view.Complete, p.view.Units
	t := b.browser.Table()
	if t == nil {
		return tea.Batch(renewed, r.JudgeOn())
	}
	r.Opening = ""
	return tea.Batch(renewed, r.Send(message.Judged{Table: t}))
}

// ReadOpened reads on in a table that has just been opened: its first page, where that was
// not read while it was opened.
func (r *Reading) ReadOpened() tea.Cmd {
	b := r.pass
	switch {
	case b.read:
		return r.Send(message.ReadAhead{})
	case !r.Table.Connection().ReadsUnasked():
		b.stopped = true // nothing is read unasked
		return nil
	}
	return r.readPage()
}

// NotJudged says why no more is known of the first rows, which stay. Where none have come
// the table was not opened.
func (r *Reading) NotJudged(err error) tea.Cmd {
	if !r.pass.read {
		r.pass = nil
		return r.Send(message.NotOpened{Err: err})
	}
	r.Opening, r.Failed, r.pass.stopped = "", err, true
	switch {
	case client.KindOf(err) == client.Cancelled:
		return r.Say("Stopped. What was read stays, and is not judged.")
	case session.Passing(err):
		return r.Unreached(task.Opening, err, func() tea.Cmd { return r.Send(message.OpenAgain{}) })
	}
	return r.Fail(err)
}

// pass is one reading of a table, from its beginning.
type pass struct {
	browser *browse.Browser
	page    // as far as it has got
	unasked
	err     error // why the last page did not come
	began   time.Time
	read    bool       // a page has come
	old     bool       // what is shown is of the reading before this one
	stopped bool       // by the user: what was read stays
	before  int        // problems that the reading before this one was sure of
	filled  int        // how often rows were put on the screen
	turn    sync.Mutex // of its steps: one was cancelled, and has not ended yet
}

// step starts a step on. Steps take turns at the browser, which is one's alone.
func (b *pass) step(
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

// awaited reports whether the first page is under way.
func (b *pass) awaited() bool { return !b.read && !b.stopped && b.err == nil }

// over reports whether nothing is left to read, and nothing to stop.
func (b *pass) over() bool {
	return b.view.Complete && !b.old && !(b.stopped && b.counts.Open > 0)
}

// Counts are how many values of what is read are broken, and how far they are judged.
type Counts struct {
	Broken           int
	Open             int // values to be read together with their locks
	unsure           int
	judged, unjudged int // values and locks
}

// Sure is how many problems there are whose verdict nothing that is not read yet can change.
func (c Counts) Sure() int { return c.Broken - c.unsure }

// settled reports whether nothing is left to read that may make more problems sure.
func (b *pass) settled() bool { return b.view.Complete && !b.old && b.counts.unsure+b.counts.Open == 0 }

// page is what is known after a Next, a JudgeTogether or a Confirm.
type page struct {
	view   browse.View
	rows   map[Lister]Arranged
	counts Counts
	judged int
}

// nextPage is what is known after a step on.
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
				continue // two accounts on one value are one problem
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
