package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/ui/screen/layout"
	"tallylock/ui/screen/tables"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// begun is a table whose first rows have come, and whose layout is yet to be judged.
type begun struct {
	on      *dynamo.Connection
	browser *dynamo.Browser
	first   dynamo.View
}

// leastItems is how many items a table begins with, at least: what a small screen shows.
const leastItems = 24

// open opens a table by name. Its first rows are shown as soon as they come: as many as
// the screen shows, and one more. Until then the table that was looked at before, and its
// connection, stay what the screen is about.
func (a *app) open(conn int, name string) tea.Cmd {
	c, from, began, items := a.Connections[conn], a.Tab, a.Now(), max(a.Size.Height, leastItems)+1
	asked := a.top()
	again := a.browse.Unjudged() && conn == a.On && name == a.Wanted
	a.browse.Opening, a.another = name, a.browse.Begun() && !again || c.Connection == nil
	if !a.another {
		a.On, a.Wanted, a.browse.Failed = conn, name, nil
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
		b.first, err = b.browser.Next(ctx)
		return b, err
	}, func(b begun, err error) tea.Cmd {
		if err != nil {
			return a.notOpened(err)
		}
		typed := a.top()
		a.change(conn, name, b.on)
		if line, ok := typed.(*tables.Screen); ok && typed != asked {
			a.push(line) // begun meanwhile: the keys are for it
		}
		if a.Tab == from || a.Tab.Browses() || a.Tab == session.FindingsTab {
			a.Tab = session.AccountsTab
		}
		a.Table = nil
		return a.browse.Begin(b.browser, b.first, began)
	})
}

// goOn goes on with a table whose first rows are on the screen. Rows that were read a while
// ago are read again before anything is judged by them; they stay until then.
func (a *app) goOn() tea.Cmd {
	if a.browse.TooOld() {
		return a.open(a.On, a.Wanted)
	}
	return a.browse.JudgeOn()
}

// judged shows a table whose layout was judged after its first rows.
func (a *app) judged(t *dynamo.Table) tea.Cmd {
	a.unlooked = layout.Needed(t)
	return tea.Batch(a.take(t, session.AccountsTab), a.compare(t), a.browse.ReadOpened(), a.lookFirst())
}

// notOpened says why a table was not opened. What is looked at stays.
func (a *app) notOpened(err error) tea.Cmd {
	if a.another {
		return tea.Batch(a.Fail(err), a.stay())
	}
	if a.browse.Unjudged() {
		return a.browse.NotJudged(err)
	}
	a.browse.Opening, a.browse.Failed = "", err
	if len(a.stack) > 0 {
		return a.Fail(err)
	}
	return a.showOpenError(err)
}

// stay gives up opening another table than the one that is looked at, which goes on.
func (a *app) stay() tea.Cmd {
	a.Tasks.Drop(task.Opening)
	a.browse.Opening, a.another = "", false
	if a.browse.Unjudged() && !a.browse.Stopped() {
		return a.goOn()
	}
	return nil
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
	return tea.Batch(a.browse.Start(), cmd)
}

// change leaves the table that was open, or on its way, for one of a connection.
func (a *app) change(conn int, name string, on *dynamo.Connection) {
	a.unwatch()
	for _, k := range []task.Kind{task.Opening, task.Paging, task.Confirming, task.Comparing, task.Describing} {
		a.Tasks.Drop(k)
	}
	if conn != a.On || a.Table == nil {
		a.counters.Reset()
	}
	if a.Connections[conn].Connection == nil {
		a.Connections[conn].Connection = on
	}
	a.On, a.Wanted, a.another, a.unlooked = conn, name, false, false
	a.browse.Opening, a.browse.Failed = "", nil
	a.stack, a.reading, a.crossed, a.Offline = nil, reading{}, nil, nil
	a.Marks.Clear()
}

// take has a table be the open one, and shows its first tab, unless another was gone to
// from the one that it was opened on.
func (a *app) take(t *dynamo.Table, from session.Tab) tea.Cmd {
	a.Table = t
	a.findings.Opened()
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
