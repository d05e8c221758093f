package ui

import (
	"time"

	"tallylock/ui/kit"
	"tallylock/ui/task"

	tea "charm.land/bubbletea/v2"
)

// stays is how long a message stands in place of the hints.
const stays = 4 * time.Second

// status is a message in place of the hints.
type status struct {
	text  string
	error bool // stays until a key is pressed
	id    int
}

// say shows a message for a while.
func (a *app) say(text string) tea.Cmd {
	a.status = status{text: text, id: a.status.id + 1}
	id := a.status.id
	return a.tasks.After(stays, func() tea.Cmd {
		if a.status.id == id {
			a.status.text = ""
		}
		return nil
	})
}

// complain shows an error until a key is pressed.
func (a *app) complain(text string) tea.Cmd {
	a.status = status{text: text, error: true, id: a.status.id + 1}
	return nil
}

func (a *app) statusLine(g kit.Ground) string {
	l := kit.NewLine(a.st, a.size.Width, g)
	l.Put(kit.Text, " ")
	k := kit.Strong
	if a.status.error {
		k = kit.Warn
		l.Put(kit.Warn|kit.Bold, "! ")
	}
	l.Words(k, a.status.text, a.size.Width-l.At-1)
	return l.Done()
}

// The beat of what moves while something is awaited, and how long a wait may be
// before it has to show life.
const (
	beat   = 80 * time.Millisecond
	unseen = 200 * time.Millisecond
)

// phase is where the sliding stretch stands; −1 while a wait is too short to
// show anything.
func (a *app) phase(since time.Time) int {
	waited := a.now().Sub(since)
	if waited < unseen {
		return -1
	}
	return int(waited / beat)
}

// working draws a short rule on which a stretch slides while a task is under
// way.
func (a *app) working(l *kit.Line, e task.Kind, w int) {
	since, busy := a.tasks.Since(e)
	phase := -1
	if busy {
		phase = a.phase(since)
	}
	if phase < 0 {
		l.Run(kit.Faint, kit.RuleThin, w)
		return
	}
	for n := range w {
		if kit.Slides(n, phase, w) {
			l.Run(kit.Accent, kit.RuleHeavy, 1)
		} else {
			l.Run(kit.Faint, kit.RuleThin, 1)
		}
	}
}

// animate keeps the screen moving while something is awaited, and only then.
func (a *app) animate() tea.Cmd {
	if a.animating || !a.waiting() {
		return nil
	}
	a.animating = true
	return a.tasks.After(beat, func() tea.Cmd {
		a.animating = false
		return nil
	})
}

// waiting reports whether anything on the screen moves.
func (a *app) waiting() bool {
	if a.offline != nil {
		return true
	}
	for e := range task.Kinds {
		if _, silent := a.counters.silence(); e == task.Polling && len(a.counters.rows) > 0 && !silent {
			continue // the figures themselves show that it lives
		}
		if e == task.Checking && a.top() != a.findings {
			continue
		}
		if _, busy := a.tasks.Since(e); busy {
			return true
		}
	}
	return false
}
