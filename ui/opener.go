package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/keymap"
	"tallylock/ui/screen"
	"tallylock/ui/screen/layout"
	"tallylock/ui/screen/tables"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// opener opens tables: one is looked at, and another may be on its way.
type opener struct {
	*session.Session

	screens      *screens
	another      bool // the table on its way is not the one that is looked at
	layoutUnseen bool // the open table's layout is to be looked at first, and was not
}

// firstRows is a table whose first rows have come, and whose layout is yet to be judged.
type firstRows struct {
	on      *dynamo.Connection
	browser *dynamo.Browser
	first   dynamo.View
}

// leastItems is how many items a table begins with, at least: what a small screen shows.
const leastItems = 24

// open opens a table by name. Its first rows are shown as soon as they come: as many as
// the screen shows, and one more. Until then the table that was looked at before, and its
// connection, stay what the screen is about.
func (o *opener) open(conn int, name string) tea.Cmd { return o.openFrom(conn, name, o.Tab) }

// openFrom opens a table, whose first tab is shown unless another than this was gone to meanwhile.
func (o *opener) openFrom(conn int, name string, from session.Tab) tea.Cmd {
	c, began, items := o.Connections[conn], o.Now(), max(o.Size.Height, leastItems)+1
	asked := o.screens.top()
	again := o.screens.browse.Unjudged() && conn == o.On && name == o.Wanted
	o.screens.browse.Opening, o.another = name, o.screens.browse.Begun() && !again || c.Connection == nil
	var count tea.Cmd
	if !o.another {
		if o.switchConnection(conn) && o.Tab == session.CountersTab {
			count = o.screens.counters.Visit()
		}
		o.Wanted, o.screens.browse.Failed = name, nil
	}
	return tea.Batch(count, task.Start(o.Tasks, task.Opening, func(ctx context.Context) (b firstRows, err error) {
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
	}, func(b firstRows, err error) tea.Cmd {
		if err != nil {
			return o.onFailed(err)
		}
		typed, trail := o.screens.top(), o.screens.trail
		if from != session.Tabs { // esc did not lead here, and leads back
			trail = trailFrom(o.screens, conn, name)
		}
		o.reset(conn, name, b.on)
		o.screens.trail = trail
		if line, ok := typed.(*tables.Screen); ok && typed != asked {
			o.screens.push(line) // begun meanwhile: the keys are for it
		}
		if o.Tab == from || o.Tab.Browses() || o.Tab == session.FindingsTab {
			o.Tab = session.AccountsTab
		}
		o.Table = nil
		return o.screens.browse.Begin(b.browser, b.first, began)
	}))
}

// resume goes on with a table whose first rows are on the screen. Rows that were read a while
// ago are read again before anything is judged by them; they stay until then.
func (o *opener) resume() tea.Cmd {
	if o.screens.browse.TooOld() {
		return o.open(o.On, o.Wanted)
	}
	return o.screens.browse.JudgeOn()
}

// onJudged shows a table whose layout was judged after its first rows.
func (o *opener) onJudged(t *dynamo.Table) tea.Cmd {
	o.layoutUnseen = layout.Needed(t)
	return tea.Batch(o.setTable(t, session.AccountsTab), o.compare(t), o.screens.browse.ReadOpened(), o.showUnseenLayout())
}

// onFailed says why a table was not opened. What is looked at stays.
func (o *opener) onFailed(err error) tea.Cmd {
	if o.another {
		return tea.Batch(o.Fail(err), o.cancel())
	}
	if o.screens.browse.Unjudged() {
		return o.screens.browse.NotJudged(err)
	}
	o.screens.browse.Opening, o.screens.browse.Failed = "", err
	if len(o.screens.stack) > 0 {
		return o.Fail(err)
	}
	return o.showOpenError(err)
}

// cancel gives up opening another table than the one that is looked at, which goes on.
func (o *opener) cancel() tea.Cmd {
	o.Tasks.Drop(task.Opening)
	o.screens.browse.Opening, o.another = "", false
	if o.screens.browse.Unjudged() && !o.screens.browse.Stopped() {
		return o.resume()
	}
	return nil
}

// show shows a table, or its layout first where nothing can be known before that is right.
func (o *opener) show(conn int, t *dynamo.Table, from session.Tab) tea.Cmd {
	cmd := o.use(conn, t, from)
	o.layoutUnseen = layout.Needed(t)
	return tea.Batch(cmd, o.compare(t), o.showUnseenLayout())
}

