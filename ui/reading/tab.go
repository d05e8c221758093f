package reading

import (
	tea "charm.land/bubbletea/v2"
)

// A Narrowing has the methods of screen.Tab that accounts and locks share.

// WhyNot implements screen.Tab.
func (n *Narrowing) WhyNot() string {
	if n.reading.Table != nil {
		return ""
	}
	return n.reading.NoTable()
}

// Enter implements screen.Tab. It reads the table again if a change was made since the last reading.
func (n *Narrowing) Enter() tea.Cmd {
	r := n.reading
	if r.Outdated && !r.Connection().SessionSpent() {
		return r.Reread()
	}
	return nil
}

// Leave implements screen.Tab. The reading goes on.
func (n *Narrowing) Leave() {}

// Back implements screen.Tab. It removes the marks, or else lists all rows of both tabs again.
func (n *Narrowing) Back() (cmd tea.Cmd, used bool) {
	r := n.reading
	if len(r.Marks.Order) > 0 {
		r.Marks.Clear()
		return nil, true
	}
	var cmds []tea.Cmd
	for _, l := range r.lists {
		all, were := l.ShowAll()
		cmds, used = append(cmds, all), used || were
	}
	return tea.Batch(cmds...), used
}

// Badge implements screen.Tab.
func (n *Narrowing) Badge() (int, bool) { return 0, false }
