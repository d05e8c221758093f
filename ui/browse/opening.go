package browse

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/ui/message"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Begin shows the first rows of a table, which was asked for at a time, and goes on with
// opening it: its layout is yet to be judged.
func (r *Reading) Begin(b *dynamo.Browser, first dynamo.View, asked time.Time) tea.Cmd {
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
