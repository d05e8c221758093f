package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/session"
)

// visited is where esc goes back to from another table or connection: what was open there, or
// was yet to be; no table, where nothing was asked for.
type visited struct {
	on     int
	table  *dynamo.Table
	wanted string
	tab    session.Tab
}

// mostVisited is how far esc goes back.
const mostVisited = 20

// trailFrom is the way back from a table that is opened now.
func trailFrom(s *screens, conn int, name string) []visited {
	if s.Table == nil || s.On == conn && s.Table.Name == name {
		return s.trail
	}
	return trailPast(s)
}

// trailPast is the way back with what is open now at its end.
func trailPast(s *screens) []visited {
	trail := append(s.trail, visited{s.On, s.Table, s.Wanted, s.Tab})
	return trail[max(0, len(trail)-mostVisited):]
}

// openTable opens a table that was chosen; esc goes back from there.
func (n *navigation) openTable(m message.OpenTable) tea.Cmd {
	if m.Opened == nil {
		return n.opener.open(m.On, m.Name)
	}
	trail := trailFrom(n.screens, m.On, m.Name)
	cmd := n.opener.show(m.On, m.Opened, n.Tab)
	n.screens.trail = trail
	return cmd
}

// goToConnection opens a table of another connection, and stays on the tab that is looked at.
func (n *navigation) goToConnection(on int, t *dynamo.Table) tea.Cmd {
	trail := trailPast(n.screens)
	now := " now"
	if marked := len(n.Marks.Order); marked > 0 {
		now = " now, and " + phrase.Count(marked, "mark") + " gone"
	}
	cmd := n.opener.show(on, t, session.Tabs)
	n.screens.trail = trail
	said := "This is " + n.Connection().Name() + now + ": what is changed is changed here. " + n.Keys.Key(keymap.Back) + " goes back."
	return tea.Batch(cmd, n.Say(said))
}

// goBack opens what was open before another table or connection was gone to.
func (n *navigation) goBack() tea.Cmd {
	last := len(n.screens.trail) - 1
	to, trail := n.screens.trail[last], n.screens.trail[:last]
	var cmd tea.Cmd
	switch {
	case to.table != nil:
		cmd = n.opener.show(to.on, to.table, session.Tabs)
	case to.wanted != "":
		cmd = tea.Batch(n.opener.showNone(to.on), n.opener.openFrom(to.on, to.wanted, session.Tabs))
	default:
		cmd = n.opener.showNone(to.on)
	}
	if n.screens.trail = trail; n.Tab != to.tab {
		cmd = tea.Batch(cmd, n.switchTo(to.tab))
	}
	return cmd
}
