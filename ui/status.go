package ui

import (
	"time"

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
	return a.flights.after(stays, func() tea.Cmd {
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

func (a *app) statusLine(g ground) string {
	l := newLine(a.st, a.size.w, g)
	l.put(asText, " ")
	k := asStrong
	if a.status.error {
		k = asWarn
		l.put(asWarn|bold, "! ")
	}
	l.words(k, a.status.text, a.size.w-l.at-1)
	return l.done()
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

// working draws a short rule on which a stretch slides while an errand is under
// way.
func (a *app) working(l *line, e errand, w int) {
	since, busy := a.flights.busy(e)
	phase := -1
	if busy {
		phase = a.phase(since)
	}
	if phase < 0 {
		l.run(asFaint, ruleThin, w)
		return
	}
	for n := range w {
		if slides(n, phase, w) {
			l.run(asAccent, ruleHeavy, 1)
		} else {
			l.run(asFaint, ruleThin, 1)
		}
	}
}

// animate keeps the screen moving while something is awaited, and only then.
func (a *app) animate() tea.Cmd {
	if a.animating || !a.waiting() {
		return nil
	}
	a.animating = true
	return a.flights.after(beat, func() tea.Cmd {
		a.animating = false
		return nil
	})
}

// waiting reports whether anything on the screen moves.
func (a *app) waiting() bool {
	if a.offline != nil {
		return true
	}
	for e := range errands {
		if _, silent := a.counters.silence(); e == polling && len(a.counters.rows) > 0 && !silent {
			continue // the figures themselves show that it lives
		}
		if e == checking && a.top() != a.findings {
			continue
		}
		if _, busy := a.flights.busy(e); busy {
			return true
		}
	}
	return false
}
