package tables

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Opener opens the screen for screen.Tables. If the list of tables is recent, it shows that list again, and reads
// nothing.
func Opener(s *session.Session) screen.Opener {
	var last *Screen
	return screen.Opener{Open: func(target any, _ []screen.Screen) (screen.Screen, tea.Cmd) {
		t, ok := target.(screen.Tables)
		if !ok {
			return nil, nil
		}
		if last != nil && last.Reopen(t.Commands) {
			return last, nil
		}
		last = New(s, t.Commands, last != nil)
		return last, last.Look()
	}}
}
