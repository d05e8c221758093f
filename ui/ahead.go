package ui

import (
	"tallylock/ui/browse"
	"tallylock/ui/screen"
	"tallylock/ui/session"

	tea "charm.land/bubbletea/v2"
)

// readAhead goes on with the reading, where it should go on by itself.
func (s *screens) readAhead() tea.Cmd { return s.readFor(false) }

// readFor goes on with the reading; moved: for somebody who moved the cursor.
func (s *screens) readFor(moved bool) tea.Cmd {
	if f, ok := s.top().(screen.Follower); ok {
		return tea.Batch(f.Follow(), s.readOnAhead(moved))
	}
	return s.readOnAhead(moved)
}

func (s *screens) readOnAhead(moved bool) tea.Cmd {
	list, _ := s.tabScreen().(browse.Lister)
	ahead := s.browse.ReadAhead(list, len(s.stack) > 0, moved)
	if s.Tab == session.JournalTab && len(s.stack) == 0 {
		return tea.Batch(s.journal.Load(), ahead)
	}
	return ahead
}
