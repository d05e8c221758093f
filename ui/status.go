package ui

import (
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/task"

	tea "charm.land/bubbletea/v2"
)

func (a *app) statusLine(g kit.Ground) string {
	l := kit.NewLine(a.Styles, a.Size.Width, g)
	l.Put(kit.Text, " ")
	k := kit.Strong
	if a.Status.Error {
		k = kit.Warn
		l.Put(kit.Warn|kit.Bold, "! ")
	}
	l.Words(k, a.Status.Text, a.Size.Width-l.At-1)
	return l.Done()
}

// animate keeps the screen moving while something is awaited, and only then.
func (a *app) animate() tea.Cmd {
	if a.animating || !a.waiting() {
		return nil
	}
	a.animating = true
	return a.Tasks.After(session.Beat, func() tea.Cmd {
		a.animating = false
		return nil
	})
}

// waiting reports whether anything on the screen moves.
func (a *app) waiting() bool {
	if a.Offline != nil {
		return true
	}
	for e := range task.Kinds {
		if _, silent := a.counters.Silence(); e == task.Polling && !a.counters.Empty() && !silent {
			continue // the figures themselves show that it lives
		}
		if e == task.Checking && a.top() != a.findings {
			continue
		}
		if _, busy := a.Tasks.Since(e); busy {
			return true
		}
	}
	return false
}
