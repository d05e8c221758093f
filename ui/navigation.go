package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/screen/find"
	"tallylock/ui/screen/item"
	"tallylock/ui/screen/tables"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// navigation goes from one screen to another.
type navigation struct {
	*session.Session

	screens *screens
	opener  *opener
}

// leave closes the screen on top.
func (n *navigation) leave() tea.Cmd {
	if len(n.screens.stack) == 0 {
		return nil
	}
	top := n.screens.top()
	k, keeps := top.(screen.Unsaved)
	if keeps {
		if ask := k.Leaving(true, keymap.Back); ask != nil {
			return ask
		}
	}
	if _, picking := top.(*tables.Screen); picking && n.screens.nothingBeneath() {
		return n.Say("There is nothing to go back to: choose a table, or press ctrl+c to quit.")
	}
	n.screens.stack, n.screens.pane = n.screens.stack[:len(n.screens.stack)-1], pane{}
	switch {
	case keeps:
		return k.Left()
	case n.opener.another:
		return n.opener.cancel()
	}
	return n.opener.showUnseenLayout()
}

// switchTo goes to a tab.
func (n *navigation) switchTo(t session.Tab) tea.Cmd {
	if ask := n.screens.unaccepted(keymap.Back); ask != nil {
		return ask
	}
	n.screens.unstack()
	if n.Tab == t {
		return n.opener.showUnseenLayout()
	}
	n.Tab = t
	if t == session.CountersTab {
		return n.screens.counters.Visit()
	}
	n.screens.counters.Leave()
	switch t {
	case session.FindingsTab:
		return n.screens.findings.Visit()
	case session.JournalTab:
		return n.screens.journal.Recall()
	}
	if n.screens.browse.Outdated && t.Browses() {
		return n.screens.browse.Reread()
	}
	return tea.Batch(n.screens.readAhead(), n.opener.showUnseenLayout())
}

// accepted reads a table by what a person has accepted of it, wherever it is shown.
func (n *navigation) accepted(was, t *dynamo.Table) tea.Cmd {
	n.screens.findings.Accepted(was, t)
	if n.Table != nil && n.Table.Name == was.Name && n.Table.Connection() == was.Connection() {
		return n.opener.use(n.On, t, n.Tab)
	}
	return nil
}

// refresh reads again what is looked at, after it was changed.
func (n *navigation) refresh() tea.Cmd {
	if n.Tab == session.CountersTab && len(n.screens.stack) == 0 {
		return n.screens.counters.Recount()
	}
	var cmds []tea.Cmd
	if n.Tab == session.FindingsTab {
		n.screens.browse.Outdated = true // read again when it is looked at
	} else if n.Table != nil {
		cmds = append(cmds, n.screens.browse.Reread())
	}
	if s, ok := n.screens.top().(screen.Refresher); ok {
		cmds = append(cmds, s.Refresh())
	}
	return tea.Batch(cmds...)
}

// whyTab says why a tab is not gone to; empty where it is.
func (n *navigation) whyTab(t session.Tab) string {
	if (t.Browses() || t == session.FindingsTab) && n.Table == nil &&
		!(t == session.AccountsTab && n.screens.browse.Unjudged()) {
		return n.screens.browse.NoTable()
	}
	return ""
}

// showLock goes to the lock of a relation on the locks screen.
func (n *navigation) showLock(r *dynamo.Relation) tea.Cmd {
	if !n.screens.locks.Show(r) {
		return n.Say("This lock has not been read with the table yet.")
	}
	return n.showOtherSide(session.LocksTab)
}

// showAccount goes to the account of a relation on the accounts screen.
func (n *navigation) showAccount(r *dynamo.Relation) tea.Cmd {
	if !n.screens.accounts.Show(r) {
		return nil
	}
	return n.showOtherSide(session.AccountsTab)
}

// showOtherSide goes to the tab of the other side; esc goes back from there.
func (n *navigation) showOtherSide(t session.Tab) tea.Cmd {
	from := n.Tab
	cmd := n.switchTo(t)
	n.screens.crossed = &from
	return cmd
}

// openItem opens an item of a table, or of one of its locks.
func (n *navigation) openItem(m message.OpenItem) tea.Cmd {
	s := item.New(n.Session, m, func() []*dynamo.Relation {
		if n.Table != m.Owner {
			return nil
		}
		return n.screens.browse.View().Relations
	})
	n.screens.push(s)
	return s.Refresh()
}

// openFind opens the question who holds a value.
func (n *navigation) openFind() tea.Cmd {
	if why := n.screens.whyFind(); why != "" {
		return n.Say(words.Sentence(why))
	}
	if s, ok := n.screens.top().(*find.Screen); ok {
		s.Ask()
		return nil
	}
	n.screens.push(find.New(n.Session))
	return nil
}

// closeTables closes the choice of a table, where there is something beneath it.
func (n *navigation) closeTables() {
	if _, picking := n.screens.top().(*tables.Screen); picking && !n.screens.nothingBeneath() {
		n.screens.stack, n.screens.pane = n.screens.stack[:len(n.screens.stack)-1], pane{}
	}
}

// findTyped asks who holds a value, or for the value.
func (n *navigation) findTyped(value string) tea.Cmd {
	n.closeTables()
	cmd := n.openFind()
	if s, ok := n.screens.top().(*find.Screen); ok && strings.TrimSpace(value) != "" {
		return s.For(value)
	}
	return cmd
}

// whyCheck says why the table cannot be checked; empty where it can.
func (n *navigation) whyCheck() string {
	if n.Table == nil {
		return n.screens.browse.NoTable()
	}
	return n.screens.findings.Commands().Why(keymap.Reload)
}

// checkTable goes to the findings, where the table is checked, or it is said what that costs.
func (n *navigation) checkTable() tea.Cmd {
	show := n.switchTo(session.FindingsTab)
	if n.Tab != session.FindingsTab || len(n.screens.stack) > 0 { // corrections are asked about first
		return show
	}
	return tea.Batch(show, n.screens.findings.Asked())
}

// recount reads the counters again, if they are looked at: one of them may have been
// counted on since it was changed, and is then not set back.
func (n *navigation) recount() tea.Cmd {
	if n.Tab != session.CountersTab || n.Offline != nil {
		return nil
	}
	return n.screens.counters.Recount()
}

// problem goes to the next problem of a list in a direction.
func (n *navigation) problem(c screen.Content, dir int) tea.Cmd {
	rows, ok := c.Rows.(kit.Problems)
	if !ok {
		return nil
	}
	if n.Table == nil && len(n.screens.stack) == 0 && n.Tab.Browses() {
		return n.Say(words.Sentence(n.screens.browse.NoTable()))
	}
	more := n.screens.browse.Begun() && !n.screens.browse.View().Complete && n.Tab.Browses() && len(n.screens.stack) == 0
	switch {
	case c.List.Seek(rows, dir):
		n.screens.pane.top = 0
		return nil
	case more && dir > 0:
		return n.Say("No further problem in what was read so far.")
	case n.screens.browse.Counts().Open > 0 && n.Tab.Browses() && len(n.screens.stack) == 0:
		return n.Say("No further problem in what was judged so far.")
	case !c.List.SeekAround(rows, dir):
		return n.Say("There is no other problem.")
	}
	n.screens.pane.top = 0
	if dir > 0 {
		return n.Say("From the top again.")
	}
	return n.Say("From the end again.")
}

// dropCaches has what may have changed be asked for again: roles, and what other tables hold.
func (n *navigation) dropCaches() {
	clear(n.Denied)
	if c := n.Connection().Connection; c != nil {
		c.DropSamples()
	}
}

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
