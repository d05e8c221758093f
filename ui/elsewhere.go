package ui

import (
	"tallylock/keymap"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// refuses is why an action does nothing among commands, and where it does something.
func refuses(s *session.Session, all screen.Commands, action keymap.Action) string {
	why := all.Why(action)
	switch action {
	case keymap.Everywhere, keymap.Bump, keymap.Pause:
		if why == screen.Elsewhere {
			return "press " + s.Keys.Key(keymap.Counters) + ": " + s.Keys.Key(action) + " works on the counters"
		}
	}
	return why
}
