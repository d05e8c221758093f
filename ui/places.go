package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// place is a place that esc goes back to: a tab, for a table of a connection.
type place struct {
	on     int           // the connection's index
	table  *dynamo.Table // the open table; nil if none was open
	wanted string        // the name of the table that was open or being opened; empty if none was requested
	tab    *session.Tab
}

// mostPlaces is the maximum number of places that esc can go back to.
const mostPlaces = 20

// sameTable reports whether two places have the same table. Their tabs may be different.
func (p place) sameTable(other place) bool {
	return p.on == other.on && p.table == other.table && p.wanted == other.wanted
}

// here returns the current place.
func (s *screens) here() place { return place{s.On, s.Table, s.Wanted, s.Tab} }

// leadsToTab reports whether the last step of the history leads to another tab of the open table.
func (s *screens) leadsToTab() bool {
	n := len(s.history)
	return n > 0 && s.history[n-1].sameTable(s.here())
}

// pastTables returns the history without a step between the tabs of the open table.
func (s *screens) pastTables() []place {
	if s.leadsToTab() {
		return s.history[:len(s.history)-1]
	}
	return s.history
}

// remembered returns the history with the current place appended. It drops the oldest places beyond mostPlaces.
func (s *screens) remembered() []place {
	all := append(slices.Clip(s.pastTables()), s.here())
	return all[max(0, len(all)-mostPlaces):]
}

// replaceInHistory puts table t into the history in place of earlier readings of the same table, whose layouts are
// out of date.
func (s *screens) replaceInHistory(on *dynamo.Connection, t *dynamo.Table) {
	for n, p := range s.history {
		if p.table != nil && p.table.Name == t.Name && p.table.Connection() == on {
			s.history[n].table = t
		}
	}
}

// historyAt returns the history for a table that is about to be opened. The history ends with the table that is open
// now, unless none is open, or both are the same table.
func (s *screens) historyAt(conn int, name string) []place {
	if s.Table == nil || s.On == conn && s.Table.Name == name {
		return s.pastTables()
	}
	return s.remembered()
}

// show shows a target: a screen, or a type of package screen that names what to show. A tab that lists the target
// selects its row, and esc then goes back to the earlier tab. An opener puts a screen on top, in place of the choice of
// tables.
func (a *app) show(target any) tea.Cmd {
	a.closeTables()
	switch target := target.(type) {
	case screen.Examples:
		return a.listItems()
	case screen.Screen:
		a.push(target)
		return nil
	case screen.Value:
		a.frame.tip = false // the tip only tells a person to try this
	}
	if listed(target) {
		if ask := a.unaccepted(keymap.OtherSide); ask != nil {
			return ask
		}
	}
	for _, t := range a.tabs {
		list, ok := t.(screen.Targeted)
		if !ok {
			continue
		}
		fits, found := list.Show(target)
		if !fits {
			continue
		}
		if !found {
			return a.Say("This item is not in the rows that were read.")
		}
		history := a.remembered()
		cmd := a.switchTo(t)
		if a.shownTab() == t { // otherwise switchTo only warned about unsaved input
			a.history = history
		}
		return cmd
	}
	for _, o := range a.openers {
		if on, cmd := o.Open(target, a.stack); on != nil {
			a.put(on)
			return cmd
		}
	}
	return nil
}

// listItems lists the items of the open table, so that a person can choose examples.
func (a *app) listItems() tea.Cmd {
	if ask := a.unaccepted(keymap.Examples); ask != nil {
		return ask
	}
	a.Examples.On = true
	return tea.Batch(a.switchTo(a.tabs[0]), a.browse.Renew())
}

// listed reports whether a target is a row of a tab.
func listed(target any) bool {
	switch target.(type) {
	case screen.Lock, screen.Account:
		return true
	}
	return false
}

// put shows a screen on top. If the stack has the screen already, put closes the screens above it.
func (a *app) put(on screen.Screen) {
	if n := slices.Index(a.stack, on); n >= 0 {
		a.stack, a.pane = a.stack[:n+1], pane{}
		return
	}
	a.push(on)
}

// closeTables closes the choice of tables if a screen lies beneath it.
func (a *app) closeTables() {
	if a.top() == a.tables && !a.nothingBeneath() {
		a.stack, a.pane = a.stack[:len(a.stack)-1], pane{}
	}
}

