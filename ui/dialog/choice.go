package dialog

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// Choice is the foot of a dialog that has only buttons: the buttons, the first of them
// focused initially, and the key hints.
type Choice struct {
	Buttons []string
	Leave   string // the hint for leaving
	Hints   []kit.Hint
	Off     func(n int) bool // the buttons that are off; nil: none
	on      int
}

// Draw draws the buttons and the key hints.
func (c *Choice) Draw(b *kit.Box, s *session.Session) {
	b.Buttons(c.Buttons, c.on, c.Off)
	b.Gap()
	hints := []kit.Hint{s.Hint(keymap.NextField, "next"), s.Hint(keymap.Press, "press"), s.Hint(keymap.Leave, c.Leave)}
	b.Hints(append(hints, c.Hints...)...)
}

// Key handles a key: see Act.
func (c *Choice) Key(d Dialog, s *session.Session, msg tea.Msg) tea.Cmd {
	action, _ := s.DialogAction(msg)
	var stops []int
	for n := range c.Buttons {
		if c.Off == nil || !c.Off(n) {
			stops = append(stops, n)
		}
	}
	return Act(d, action, &c.on, stops)
}
