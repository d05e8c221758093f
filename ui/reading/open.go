package reading

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/client"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Program has the methods of the program that are needed to open a table.
type Program interface {
	// OnTop reports whether a screen lies on top of the tab.
	OnTop() bool
	// OpenWanted opens the session's requested table from the beginning. If none is requested, a person chooses one.
	OpenWanted() tea.Cmd
	// Opened makes t the open table. Its first rows may be on the screen already.
	Opened(t *dynamo.Table) tea.Cmd
	// Larger reports that a larger sample of the open table shows another layout. t has this layout.
	Larger(t *dynamo.Table) tea.Cmd
}

// firstRows holds the first rows of a table whose layout is not judged yet.
type firstRows struct {
	on      *dynamo.Connection
	browser *browse.Browser
	view    browse.View
}

// leastItems is the minimum number of items that Open reads first: as many as a small screen shows.
const leastItems = 24

// Open opens a table of connection number conn by name. It reads one row more than fits on the screen, and shows
// these first rows as soon as they arrive. Just before, it calls arrive, which leaves the earlier table. Until then,
// the earlier table and its connection stay on the screen. stays reports whether there is such a table.
func (r *Reading) Open(conn int, name string, arrive func(on *dynamo.Connection)) (stays bool, cmd tea.Cmd) {
	c, began, items := r.Connections[conn], r.Now(), max(r.Size.Height, leastItems)+1
	again := r.Unjudged() && conn == r.On && name == r.Wanted
	r.opening, r.another = name, r.Begun() && !again || c.Connection == nil
	if !r.another {
		r.failed = nil
	}
	return r.another, task.Start(r.Tasks, task.Opening, func(ctx context.Context) (first firstRows, err error) {
		if first.on, err = c.Connected(ctx); err != nil {
			return first, err
		}
		found, err := first.on.Start(ctx, name, items)
		if err != nil {
			return first, err
		}
		first.browser = browse.NewOpening(found)
		first.view, err = first.browser.Next(ctx)
		return first, err
	}, func(first firstRows, err error) tea.Cmd {
		if err != nil {
			return r.notOpened(err)
		}
		arrive(first.on)
		return r.Begin(first.browser, first.view, began)
	})
}

// Begin shows the first rows of a table whose layout is not judged yet, and continues to open the table. asked is the
// time when a person asked for the table.
func (r *Reading) Begin(b *browse.Browser, first browse.View, asked time.Time) tea.Cmd {
	r.tableRead, r.Outdated = &tableRead{browser: b, began: asked}, false
	r.lists.reset()
	return r.judgedFurther(r.lists.paging(false)(first))
}

// Drop stops the opening of a table, because another table is shown now.
func (r *Reading) Drop() {
	r.Tasks.Drop(task.Opening)
	r.opening, r.failed, r.another = "", nil, false
}

// Another reports whether the table being opened is not the table on the screen.
func (r *Reading) Another() bool { return r.another }

// Cancel stops the opening of another table. If the table on the screen was not completely open, Cancel continues to
// open it.
func (r *Reading) Cancel() tea.Cmd {
	r.Tasks.Drop(task.Opening)
	r.opening, r.another = "", false
	if r.Unjudged() && !r.tableRead.stopped {
		return r.resume()
	}
	return nil
}

// Retry continues to open the requested table. If none of its rows are on the screen, it starts again. It does
// nothing while any table is being opened.
func (r *Reading) Retry() tea.Cmd {
	_, busy := r.Tasks.Since(task.Opening)
	switch {
	case busy:
		return nil
	case r.Unjudged():
		return r.resume()
	}
	return r.program.OpenWanted()
}

// judgedWithin is the maximum age of first rows to be judged.
const judgedWithin = time.Minute

// resume continues to open a table whose first rows are on the screen. If those rows are too old to be judged, resume
// opens the table again. The old rows stay on the screen until the new ones arrive.
func (r *Reading) resume() tea.Cmd {
	if r.Now().Sub(r.tableRead.began) > judgedWithin {
		return r.program.OpenWanted()
	}
	return r.judgeOn()
}

// judgeOn continues to open a table whose first rows are on the screen. No row is judged, found or changed before the
// layout is judged. judgeOn does not read the same items again after a stop.
func (r *Reading) judgeOn() tea.Cmd {
	b := r.tableRead
	r.opening, r.failed, b.stopped = r.Wanted, nil, false
	paged := r.lists.paging(false)
	return b.step(r.Tasks, task.Opening, func(ctx context.Context) (page, error) {
		return nextPage(ctx, b.browser, paged)
	}, func(p page, err error) tea.Cmd {
		if err != nil {
			return r.notJudged(err)
		}
		return tea.Batch(r.Reached(task.Opening), r.judgedFurther(p))
	})
}

// judgedFurther shows a new page of a table being opened. Once the layout is judged, the table is open.
func (r *Reading) judgedFurther(p page) tea.Cmd {
	b := r.tableRead
	renewed := r.fill(p)
	b.read, b.asked = p.view.Scanned > 0 || p.view.Complete, p.view.Units
	t := b.browser.Table()
	if t == nil {
		return tea.Batch(renewed, r.judgeOn())
	}
	r.opening = ""
	opened := r.program.Opened(t)
	switch {
	case b.read: // the first page is read during the opening
		return tea.Batch(renewed, opened)
	case !t.Connection().ReadsUnasked():
		b.stopped = true // the connection reads only on request
		return tea.Batch(renewed, opened)
	}
	return tea.Batch(renewed, opened, r.readPage())
}

// notJudged says why the layout could not be judged. Rows on the screen stay. Without rows, the table was not opened.
func (r *Reading) notJudged(err error) tea.Cmd {
	if !r.tableRead.read {
		r.tableRead = nil
		return r.notOpened(err)
	}
	r.opening, r.failed, r.tableRead.stopped = "", err, true
	switch {
	case client.KindOf(err) == client.Cancelled:
		return r.Say("Stopped. The rows stay, but are unchecked.")
	case session.IsTransient(err):
		return r.Unreached(task.Opening, err, r.Retry)
	}
	return r.Fail(err)
}

// notOpened says why a table was not opened. The current screen stays.
func (r *Reading) notOpened(err error) tea.Cmd {
	switch {
	case r.another:
		return tea.Batch(r.Fail(err), r.Cancel())
	case r.Unjudged():
		return r.notJudged(err)
	}
	r.opening, r.failed = "", err
	if r.program.OnTop() {
		return r.Fail(err)
	}
	return r.Unreached(task.Opening, err, r.Retry)
}

// Compare recognises the layout of t by a larger sample, if the sample of the opening was too small. It also says if
// answers about the table are ignored.
func (r *Reading) Compare(t *dynamo.Table) tea.Cmd {
	var ignored tea.Cmd
	if text := t.Connection().Answers.Ignored(); text != "" {
		ignored = r.Complain(text)
	}
	if !t.Sample.Unsure() {
		return ignored
	}
	return tea.Batch(ignored, task.Start(r.Tasks, task.Comparing, func(ctx context.Context) (*dynamo.Table, error) {
		return dynamo.Grown(ctx, t)
	}, func(larger *dynamo.Table, err error) tea.Cmd {
		if err != nil || larger == nil || r.Table != t {
			return nil
		}
		return r.program.Larger(larger)
	}))
}
