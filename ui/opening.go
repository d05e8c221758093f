package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen/layout"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// begun is a table whose first rows have come, and whose layout is yet to be judged.
type begun struct {
	on      *dynamo.Connection
	browser *dynamo.Browser
	page    page
}

// leastItems is how many items a table begins with, at least: what a small screen shows.
const leastItems = 24

// open opens a table by name. Its first rows are shown as soon as they come: as many as
// the screen shows, and one more. Until then the table that was looked at before, and its
// connection, stay what the screen is about.
func (a *app) open(conn int, name string) tea.Cmd {
	c, from, began, items := a.Connections[conn], a.Tab, a.Now(), max(a.Size.Height, leastItems)+1
	again := a.unjudged() && conn == a.On && name == a.Wanted
	a.opening, a.another = name, a.browse != nil && !again || c.Connection == nil
	if !a.another {
		a.On, a.Wanted, a.openErr = conn, name, nil
	}
	return task.Start(a.Tasks, task.Opening, func(ctx context.Context) (b begun, err error) {
		if b.on, err = c.Connected(ctx); err != nil {
			return b, err
		}
		o, err := b.on.Start(ctx, name, items)
		if err != nil {
			return b, err
		}
		b.browser = o.Browse()
		b.page, err = nextPage(ctx, b.browser, false, asRead)
		return b, err
	}, func(b begun, err error) tea.Cmd {
		if err != nil {
			return a.notOpened(err)
		}
		a.change(conn, name, b.on)
		if a.Tab == from || a.Tab.Browses() || a.Tab == session.FindingsTab {
			a.Tab = session.AccountsTab
		}
		a.Table, a.browse, a.outdated = nil, &browse{browser: b.browser, began: began}, false
		a.accounts.reset()
		a.locks.reset()
		return a.judgedFurther(b.page)
	})
}

// judgeOn goes on with opening a table whose first rows are on the screen: nothing is
// judged, looked for or changed before its layout is. What was read before it was stopped
// is not read again.
func (a *app) judgeOn() tea.Cmd {
	b := a.browse
	a.opening, a.openErr, b.stopped = a.Wanted, nil, false
	return task.Start(a.Tasks, task.Opening, func(ctx context.Context) (page, error) {
		b.turn.Lock()
		defer b.turn.Unlock()
		return nextPage(ctx, b.browser, false, asRead)
	}, func(p page, err error) tea.Cmd {
		if err != nil {
			return a.notJudged(err)
		}
		a.Reached()
		return a.judgedFurther(p)
	})
}

// goOn goes on with a table whose first rows are on the screen. Rows that were read a while
// ago are read again before anything is judged by them; they stay until then.
func (a *app) goOn() tea.Cmd {
	if a.Now().Sub(a.browse.began) > judgedWithin {
		return a.open(a.On, a.Wanted)
	}
	return a.judgeOn()
}

// judgedWithin is how old first rows may be that are judged.
const judgedWithin = time.Minute

// judgedFurther shows what is known of the first rows by now.
func (a *app) judgedFurther(p page) tea.Cmd {
	b := a.browse
	a.fill(p)
	b.read = p.view.Scanned > 0 || p.view.Complete
	t := b.browser.Table()
	if t == nil {
		return a.judgeOn()
	}
	a.opening, a.unlooked = "", layout.Needed(t)
	return tea.Batch(a.take(t, session.AccountsTab), a.compare(t), a.readFirst(), a.lookFirst())
}

// readFirst reads the first page where it was not read while the table was opened.
func (a *app) readFirst() tea.Cmd {
	b := a.browse
	switch {
	case b.read:
		return a.readOnAhead()
	case !a.Table.Connection().ReadsUnasked():
		b.stopped = true // nothing is read unasked
		return nil
	}
	return a.readPage()
}

// notOpened says why a table was not opened. What is looked at stays.
func (a *app) notOpened(err error) tea.Cmd {
	if a.another {
		return tea.Batch(a.Fail(err), a.stay())
	}
	if a.unjudged() {
		return a.notJudged(err)
	}
	a.opening, a.openErr = "", err
	if len(a.stack) > 0 {
		return a.Fail(err)
	}
	return a.showOpenError(err)
}

