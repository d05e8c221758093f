package dialog

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// Choice is the end of a dialog that has nothing but buttons: they, of which the first has the
// focus at first, and the keys.
type Choice struct {
	Buttons []string
	Leave   string // what leaving does, in words
	on      int
}

// Draw writes the buttons and the keys.
func (c *Choice) Draw(b *kit.Box, s *session.Session) {
	b.Buttons(c.Buttons, c.on, nil)
	b.Gap()
	b.Hints(s.Hint(keymap.NextField, "next"), s.Hint(keymap.Press, "press"), s.Hint(keymap.Leave, c.Leave))
}

// Key does what a key asks for: see Act.
func (c *Choice) Key(d Dialog, s *session.Session, msg tea.Msg) tea.Cmd {
	action, _ := s.DialogAction(msg)
	var stops []int
	for n := range c.Buttons {
		stops = append(stops, n)
	}
	return Act(d, action, &c.on, stops)
}