// use shows a table that is open, from its beginning.
func (o *opener) use(conn int, t *dynamo.Table, from session.Tab) tea.Cmd {
	o.reset(conn, t.Name, t.Connection())
	cmd := o.setTable(t, from)
	return tea.Batch(o.screens.browse.Start(), cmd)
}

// showNone looks at a connection of which no table is open.
func (o *opener) showNone(conn int) tea.Cmd {
	o.reset(conn, "", nil)
	o.Table = nil
	o.screens.browse.Close()
	return o.screens.counters.Visit()
}

// reset leaves the table that was open, or on its way, for one of a connection.
func (o *opener) reset(conn int, name string, on *dynamo.Connection) {
	for _, k := range []task.Kind{task.Opening, task.Paging, task.Confirming, task.Comparing, task.Describing} {
		o.Tasks.Drop(k)
	}
	o.switchConnection(conn)
	if o.Connections[conn].Connection == nil {
		o.Connections[conn].Connection = on
	}
	o.Wanted, o.another, o.layoutUnseen = name, false, false
	o.screens.browse.Opening, o.screens.browse.Failed = "", nil
	o.screens.unstack()
	o.screens.trail = nil
	o.Offline = nil
	o.Marks.Clear()
}

// switchConnection looks at a connection, and reports whether another was looked at before: nothing
// that it said stands under this one's name.
func (o *opener) switchConnection(conn int) bool {
	if conn == o.On {
		return false
	}
	o.screens.counters.Reset()
	o.On, o.Offline = conn, nil
	return true
}

// setTable has a table be the open one, and shows its first tab, unless another was gone to
// from the one that it was opened on.
func (o *opener) setTable(t *dynamo.Table, from session.Tab) tea.Cmd {
	o.Table = t
	o.screens.findings.Opened()
	if o.Tab == from {
		o.Tab = session.AccountsTab
		if len(t.Layout.Accounts) == 0 && len(t.Layout.Counters) > 0 {
			o.Tab = session.CountersTab
		}
	}
	switch o.Tab {
	case session.CountersTab:
		return o.screens.counters.Visit()
	case session.FindingsTab:
		return o.screens.findings.Visit()
	}
	return nil
}

// compare has a larger sample recognise the table, if the one that it was opened with was too small.
func (o *opener) compare(t *dynamo.Table) tea.Cmd {
	grow := o.screens.layout.Grow(t, o.useLarger)
	if text := t.Connection().AnswersUnreadable(); text != "" {
		return tea.Batch(o.Complain(text), grow)
	}
	return grow
}

// useLarger reads the table by what a larger sample shows, unless somebody is at work on
// what the smaller one showed.
func (o *opener) useLarger(t *dynamo.Table) tea.Cmd {
	const said = "A larger sample shows another layout"
	onlyLayout := len(o.screens.stack) == 1 && o.screens.top() == o.screens.layout && !o.screens.layout.Corrected()
	if !o.Tab.Browses() || o.screens.dialog != nil || len(o.Marks.All()) > 0 || len(o.screens.stack) > 0 && !onlyLayout {
		return o.Say(
			said + ": " + o.Keys.Key(keymap.Reload) + " on the layout (" + o.Keys.Key(keymap.Layout) + ") switches to it.",
		)
	}
	return tea.Batch(o.show(o.On, t, o.Tab),
		o.Say(said+": the table is read by it now. "+o.Keys.Key(keymap.Layout)+" shows it."))
}

// showLayout shows the layout of the open table, or goes back to it.
func (o *opener) showLayout() tea.Cmd {
	if o.Table == nil {
		return o.Say(words.Sentence(o.screens.browse.NoTable()))
	}
	o.layoutUnseen = false
	if n := slices.Index(o.screens.stack, screen.Screen(o.screens.layout)); n >= 0 {
		o.screens.stack, o.screens.pane = o.screens.stack[:n+1], pane{}
		return nil
	}
	o.screens.push(o.screens.layout)
	return o.screens.layout.Show(o.Table)
}

// showUnseenLayout shows the layout of the open table where nothing can be known before that is
// right: by itself over the table's own rows only, and once.
func (o *opener) showUnseenLayout() tea.Cmd {
	if !o.layoutUnseen || len(o.screens.stack) > 0 || o.screens.dialog != nil || !o.Tab.Browses() {
		return nil
	}
	return o.showLayout()
}
