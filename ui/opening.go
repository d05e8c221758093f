package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen/layout"
	"tallylock/ui/session"
	"tallylock/ui/task"
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
// the screen shows, and one more.
func (a *app) open(conn int, name string) tea.Cmd {
	a.Wanted, a.opening, a.openErr = name, name, nil
	c, from, began, items := a.Connections[conn], a.Tab, a.Now(), max(a.Size.Height, leastItems)+1
	if a.Table == nil {
		a.browse = nil // rows that were not judged are not another table's
	}
	if c.Connection != nil {
		a.On = conn
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
		a.change(conn, b.on)
		if a.Tab == from || a.Tab.Browses() || a.Tab == session.FindingsTab {
			a.Tab = session.AccountsTab
		}
		a.Table, a.browse, a.outdated = nil, &browse{browser: b.browser, began: began}, false
		a.accounts.reset()
		a.locks.reset()
		return a.judgedFurther(conn, b.page, session.AccountsTab)
	})
}

// judgeOn goes on with opening a table whose first rows are on the screen: nothing is
// judged, looked for or changed before its layout is.
func (a *app) judgeOn(conn int, from session.Tab) tea.Cmd {
	b := a.browse
	return task.Start(a.Tasks, task.Opening, func(ctx context.Context) (page, error) {
		return nextPage(ctx, b.browser, false, asRead)
	}, func(p page, err error) tea.Cmd {
		if err != nil {
			return a.notOpened(err)
		}
		return a.judgedFurther(conn, p, from)
	})
}

// judgedFurther shows what is known of the first rows by now.
func (a *app) judgedFurther(conn int, p page, from session.Tab) tea.Cmd {
	b := a.browse
	a.fill(p)
	b.read = p.view.Scanned > 0 || p.view.Complete
	t := b.browser.Table()
	if t == nil {
		return a.judgeOn(conn, from)
	}
	a.opening = ""
	cmd := tea.Batch(a.take(t, from), a.compare(t), a.readFirst())
	if a.Tab.Browses() && layout.Needed(t) {
		return tea.Batch(cmd, a.showLayout())
	}
	return cmd
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

// notOpened says why a table was not opened. Rows that have come stay if somebody did not
// want to wait for more.
func (a *app) notOpened(err error) tea.Cmd {
	a.opening, a.openErr = "", err
	if b := a.browse; b != nil && a.Table == nil {
		if b.stopped = true; b.read && client.KindOf(err) == client.Cancelled {
			return a.Say("Stopped. What was read stays, and is not judged.")
		}
		a.browse = nil
	}
	if len(a.stack) > 0 {
		return a.Fail(err)
	}
	return a.showOpenError(err)
}

// noTable says why there is no open table.
func (a *app) noTable() string {
	switch {
	case a.browse != nil && a.opening != "":
		return "whether the layout fits is still being looked at"
	case a.browse != nil:
		return "the layout was not judged: " + a.Keys.Key(keymap.Reload) + " opens the table again"
	}
	return "open a table first: " + a.Keys.Key(keymap.Tables)
}

// opened shows a table, or its layout first where nothing can be known before that is right.
func (a *app) opened(conn int, t *dynamo.Table, from session.Tab) tea.Cmd {
	cmd := tea.Batch(a.use(conn, t, from), a.compare(t))
	if a.Tab.Browses() && layout.Needed(t) {
		return tea.Batch(cmd, a.showLayout())
	}
	return cmd
}

// use shows a table that is open, from its beginning.
func (a *app) use(conn int, t *dynamo.Table, from session.Tab) tea.Cmd {
	a.change(conn, t.Connection())
	a.opening = ""
	cmd := a.take(t, from)
	return tea.Batch(a.start(), cmd)
}

// change leaves the table that was open, or on its way, for one of a connection.
func (a *app) change(conn int, on *dynamo.Connection) {
	for _, k := range []task.Kind{task.Opening, task.Paging, task.Confirming} {
		a.Tasks.Drop(k)
	}
	if conn != a.On || a.Table == nil {
		a.counters.Reset()
	}
	if a.Connections[conn].Connection == nil {
		a.Connections[conn].Connection = on
	}
	a.On, a.stack, a.openErr, a.reading = conn, nil, nil, reading{}
	a.Offline = nil
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
	return []kit.Hint{a.Hint(keymap.Reload, "open again"), a.Hint(keymap.Copy, "copy")}
}
