package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/screen/layout"
	"tallylock/ui/screen/tables"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// firstRows is a table whose first rows have come, and whose layout is yet to be judged.
type firstRows struct {
	on      *dynamo.Connection
	browser *browse.Browser
	first   browse.View
}

// leastItems is how many items a table begins with, at least: what a small screen shows.
const leastItems = 24

// open opens a table by name. Its first rows are shown as soon as they come: as many as
// the screen shows, and one more. Until then the table that was looked at before, and its
// connection, stay what the screen is about.
func (a *app) open(conn int, name string) tea.Cmd { return a.openFrom(conn, name, a.Tab) }

// followConfig opens the table again if the config describes it otherwise by now: nothing is planned by the
// former layout.
func (a *app) followConfig() tea.Cmd {
	if a.Table == nil || a.Table.CheckConfig() == nil {
		return nil
	}
	said := a.Say("The config has changed: " + a.Table.Name + " is opened again.")
	return tea.Batch(said, a.Reading(0, func() tea.Cmd { return a.openFrom(a.On, a.Table.Name, nil) }))
}

// openFrom opens a table, whose first tab is shown unless another than this was gone to meanwhile.
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
		if from != nil { // esc did not lead here, and leads back
			trail = a.trailFrom(conn, name)
		}
		a.reset(conn, name, b.on)
		a.trail = trail
		if line, ok := typed.(*tables.Screen); ok && typed != asked {
			a.push(line) // begun meanwhile: the keys are for it
		}
		if a.Tab == from || a.Tab.Table {
			a.Tab = a.tabs[0].Info()
		}
		a.Table = nil
		return a.browse.Begin(b.browser, b.first, began)
	}))
}

// resume goes on with a table whose first rows are on the screen. Rows that were read a while
// ago are read again before anything is judged by them; they stay until then.
func (a *app) resume() tea.Cmd {
	if a.browse.TooOld() {
		return a.open(a.On, a.Wanted)
	}
	return a.browse.JudgeOn()
}

// onJudged shows a table whose layout was judged after its first rows.
func (a *app) onJudged(t *dynamo.Table) tea.Cmd {
	a.layoutUnseen = layout.Needed(t)
	return tea.Batch(a.setTable(t, a.tabs[0].Info()), a.compare(t), a.browse.ReadOpened(), a.showUnseenLayout())
}

// onFailed says why a table was not opened. What is looked at stays.
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

// cancel gives up opening another table than the one that is looked at, which goes on.
func (a *app) cancel() tea.Cmd {
	a.Tasks.Drop(task.Opening)
	a.browse.Opening, a.another = "", false
	if a.browse.Unjudged() && !a.browse.Stopped() {
		return a.resume()
	}
	return nil
}

// show shows a table, or its layout first where nothing can be known before that is right.
func (a *app) show(conn int, t *dynamo.Table, from *session.Tab) tea.Cmd {
	cmd := a.use(conn, t, from)
	a.layoutUnseen = layout.Needed(t)
	return tea.Batch(cmd, a.compare(t), a.showUnseenLayout())
}

// use shows a table that is open, from its beginning.
func (a *app) use(conn int, t *dynamo.Table, from *session.Tab) tea.Cmd {
	a.reset(conn, t.Name, t.Connection())
	cmd := a.setTable(t, from)
	return tea.Batch(a.browse.Start(), cmd)
}

// showNone looks at a connection of which no table is open.
func (a *app) showNone(conn int) tea.Cmd {
	a.reset(conn, "", nil)
	a.Table = nil
	a.browse.Close()
	return a.tab().Enter()
}

// reset leaves the table that was open, or on its way, for one of a connection.
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

// switchConnection looks at a connection, and reports whether another was looked at before: nothing
// that it said stands under this one's name.
func (a *app) switchConnection(conn int) bool {
	if conn == a.On {
		return false
	}
	a.tell(message.Connected{})
	a.On, a.Offline = conn, nil
	return true
}

// setTable has a table be the open one, and shows its first tab, unless another was gone to
// from the one that it was opened on.
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
	if a.Tab.Lists { // the reading of the table is started by itself
		return cmd
	}
	return tea.Batch(cmd, a.tab().Enter())
}

// compare has a larger sample recognise the table, if the one that it was opened with was too small.
func (a *app) compare(t *dynamo.Table) tea.Cmd {
	grow := a.layout.Grow(t, a.useLarger)
	if text := t.Connection().Answers.Ignored(); text != "" {
		return tea.Batch(a.Complain(text), grow)
	}
	return grow
}

// useLarger reads the table by what a larger sample shows, unless somebody is at work on
// what the smaller one showed.
func (a *app) useLarger(t *dynamo.Table) tea.Cmd {
	const said = "A larger sample shows another layout"
	onlyLayout := len(a.stack) == 1 && a.top() == a.layout && !a.layout.Corrected()
	if !a.Tab.Lists || a.dialog != nil || len(a.Marks.All()) > 0 || len(a.stack) > 0 && !onlyLayout {
		return a.Say(
			said + ": " + a.Keys.Key(keymap.Reload) + " on the layout (" + a.Keys.Key(keymap.Layout) + ") switches to it.",
		)
	}
	return tea.Batch(a.show(a.On, t, a.Tab),
		a.Say(said+": the table is read by it now. "+a.Keys.Key(keymap.Layout)+" shows it."))
}

// showLayout shows the layout of the open table, or goes back to it.
func (a *app) showLayout() tea.Cmd {
	if a.Table == nil {
		return a.Say(words.Sentence(a.browse.NoTable()))
	}
	a.layoutUnseen = false
	if n := slices.Index(a.stack, screen.Screen(a.layout)); n >= 0 {
		a.stack, a.pane = a.stack[:n+1], pane{}
		return nil
	}
	a.push(a.layout)
	return a.layout.Show(a.Table)
}

// showUnseenLayout shows the layout of the open table where nothing can be known before that is
// right: by itself over the table's own rows only, and once.
func (a *app) showUnseenLayout() tea.Cmd {
	if !a.layoutUnseen || len(a.stack) > 0 || a.dialog != nil || !a.Tab.Lists {
		return nil
	}
	return a.showLayout()
}

// retryOpen goes on with opening the table that was asked for, or begins again where nothing
// of it is on the screen. A table that is on its way is waited for, whichever it is.
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
