package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/layout"
	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// firstRows holds the first rows of a table whose layout is not judged yet.
type firstRows struct {
	on      *dynamo.Connection
	browser *browse.Browser
	first   browse.View
}

// leastItems is the minimum number of items that open reads first: as many as a small screen shows.
const leastItems = 24

// open opens a table by name. It reads one row more than fits on the screen, and shows these first
// rows as soon as they arrive. Until then, the earlier table and its connection stay on the screen.
func (a *app) open(conn int, name string) tea.Cmd { return a.openFrom(conn, name, a.Tab) }

// followConfig opens the table again if the config now describes it differently, or cannot be read. No change
// may be planned with the former layout.
func (a *app) followConfig() tea.Cmd {
	if a.Table == nil {
		return nil
	}
	if changed, err := a.Table.ConfigChanged(); err != nil || !changed { // a change reports the error
		return nil
	}
	said := a.Say("The config has changed: " + a.Table.Name + " is opened again.")
	return tea.Batch(said, a.Reading(0, func() tea.Cmd { return a.openFrom(a.On, a.Table.Name, nil) }))
}

// openFrom opens a table. from is the tab that was shown when a person asked for the table. When the first rows
// arrive, openFrom shows the first tab. But if a person has since chosen a tab that needs no open table, that tab
// stays. from is nil for a place of the trail, or if the open table is opened again.
func (a *app) openFrom(conn int, name string, from *session.Tab) tea.Cmd {
	c, began, items := a.Connections[conn], a.Now(), max(a.Size.Height, leastItems)+1
	asked := a.top()
	again := a.browse.Unjudged() && conn == a.On && name == a.Wanted
	a.browse.Opening, a.another = name, a.browse.Begun() && !again || c.Connection == nil
	var count tea.Cmd
	if !a.another {
		if a.switchConnection(conn) && !a.Tab.Table {
			count = a.tab().Enter()
		}
		a.Wanted, a.browse.Failed = name, nil
	}
	return tea.Batch(count, task.Start(a.Tasks, task.Opening, func(ctx context.Context) (b firstRows, err error) {
		if b.on, err = c.Connected(ctx); err != nil {
			return b, err
		}
		found, err := b.on.Start(ctx, name, items)
		if err != nil {
			return b, err
		}
		b.browser = browse.NewOpening(found)
		b.first, err = b.browser.Next(ctx)
		return b, err
	}, func(b firstRows, err error) tea.Cmd {
		if err != nil {
			return a.onFailed(err)
		}
		typed, trail := a.top(), a.trail
		if from != nil { // a person chose this table: esc must go back from it
			trail = a.trailFrom(conn, name)
		}
		a.reset(conn, name, b.on)
		a.trail = trail
		if typed == a.line && typed != asked {
			a.push(a.line) // opened while the table was being read: a person is typing into it
		}
		if a.Tab == from || a.Tab.Table {
			a.Tab = a.tabs[0].Info()
		}
		a.Table = nil
		return a.browse.Begin(b.browser, b.first, began)
	}))
}

// resume continues to open a table whose first rows are on the screen. If those rows are too old to be
// judged, resume opens the table again. The old rows stay on the screen until the new ones arrive.
func (a *app) resume() tea.Cmd {
	if a.browse.TooOld() {
		return a.open(a.On, a.Wanted)
	}
	return a.browse.JudgeOn()
}

// onJudged makes t the open table. The layout of t has just been judged; its first rows are on the screen
// already.
func (a *app) onJudged(t *dynamo.Table) tea.Cmd {
	a.layoutUnseen = layoutFirst(t)
	return tea.Batch(a.setTable(t, a.tabs[0].Info()), a.compare(t), a.browse.ReadOpened(), a.showUnseenLayout())
}

// onFailed says why a table was not opened. The current screen stays.
func (a *app) onFailed(err error) tea.Cmd {
	if a.another {
		return tea.Batch(a.Fail(err), a.cancel())
	}
	if a.browse.Unjudged() {
		return a.browse.NotJudged(err)
	}
	a.browse.Opening, a.browse.Failed = "", err
	if len(a.stack) > 0 {
		return a.Fail(err)
	}
	return a.Unreached(task.Opening, err, a.retryOpen)
}

// cancel stops opening another table. If the table on the screen was not completely open, cancel
// continues to open it.
func (a *app) cancel() tea.Cmd {
	a.Tasks.Drop(task.Opening)
	a.browse.Opening, a.another = "", false
	if a.browse.Unjudged() && !a.browse.Stopped() {
		return a.resume()
	}
	return nil
}

// showTable makes t the open table and reads it from its beginning. It shows the layout first if a person
// should see that before anything else.
func (a *app) showTable(conn int, t *dynamo.Table, from *session.Tab) tea.Cmd {
	cmd := a.use(conn, t, from)
	a.layoutUnseen = layoutFirst(t)
	return tea.Batch(cmd, a.compare(t), a.showUnseenLayout())
}

