package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/ui/message"
)

// receive acts on what a screen or a dialog asks of the program.
func (a *app) receive(m any) tea.Cmd {
	switch m := m.(type) {
	case message.Push:
		a.push(m.Screen)
	case message.Leave:
		return a.leave()
	case message.OpenTable:
		if m.Opened != nil {
			return a.opened(m.On, m.Opened, a.Tab)
		}
		return a.open(m.On, m.Name)
	case message.Settle:
		return a.askSettle(m.Record)
	case message.Undo:
		return a.askUndo(*a.ConnectionOf(m.Record), m.Record)
	case message.Changed:
		return a.journal.Changed()
	}
	return nil
}
