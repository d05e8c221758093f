package ui

import (
	"strings"

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

	tea "charm.land/bubbletea/v2"
)

// navigation goes from one screen to another.
type navigation struct{ *opening }

// leave closes the screen on top.
func (n *navigation) leave() tea.Cmd {
	if len(n.stack) == 0 {
		return nil
	}
	top := n.top()
	k, keeps := top.(screen.Unsaved)
	if keeps {
		if ask := k.Leaving(true, keymap.Back); ask != nil {
			return ask
		}
	}
	if _, picking := top.(*tables.Screen); picking && n.nothingBeneath() {
		return n.Say("There is nothing to go back to: choose a table, or press ctrl+c to quit.")
	}
	n.stack, n.pane = n.stack[:len(n.stack)-1], pane{}
	switch {
	case keeps:
		return k.Left()
	case n.another:
		return n.stay()
	}
	return n.lookFirst()
}

// switchTo goes to a tab.
func (n *navigation) switchTo(t session.Tab) tea.Cmd {
	if ask := n.unaccepted(keymap.Back); ask != nil {
		return ask
	}
	n.unstack()
	if n.Tab == t {
		return n.lookFirst()
	}
	n.Tab = t
	if t == session.CountersTab {
		return n.counters.Visit()
	}
	n.counters.Leave()
	switch t {
	case session.FindingsTab:
		return n.findings.Visit()
	case session.JournalTab:
		return n.journal.Recall()
	}
	if n.browse.Outdated && t.Browses() {
		return n.browse.Reread()
	}
	return tea.Batch(n.readAhead(), n.lookFirst())
}

// refresh reads again what is looked at, after it was changed.
func (n *navigation) refresh() tea.Cmd {
	if n.Tab == session.CountersTab && len(n.stack) == 0 {
		return n.counters.Recount()
	}
	var cmds []tea.Cmd
	if n.Tab == session.FindingsTab {
		n.browse.Outdated = true // read again when it is looked at
	} else if n.Table != nil {
		cmds = append(cmds, n.browse.Reread())
	}
	if s, ok := n.top().(screen.Refresher); ok {
		cmds = append(cmds, s.Refresh())
	}
	return tea.Batch(cmds...)
}

// whyTab says why a tab is not gone to; empty where it is.
func (n *navigation) whyTab(t session.Tab) string {
	if (t.Browses() || t == session.FindingsTab) && n.Table == nil && !(t == session.AccountsTab && n.browse.Unjudged()) {
		return n.browse.NoTable()
	}
	return ""
}

// showLock goes to the lock of a relation on the locks screen.
func (n *navigation) showLock(r *dynamo.Relation) tea.Cmd {
	if !n.locks.Show(r) {
		return n.Say("This lock has not been read with the table yet.")
	}
	return n.cross(session.LocksTab)
}

// showAccount goes to the account of a relation on the accounts screen.
func (n *navigation) showAccount(r *dynamo.Relation) tea.Cmd {
	if !n.accounts.Show(r) {
		return nil
	}
	return n.cross(session.AccountsTab)
}

// cross goes to the tab of the other side; esc goes back from there.
func (n *navigation) cross(t session.Tab) tea.Cmd {
	from := n.Tab
	cmd := n.switchTo(t)
	n.crossed = &from
	return cmd
}

// visited is where esc goes back to from another connection: what was open there, or was yet to
// be; no table, where nothing was asked for.
type visited struct {
	on     int
	table  *dynamo.Table
	wanted string
}

// goToConnection opens a table of another connection, and stays on the tab that is looked at.
func (n *navigation) goToConnection(on int, t *dynamo.Table) tea.Cmd {
	trail := append(n.trail, visited{n.On, n.Table, n.Wanted})
	now := " now"
	if marked := len(n.Marks.Order); marked > 0 {
		now = " now, and " + phrase.Count(marked, "mark") + " gone"
	}
	cmd := n.opened(on, t, session.Tabs)
	n.trail = trail
	said := "This is " + n.Connection().Name() + now + ": what is changed is changed here. " + n.Keys.Key(keymap.Back) + " goes back."
	return tea.Batch(cmd, n.Say(said))
}

