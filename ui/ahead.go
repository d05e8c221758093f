package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/ui/browse"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// readAhead goes on with the reading, where it should go on by itself.
func (a *app) readAhead() tea.Cmd { return a.readFor(false) }

// readFor goes on with the reading; moved: for somebody who moved the cursor.
func (a *app) readFor(moved bool) tea.Cmd {
	if s, ok := a.top().(screen.Follower); ok {
		return tea.Batch(s.Follow(), a.readOnAhead(moved))
	}
	return a.readOnAhead(moved)
}

func (a *app) readOnAhead(moved bool) tea.Cmd {
	if a.Tab == session.JournalTab && len(a.stack) == 0 {
		return a.journal.Load()
	}
	list, _ := a.tabScreen().(browse.Lister)
	return a.browse.ReadAhead(list, len(a.stack) > 0, moved)
}
