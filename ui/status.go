package ui

import (
	"tallylock/ui/kit"
	"tallylock/ui/session"

	tea "charm.land/bubbletea/v2"
)

func statusLine(s *session.Session, g kit.Ground) string {
	l := kit.NewLine(s.Styles, s.Size.Width, g)
	l.Put(kit.Text, " ")
	k := kit.Strong
	if s.Status.Error {
		k = kit.Warn
		l.Put(kit.Warn|kit.Bold, "! ")
	}
	l.Words(k, s.Status.Text, s.Size.Width-l.At-1)
	return l.Done()
}

// animate keeps the screen moving while something is awaited, and only then.
func (a *app) animate() tea.Cmd {
	if a.animating || !a.screens.waiting() {
		return nil
	}
	a.animating = true
	return a.Tasks.After(session.Beat, func() tea.Cmd {
		a.animating = false
		return nil
	})
}