// stay gives up opening another table than the one that is looked at, which goes on.
func (a *app) stay() tea.Cmd {
	a.Tasks.Drop(task.Opening)
	a.opening, a.another = "", false
	if a.unjudged() && !a.browse.stopped {
		return a.goOn()
	}
	return nil
}

// notJudged says why no more is known of the first rows, which stay. Where none have come
// the table was not opened.
func (a *app) notJudged(err error) tea.Cmd {
	if !a.browse.read {
		a.browse = nil
		return a.notOpened(err)
	}
	a.opening, a.openErr, a.browse.stopped = "", err, true
	switch client.KindOf(err) {
	case client.Cancelled:
		return a.Say("Stopped. What was read stays, and is not judged.")
	case client.Unreachable:
		return a.Unreached(err, a.goOn)
	}
	return a.Fail(err)
}

// unjudged reports whether the rows on the screen are of a table that is not open yet,
// since its layout is not judged. There are only accounts then: the other tabs that need a
// table are not gone to (switchToOpen), and commands that need one are refused (untilOpen).
func (a *app) unjudged() bool { return a.Table == nil && a.browse != nil }

// noTable says why there is no open table.
func (a *app) noTable() string {
	switch {
	case a.unjudged() && a.opening != "":
		return "whether the layout fits is still being looked at"
	case a.unjudged():
		return "the layout was not judged" + a.because() + ": " + a.Keys.Key(keymap.Reload) + " goes on"
	}
	return "open a table first: " + a.Keys.Key(keymap.Tables)
}

// because is why the layout was not judged, where an error is.
func (a *app) because() string {
	if a.openErr == nil || client.KindOf(a.openErr) == client.Cancelled {
		return ""
	}
	_, _, why, _ := words.Explain(a.openErr)
	return ", since " + why
}

// opened shows a table, or its layout first where nothing can be known before that is right.
func (a *app) opened(conn int, t *dynamo.Table, from session.Tab) tea.Cmd {
	cmd := a.use(conn, t, from)
	a.unlooked = layout.Needed(t)
	return tea.Batch(cmd, a.compare(t), a.lookFirst())
}

// use shows a table that is open, from its beginning.
func (a *app) use(conn int, t *dynamo.Table, from session.Tab) tea.Cmd {
	a.change(conn, t.Name, t.Connection())
	cmd := a.take(t, from)
	return tea.Batch(a.start(), cmd)
}

// change leaves the table that was open, or on its way, for one of a connection.
func (a *app) change(conn int, name string, on *dynamo.Connection) {
	for _, k := range []task.Kind{task.Opening, task.Paging, task.Confirming} {
		a.Tasks.Drop(k)
	}
	if conn != a.On || a.Table == nil {
		a.counters.Reset()
	}
	if a.Connections[conn].Connection == nil {
		a.Connections[conn].Connection = on
	}
	a.On, a.Wanted, a.opening, a.another, a.unlooked = conn, name, "", false, false
	a.stack, a.openErr, a.reading, a.Offline = nil, nil, reading{}, nil
	a.Marks.Clear()
}

// take has a table be the open one, and shows its first tab, unless another was gone to
// from the one that it was opened on.
func (a *app) take(t *dynamo.Table, from session.Tab) tea.Cmd {
	a.Table = t
	if a.Tab == from {
		a.Tab = session.AccountsTab
		if len(t.Layout.Accounts) == 0 && len(t.Layout.Counters) > 0 {
			a.Tab = session.CountersTab
		}
	}
	switch a.Tab {
	case session.CountersTab:
		return a.counters.Visit()
	case session.FindingsTab:
		return a.findings.Visit()
	}
	return nil
}

// openingHints are for rows of a table that is not open yet.
func (a *app) openingHints() []kit.Hint {
	if a.opening != "" {
		return []kit.Hint{a.Hint(keymap.Copy, "copy"), a.Hint(keymap.Back, "cancel")}
	}
	return []kit.Hint{a.Hint(keymap.Reload, "go on"), a.Hint(keymap.Copy, "copy")}
}
