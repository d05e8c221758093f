package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// leave closes the screen on top. If the screen has unsaved input, the first attempt only warns. The choice of
// tables stays if no screen lies beneath it.
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
	if top == a.line && a.nothingBeneath() {
		return a.Say("There is nothing to go back to: choose a table, or press ctrl+c to quit.")
	}
	a.stack, a.pane = a.stack[:len(a.stack)-1], pane{}
	switch {
	case keeps:
		return k.Left()
	case a.another:
		return a.cancel()
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

// accepted replaces a table with t, which uses the layout that a person has just accepted. It tells all
// tabs, and opens t again if it is the open table.
func (a *app) accepted(was, t *dynamo.Table) tea.Cmd {
	cmd := a.tell(message.Accepted{Was: was, Table: t})
	if a.Table != nil && a.Table.Name == was.Name && a.Table.Connection() == was.Connection() {
		cmd = tea.Batch(cmd, a.use(a.On, t, a.Tab))
	}
	return cmd
}

// refresh reads the current screen again after a change.
func (a *app) refresh() tea.Cmd {
	if own, ok := a.shownTab().(screen.Refresher); ok {
		return own.Refresh()
	}
	var cmds []tea.Cmd
	spent := a.Connection().SessionSpent()
	if a.Tab.Table && !a.Tab.Lists || spent {
		a.browse.Outdated = true // the tab reads the table again when it is shown
	} else if a.Table != nil {
		cmds = append(cmds, a.browse.Reread())
	}
	if s, ok := a.top().(screen.Refresher); ok && !spent {
		cmds = append(cmds, s.Refresh())
	}
	return tea.Batch(cmds...)
}

// enter lets the tab that is shown read its missing data.
func (a *app) enter() tea.Cmd {
	if t := a.shownTab(); t != nil {
		return t.Enter()
	}
	return nil
}

// show shows a target: a screen, or a type of package screen that names what to show. A tab that lists the target
// selects its row, and esc then goes back to the earlier tab. An opener puts a screen on top, in place of the choice of
// tables.
func (a *app) show(target any) tea.Cmd {
	a.closeLine()
	switch target := target.(type) {
	case screen.Screen:
		a.push(target)
		return nil
	case screen.Value:
		a.frame.tip = false // the tip only tells a person to try this
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
			return a.Say("This lock has not been read with the table yet.")
		}
		from := a.tab()
		cmd := a.switchTo(t)
		a.crossed = from
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

// put shows a screen on top. If the stack has the screen already, put closes the screens above it.
func (a *app) put(on screen.Screen) {
	if n := slices.Index(a.stack, on); n >= 0 {
		a.stack, a.pane = a.stack[:n+1], pane{}
		return
	}
	a.push(on)
}

// closeLine closes the choice of tables if a screen lies beneath it.
func (a *app) closeLine() {
	if a.top() == a.line && !a.nothingBeneath() {
		a.stack, a.pane = a.stack[:len(a.stack)-1], pane{}
	}
}

// startOn shows a tab and starts its work, such as a check.
func (a *app) startOn(t screen.Tab, work screen.Started) tea.Cmd {
	show := a.switchTo(t)
	if a.shownTab() != t { // switchTo only warned about unsaved input
		return show
	}
	return tea.Batch(show, work.Start())
}

// problem moves the cursor to the next problem: down if dir is 1, up if dir is −1. Past the last problem it
// continues from the other end. It stops instead if some rows are not judged yet, or, on the way down, not read.
func (a *app) problem(c screen.Content, dir int) tea.Cmd {
	rows, ok := c.Rows.(kit.Problems)
	if !ok {
		return nil
	}
	if a.Table == nil && len(a.stack) == 0 && a.Tab.Lists {
		return a.Say(say.Sentence(a.browse.NoTable()))
	}
	more := a.browse.Begun() && !a.browse.View().Complete && a.Tab.Lists && len(a.stack) == 0
	switch {
	case c.List.Seek(rows, dir):
		a.pane.top = 0
		return nil
	case more && dir > 0:
		return a.Say("No further problem in what was read so far.")
	case a.browse.Counts().Open > 0 && a.Tab.Lists && len(a.stack) == 0:
		return a.Say("No further problem in what was judged so far.")
	case !c.List.SeekAround(rows, dir):
		return a.Say("There is no other problem.")
	}
	a.pane.top = 0
	if dir > 0 {
		return a.Say("From the top again.")
	}
	return a.Say("From the end again.")
}

// visited is a place that esc goes back to from another table or connection. table is the table that was
// open; nil if none was open. wanted is the name of the table that was open or being opened; empty if no
// table was requested.
type visited struct {
	on     int
	table  *dynamo.Table
	wanted string
	tab    *session.Tab
}

// mostVisited is the maximum number of places that esc can go back to.
const mostVisited = 20

// trailFrom returns the trail for a table that is about to be opened. The trail ends with the table that is
// open now, unless none is open, or both are the same table.
func (s *screens) trailFrom(conn int, name string) []visited {
	if s.Table == nil || s.On == conn && s.Table.Name == name {
		return s.trail
	}
	return s.trailPast()
}

// trailPast returns the trail with the current place appended. It drops the oldest places beyond mostVisited.
func (s *screens) trailPast() []visited {
	trail := append(s.trail, visited{s.On, s.Table, s.Wanted, s.Tab})
	return trail[max(0, len(trail)-mostVisited):]
}

// openTable opens a table that a person chose. esc then goes back to the earlier table.
func (a *app) openTable(m message.OpenTable) tea.Cmd {
	if m.Opened == nil {
		return a.open(m.On, m.Name)
	}
	trail := a.trailFrom(m.On, m.Name)
	cmd := a.showTable(m.On, m.Opened, a.Tab)
	a.trail = trail
	return cmd
}

// goToConnection opens a table of another connection, and keeps the current tab.
func (a *app) goToConnection(on int, t *dynamo.Table) tea.Cmd {
	trail := a.trailPast()
	now := " now"
	if marked := len(a.Marks.Order); marked > 0 {
		now = " now, and " + phrase.Count(marked, "mark") + " gone"
	}
	cmd := a.showTable(on, t, nil)
	a.trail = trail
	said := "This is " + a.Connection().Name() + now + ": what is changed is changed here. " + a.Keys.Key(keymap.Back) + " goes back."
	return tea.Batch(cmd, a.Say(said))
}

// goBack returns to the last place of the trail: its connection, its table and its tab.
func (a *app) goBack() tea.Cmd {
	last := len(a.trail) - 1
	to, trail := a.trail[last], a.trail[:last]
	var cmd tea.Cmd
	switch {
	case to.table != nil:
		cmd = a.showTable(to.on, to.table, nil)
	case to.wanted != "":
		cmd = tea.Batch(a.showNone(to.on), a.openFrom(to.on, to.wanted, nil))
	default:
		cmd = a.showNone(to.on)
	}
	if a.trail = trail; a.Tab != to.tab {
		cmd = tea.Batch(cmd, a.switchTo(a.tabOf(to.tab)))
	}
	return cmd
}
