package layout

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/reading"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Opener opens the screen for screen.Layout. There is one screen, so that the corrections of a person stay while other
// screens cover it.
func Opener(s *session.Session, known *reading.Known) screen.Opener {
	on := &Screen{Session: s}
	return screen.Opener{
		Open: func(target any, stack []screen.Screen) (screen.Screen, tea.Cmd) {
			if _, ok := target.(screen.Layout); !ok {
				return nil, nil
			}
			taught := s.Examples.TaughtOf(s.Table)
			switch {
			case taught != nil && taught != on.taught:
				on.learned(taught)
			case taught == nil && !slices.Contains(stack, screen.Screen(on)):
				return on, on.show(s.Table)
			}
			return on, nil
		},
		Command: func() screen.Command {
			return screen.Command{
				Action: keymap.Layout,
				Full:   "the table's layout",
				Why:    screen.WhyIf(s.Table == nil, known.NoTable()),
				Run:    func() tea.Cmd { return s.Send(screen.Layout{}) },
			}
		},
	}
}

// Yields implements screen.Yielding. The screen yields if a person has corrected nothing.
func (s *Screen) Yields() bool { return !s.corrected() }
