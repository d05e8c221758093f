package item

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/verdict"
	"tallylock/ui/reading"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Opener opens the screen for a screen.Item.
func Opener(s *session.Session, known *reading.Known) screen.Opener {
	return screen.Opener{Open: func(target any, _ []screen.Screen) (screen.Screen, tea.Cmd) {
		item, ok := target.(screen.Item)
		if !ok {
			return nil, nil
		}
		on := New(s, item, func() []*verdict.Relation {
			if s.Table != item.Owner {
				return nil
			}
			return known.View().Relations
		})
		return on, on.Refresh()
	}}
}
