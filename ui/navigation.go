package ui

import (
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"

	tea "charm.land/bubbletea/v2"
)

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