// leave closes the screen on top. If the screen has unsaved input, the first attempt only warns. It does not close the
// choice of tables if no screen is beneath it.
func (a *app) leave() tea.Cmd {
	if len(a.stack) == 0 {
		return nil
	}
	top := a.top()
	k, keeps := top.(screen.Unsaved)
	if keeps {
		if ask := k.Leaving(true, keymap.Back); ask != nil {
			return ask
		}
	}
	if top == a.tables && a.nothingBeneath() {
		return a.Say("This is the first screen: choose a table, or press ctrl+c to quit.")
	}
	a.stack, a.pane = a.stack[:len(a.stack)-1], pane{}
	switch {
	case keeps:
		return k.Left()
	case top == a.tables && a.browse.Another(): // a table of the choice is being opened
		return a.browse.Cancel()
	}
	return a.showUnseenLayout()
}

// switchTo shows a tab and closes all screens on top of the tabs. If one of these screens has unsaved
// input, the first attempt only warns.
func (a *app) switchTo(t screen.Tab) tea.Cmd {
	if ask := a.unaccepted(keymap.Back); ask != nil {
		return ask
	}
	a.unstack()
	var cmd tea.Cmd
	if from := a.tab(); from != t {
		a.Tab = t.Info()
		from.Leave()
		cmd = t.Enter()
	}
	return tea.Batch(cmd, a.showUnseenLayout())
}

// visit opens a table that a person chose; esc goes back to the earlier place. If the tab stays the same, visit says
// which connection is shown now.
func (a *app) visit(m message.Place) tea.Cmd {
	switch {
	case m.SameTab:
		history, marked := a.remembered(), len(a.Marks.All())
		cmd := a.showTable(m.On, m.Table, nil)
		a.history = history
		now := " now"
		if marked > 0 {
			now = " now; unmarked " + phrase.Count(marked, "row")
		}
		return tea.Batch(cmd, a.Say("This is "+a.Connection().Name()+now+". Changes apply here. "+
			a.Keys.Key(keymap.Back)+" goes back."))
	case m.Tab != "":
		return a.visitTab(m)
	case m.Table != nil:
		history := a.historyAt(m.On, m.Table.Name)
		cmd := a.showTable(m.On, m.Table, a.Tab)
		a.history = history
		return cmd
	}
	return a.open(m.On, m.Name, a.Tab)
}

// visitTab shows a tab of a table, and opens the table if another one is open. esc goes back to the earlier tab, and
// then to the earlier table.
func (a *app) visitTab(m message.Place) tea.Cmd {
	var open tea.Cmd
	if a.Table == nil || a.On != m.On || a.Table.Name != m.Table.Name {
		past := a.historyAt(m.On, m.Table.Name)
		open = a.showTable(m.On, m.Table, nil)
		a.history = past
	}
	history := a.remembered()
	to := slices.IndexFunc(a.tabs, func(t screen.Tab) bool { return t.Info().Action == m.Tab })
	show := a.switchTo(a.tabs[to])
	if a.shownTab() == a.tabs[to] { // otherwise switchTo only warned about unsaved input
		a.history = history
	}
	return tea.Batch(open, show)
}

// goBack returns to the last place of the history: its connection, its table and its tab.
func (a *app) goBack() tea.Cmd {
	if a.leadsToTab() {
		return a.switchTo(a.tabOf(a.history[len(a.history)-1].tab))
	}
	last := len(a.history) - 1
	to, history := a.history[last], a.history[:last]
	var cmd tea.Cmd
	switch {
	case to.table != nil:
		cmd = a.showTable(to.on, to.table, nil)
	case to.wanted != "":
		cmd = tea.Batch(a.showNone(to.on), a.open(to.on, to.wanted, nil))
	default:
		cmd = a.showNone(to.on)
	}
	if a.history = history; a.Tab != to.tab {
		cmd = tea.Batch(cmd, a.switchTo(a.tabOf(to.tab)))
	}
	return cmd
}

// open opens a table by name. from is the tab that was shown when a person asked for the table. When the first rows
// arrive, open shows the first tab. But if a person has since chosen a tab that needs no open table, that tab stays.
// from is nil for a place of the history, or if the open table is opened again.
func (a *app) open(conn int, name string, from *session.Tab) tea.Cmd {
	chosen := a.choices
	stays, opening := a.browse.Open(conn, name, func(on *dynamo.Connection) {
		typed, history := a.top(), a.pastTables()
		if from != nil { // a person chose this table: esc must go back from it
			history = a.historyAt(conn, name)
		}
		a.reset(conn, name, on)
		a.history = history
		if typed == a.tables && a.choices != chosen {
			a.push(a.tables) // a person opened it again during the reading, and is typing
		}
		if a.Tab == from || a.Tab.Table {
			a.Tab = a.tabs[0].Info()
		}
		a.Table = nil
	})
	if stays {
		return opening
	}
	var count tea.Cmd
	if a.switchConnection(conn) && !a.Tab.Table {
		count = a.tab().Enter()
	}
	a.Wanted = name
	return tea.Batch(count, opening)
}