// goBack opens what was open before another connection was gone to.
func (n *navigation) goBack() tea.Cmd {
	last := len(n.trail) - 1
	to, trail := n.trail[last], n.trail[:last]
	var cmd tea.Cmd
	switch {
	case to.table != nil:
		cmd = n.opened(to.on, to.table, session.Tabs)
	case to.wanted != "":
		cmd = tea.Batch(n.closed(to.on), n.openFrom(to.on, to.wanted, session.Tabs))
	default:
		cmd = n.closed(to.on)
	}
	n.trail = trail
	return cmd
}

// openItem opens an item of a table, or of one of its locks.
func (n *navigation) openItem(m message.OpenItem) tea.Cmd {
	s := item.New(n.Session, m, func() []*dynamo.Relation {
		if n.Table != m.Owner {
			return nil
		}
		return n.browse.View().Relations
	})
	n.push(s)
	return s.Refresh()
}

// ask opens the question who holds a value.
func (n *navigation) ask() tea.Cmd {
	if why := n.whyFind(); why != "" {
		return n.Say(words.Sentence(why))
	}
	if s, ok := n.top().(*find.Screen); ok {
		s.Ask()
		return nil
	}
	n.push(find.New(n.Session))
	return nil
}

// unpick closes the choice of a table, where there is something beneath it.
func (n *navigation) unpick() {
	if _, picking := n.top().(*tables.Screen); picking && !n.nothingBeneath() {
		n.stack, n.pane = n.stack[:len(n.stack)-1], pane{}
	}
}

// findTyped asks who holds a value, or for the value.
func (n *navigation) findTyped(value string) tea.Cmd {
	n.unpick()
	cmd := n.ask()
	if s, ok := n.top().(*find.Screen); ok && strings.TrimSpace(value) != "" {
		return s.For(value)
	}
	return cmd
}

// whyCheck says why the table cannot be checked; empty where it can.
func (n *navigation) whyCheck() string {
	if n.Table == nil {
		return n.browse.NoTable()
	}
	return n.findings.Commands().Why(keymap.Reload)
}

// checkTable goes to the findings, where the table is checked, or it is said what that costs.
func (n *navigation) checkTable() tea.Cmd {
	show := n.switchTo(session.FindingsTab)
	if n.Tab != session.FindingsTab || len(n.stack) > 0 { // corrections are asked about first
		return show
	}
	return tea.Batch(show, n.findings.Asked())
}

// recount reads the counters again, if they are looked at: one of them may have been
// counted on since it was changed, and is then not set back.
func (n *navigation) recount() tea.Cmd {
	if n.Tab != session.CountersTab || n.Offline != nil {
		return nil
	}
	return n.counters.Recount()
}

// problem goes to the next problem of a list in a direction.
func (n *navigation) problem(c screen.Content, dir int) tea.Cmd {
	rows, ok := c.Rows.(kit.Problems)
	if !ok {
		return nil
	}
	if n.Table == nil && len(n.stack) == 0 && n.Tab.Browses() {
		return n.Say(words.Sentence(n.browse.NoTable()))
	}
	more := n.browse.Begun() && !n.browse.View().Complete && n.Tab.Browses() && len(n.stack) == 0
	switch {
	case c.List.Seek(rows, dir):
		n.pane.top = 0
		return nil
	case more && dir > 0:
		return n.Say("No further problem in what was read so far.")
	case n.browse.Rows().Open > 0 && n.Tab.Browses() && len(n.stack) == 0:
		return n.Say("No further problem in what was judged so far.")
	case !c.List.SeekAround(rows, dir):
		return n.Say("There is no other problem.")
	}
	n.pane.top = 0
	if dir > 0 {
		return n.Say("From the top again.")
	}
	return n.Say("From the end again.")
}

// forget has what may have changed be asked for again: roles, and what other tables hold.
func (n *navigation) forget() {
	clear(n.Denied)
	if c := n.Connection().Connection; c != nil {
		c.DropSamples()
	}
}
