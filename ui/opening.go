package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/ui/browse"
	"tallylock/ui/screen/layout"
	"tallylock/ui/screen/tables"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// opening opens tables: one is looked at, and another may be on its way.
type opening struct {
	*screens

	another  bool // the table on its way is not the one that is looked at
	unlooked bool // the open table's layout is to be looked at first, and was not
}

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
func (o *opening) open(conn int, name string) tea.Cmd { return o.openFrom(conn, name, o.Tab) }

// openFrom opens a table, whose first tab is shown unless another than this was gone to meanwhile.
func (o *opening) openFrom(conn int, name string, from session.Tab) tea.Cmd {
	c, began, items := o.Connections[conn], o.Now(), max(o.Size.Height, leastItems)+1
	asked := o.top()
	again := o.browse.Unjudged() && conn == o.On && name == o.Wanted
	o.browse.Opening, o.another = name, o.browse.Begun() && !again || c.Connection == nil
	var count tea.Cmd
	if !o.another {
		if o.turnTo(conn) && o.Tab == session.CountersTab {
			count = o.counters.Visit()
		}
		o.Wanted, o.browse.Failed = name, nil
	}
	return tea.Batch(count, task.Start(o.Tasks, task.Opening, func(ctx context.Context) (b begun, err error) {
		if b.on, err = c.Connected(ctx); err != nil {
			return b, err
		}
		found, err := b.on.Start(ctx, name, items)
		if err != nil {
			return b, err
		}
		b.browser = found.Browse()
		b.first, err = b.browser.Next(ctx)
		return b, err
	}, func(b begun, err error) tea.Cmd {
		if err != nil {
			return o.notOpened(err)
		}
		typed, trail := o.top(), o.trail
		o.change(conn, name, b.on)
		if from == session.Tabs { // esc led here, and leads on
			o.trail = trail
		}
		if line, ok := typed.(*tables.Screen); ok && typed != asked {
			o.push(line) // begun meanwhile: the keys are for it
		}
		if o.Tab == from || o.Tab.Browses() || o.Tab == session.FindingsTab {
			o.Tab = session.AccountsTab
		}
		o.Table = nil
		return o.browse.Begin(b.browser, b.first, began)
	}))
}

// goOn goes on with a table whose first rows are on the screen. Rows that were read a while
// ago are read again before anything is judged by them; they stay until then.
func (o *opening) goOn() tea.Cmd {
	if o.browse.TooOld() {
		return o.open(o.On, o.Wanted)
	}
	return o.browse.JudgeOn()
}

// judged shows a table whose layout was judged after its first rows.
func (o *opening) judged(t *dynamo.Table) tea.Cmd {
	o.unlooked = layout.Needed(t)
	return tea.Batch(o.take(t, session.AccountsTab), o.compare(t), o.browse.ReadOpened(), o.lookFirst())
}

// notOpened says why a table was not opened. What is looked at stays.
func (o *opening) notOpened(err error) tea.Cmd {
	if o.another {
		return tea.Batch(o.Fail(err), o.stay())
	}
	if o.browse.Unjudged() {
		return o.browse.NotJudged(err)
	}
	o.browse.Opening, o.browse.Failed = "", err
	if len(o.stack) > 0 {
		return o.Fail(err)
	}
	return o.showOpenError(err)
}

// stay gives up opening another table than the one that is looked at, which goes on.
func (o *opening) stay() tea.Cmd {
	o.Tasks.Drop(task.Opening)
	o.browse.Opening, o.another = "", false
	if o.browse.Unjudged() && !o.browse.Stopped() {
		return o.goOn()
	}
	return nil
}

// opened shows a table, or its layout first where nothing can be known before that is right.
func (o *opening) opened(conn int, t *dynamo.Table, from session.Tab) tea.Cmd {
	cmd := o.use(conn, t, from)
	o.unlooked = layout.Needed(t)
	return tea.Batch(cmd, o.compare(t), o.lookFirst())
}

// use shows a table that is open, from its beginning.
func (o *opening) use(conn int, t *dynamo.Table, from session.Tab) tea.Cmd {
	o.change(conn, t.Name, t.Connection())
	cmd := o.take(t, from)
	return tea.Batch(o.browse.Start(), cmd)
}

// closed looks at a connection of which no table is open.
func (o *opening) closed(conn int) tea.Cmd {
	o.change(conn, "", nil)
	o.Table = nil
	browse.Close(o.browse)
	return o.counters.Visit()
}

// change leaves the table that was open, or on its way, for one of a connection.
func (o *opening) change(conn int, name string, on *dynamo.Connection) {
	for _, k := range []task.Kind{task.Opening, task.Paging, task.Confirming, task.Comparing, task.Describing} {
		o.Tasks.Drop(k)
	}
	o.turnTo(conn)
	if o.Connections[conn].Connection == nil {
		o.Connections[conn].Connection = on
	}
	o.Wanted, o.another, o.unlooked = name, false, false
	o.browse.Opening, o.browse.Failed = "", nil
	o.unstack()
	o.Offline = nil
	o.Marks.Clear()
}

// turnTo looks at a connection, and reports whether another was looked at before: nothing
// that it said stands under this one's name.
func (o *opening) turnTo(conn int) bool {
	if conn == o.On {
		return false
	}
	o.counters.Reset()
	o.On, o.Offline = conn, nil
	return true
}

// take has a table be the open one, and shows its first tab, unless another was gone to
// from the one that it was opened on.
func (o *opening) take(t *dynamo.Table, from session.Tab) tea.Cmd {
	o.Table = t
	o.findings.Opened()
	if o.Tab == from {
		o.Tab = session.AccountsTab
		if len(t.Layout.Accounts) == 0 && len(t.Layout.Counters) > 0 {
			o.Tab = session.CountersTab
		}
	}
	switch o.Tab {
	case session.CountersTab:
		return o.counters.Visit()
	case session.FindingsTab:
		return o.findings.Visit()
	}
	return nil
}