// use makes t, a table that is opened already, the open table, and reads it from its beginning.
func (a *app) use(conn int, t *dynamo.Table, from *session.Tab) tea.Cmd {
	a.reset(conn, t.Name, t.Connection())
	cmd := a.setTable(t, from)
	return tea.Batch(a.browse.Start(), cmd)
}

// showNone shows a connection without an open table.
func (a *app) showNone(conn int) tea.Cmd {
	a.reset(conn, "", nil)
	a.Table = nil
	a.browse.Close()
	return a.tab().Enter()
}

// reset leaves the earlier table, which may still be opening, for the table called name of connection
// number conn. It drops the earlier table's tasks, marks and trail, and closes all screens on top of the tabs.
func (a *app) reset(conn int, name string, on *dynamo.Connection) {
	for _, k := range []task.Kind{task.Opening, task.Paging, task.Confirming, task.Comparing, task.Describing} {
		a.Tasks.Drop(k)
	}
	a.switchConnection(conn)
	if a.Connections[conn].Connection == nil {
		a.Connections[conn].Connection = on
	}
	a.Wanted, a.another, a.layoutUnseen = name, false, false
	a.browse.Opening, a.browse.Failed = "", nil
	a.unstack()
	a.trail = nil
	a.Offline = nil
	a.Marks.Clear()
}

// switchConnection shows connection number conn, and reports whether another one was shown before. The tabs
// then drop the data of the other connection, which must not appear under this connection's name.
func (a *app) switchConnection(conn int) bool {
	if conn == a.On {
		return false
	}
	a.tell(message.Connected{})
	a.On, a.Offline = conn, nil
	return true
}

// setTable makes t the open table. It shows the table's first tab if the tab from is still shown, and
// otherwise keeps the tab that a person has chosen since.
func (a *app) setTable(t *dynamo.Table, from *session.Tab) tea.Cmd {
	a.Table = t
	cmd := a.tell(message.Opened{})
	if a.Tab == from {
		first := slices.IndexFunc(a.tabs, func(tab screen.Tab) bool {
			f, ok := tab.(screen.First)
			return ok && f.IsFirst(t)
		})
		a.Tab = a.tabs[max(first, 0)].Info()
	}
	if a.Tab.Lists { // the caller starts the reading of the table
		return cmd
	}
	return tea.Batch(cmd, a.tab().Enter())
}

// compare recognises the layout by a larger sample, if the sample of the opening was too small. It also
// says if answers about the table are ignored.
func (a *app) compare(t *dynamo.Table) tea.Cmd {
	grow := a.browse.Grow(t, a.useLarger)
	if text := t.Connection().Answers.Ignored(); text != "" {
		return tea.Batch(a.Complain(text), grow)
	}
	return grow
}

// useLarger replaces the open table with t, whose layout comes from a larger sample. If a person is working
// with the earlier rows, useLarger only says how to switch to the new layout.
func (a *app) useLarger(t *dynamo.Table) tea.Cmd {
	const said = "A larger sample shows another layout"
	yields := len(a.stack) == 0
	if on, ok := a.top().(screen.Yielding); ok && len(a.stack) == 1 {
		yields = on.Yields()
	}
	if !a.Tab.Lists || a.dialog != nil || len(a.Marks.All()) > 0 || !yields {
		return a.Say(
			said + ": " + a.Keys.Key(keymap.Reload) + " on the layout (" + a.Keys.Key(keymap.Layout) + ") switches to it.",
		)
	}
	return tea.Batch(a.showTable(a.On, t, a.Tab),
		a.Say(said+": the table is read by it now. "+a.Keys.Key(keymap.Layout)+" shows it."))
}

// showUnseenLayout shows the open table's layout, once, if a person should see it before anything else. It
// does nothing while a dialog or a screen covers the tab, or if the tab does not list the table's rows.
func (a *app) showUnseenLayout() tea.Cmd {
	if !a.layoutUnseen || len(a.stack) > 0 || a.dialog != nil || !a.Tab.Lists {
		return nil
	}
	a.layoutUnseen = false
	return a.show(screen.Layout{})
}

// retryOpen continues to open the requested table. If none of its rows are on the screen, it starts again.
// It does nothing while any table is being opened.
func (a *app) retryOpen() tea.Cmd {
	_, busy := a.Tasks.Since(task.Opening)
	switch {
	case busy:
		return nil
	case a.browse.Unjudged():
		return a.resume()
	case a.Wanted == "":
		return a.showTables()
	}
	return a.open(a.On, a.Wanted)
}

// layoutFirst reports whether a person should see a table's layout before anything else.
func layoutFirst(t *dynamo.Table) bool {
	if t.Layout.Empty() {
		return !t.Sample.Vacant() && t.Sample.Leases() == "" && dynamo.Unrecognised(t, "") == nil
	}
	return slices.ContainsFunc(t.Fit.All(), func(f layout.Fit) bool { return f.Standing() == layout.Contradicted })
}