// OnTop implements reading.Program.
func (a *app) OnTop() bool { return len(a.stack) > 0 }

// OpenWanted implements reading.Program.
func (a *app) OpenWanted() tea.Cmd {
	if a.Wanted == "" {
		return a.showTables()
	}
	return a.open(a.On, a.Wanted, a.Tab)
}

// Opened implements reading.Program.
func (a *app) Opened(t *dynamo.Table) tea.Cmd {
	a.layoutUnseen = layoutFirst(t)
	return tea.Batch(a.setTable(t, a.tabs[0].Info()), a.browse.Compare(t), a.showUnseenLayout())
}

// showTable makes t the open table and reads it from its beginning. If a person should see the layout first, it shows
// the layout.
func (a *app) showTable(conn int, t *dynamo.Table, from *session.Tab) tea.Cmd {
	cmd := a.use(conn, t, from)
	a.layoutUnseen = layoutFirst(t)
	return tea.Batch(cmd, a.browse.Compare(t), a.showUnseenLayout())
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

// reset leaves the earlier table, which may still be opening. The next table has this name, on connection
// number conn. reset drops the earlier table's tasks and marks, and closes all screens on top of the tabs.
func (a *app) reset(conn int, name string, on *dynamo.Connection) {
	a.browse.Drop()
	for _, k := range []task.Kind{task.Paging, task.Confirming, task.Comparing, task.Describing} {
		a.Tasks.Drop(k)
	}
	a.switchConnection(conn)
	if a.Connections[conn].Connection == nil {
		a.Connections[conn].Connection = on
	}
	a.Wanted, a.layoutUnseen = name, false
	a.unstack()
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
	a.On, a.Offline, a.Examples = conn, nil, session.Examples{}
	return true
}

// setTable makes t the open table. It shows the table's first tab if the tab from is still shown, and
// otherwise keeps the tab that a person has chosen since.
func (a *app) setTable(t *dynamo.Table, from *session.Tab) tea.Cmd {
	a.Table = t
	a.replaceInHistory(t.Connection(), t)
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

// accepted replaces a table with t, which uses the layout that a person has just accepted. It tells all tabs, and
// opens t again if it is the open table.
func (a *app) accepted(was, t *dynamo.Table) tea.Cmd {
	a.Examples = session.Examples{}
	cmd := a.tell(message.Accepted{Was: was, Table: t})
	a.replaceInHistory(was.Connection(), t)
	if a.Table != nil && a.Table.Name == was.Name && a.Table.Connection() == was.Connection() {
		cmd = tea.Batch(cmd, a.use(a.On, t, a.Tab))
	}
	return cmd
}

// Larger implements reading.Program. It replaces the open table with t. If a person is working with the earlier rows,
// Larger only says how to switch to the new layout.
func (a *app) Larger(t *dynamo.Table) tea.Cmd {
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
		a.Say(said+": the table now uses it. "+a.Keys.Key(keymap.Layout)+" shows it."))
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

// layoutFirst reports whether a person should see a table's layout before anything else, because the sample contradicts
// it.
func layoutFirst(t *dynamo.Table) bool {
	return slices.ContainsFunc(t.Fit.All(), func(f layout.Fit) bool { return f.Standing() == layout.Contradicted })
}

// followConfig opens the table again if the config now describes it differently. asked is true if a person asked for
// this. If the config is unreadable, followConfig does nothing. A change cannot be planned with the former layout:
// planning reads the config, too.
func (a *app) followConfig(asked bool) tea.Cmd {
	t := a.Table
	if t == nil {
		return nil
	}
	return task.Start(a.Tasks, task.Following, func(context.Context) (bool, error) {
		return t.ConfigChanged()
	}, func(changed bool, err error) tea.Cmd {
		switch {
		case err != nil || !changed || a.Table != t:
			return nil
		case a.dialog != nil: // the end of the dialog follows the config, too
			return nil
		case !asked && a.Connection().UnitsSpent(): // otherwise each closed dialog would ask for more read units
			return a.Say("The config has changed: " + a.Keys.Key(keymap.Reload) + " opens " + t.Name + " again.")
		}
		if ask := a.unaccepted(keymap.Reload); ask != nil {
			return ask
		}
		said := a.Say("The config has changed: " + t.Name + " is opened again.")
		return tea.Batch(said, a.Reading(0, func() tea.Cmd { return a.open(a.On, t.Name, nil) }))
	})
}
