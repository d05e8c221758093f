package tables

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Opener opens the screen for screen.Tables. There is one screen, so that a recent list of tables is shown again
// without reading.
func Opener(s *session.Session) screen.Opener {
	on := &Screen{Session: s, table: kit.Table[line]{Columns: columns}}
	return screen.Opener{Open: func(target any, _ []screen.Screen) (screen.Screen, tea.Cmd) {
		t, ok := target.(screen.Tables)
		if !ok {
			return nil, nil
		}
		return on, on.show(t.Commands)
	}}
}
