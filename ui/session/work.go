package session

import (
	"time"

	"tallylock/ui/kit"
	"tallylock/ui/task"
)

// Beat is the time between two frames of an animation. A wait shorter than unseen shows no
// animation.
const (
	Beat   = 80 * time.Millisecond
	unseen = 200 * time.Millisecond
)

// Work holds the running tasks, and the clock.
type Work struct {
	Now   func() time.Time
	Tasks *task.Tasks
}

// Trying returns the running task that retries the endpoint.
func (w *Work) Trying() task.Kind {
	for _, e := range [3]task.Kind{task.Opening, task.Polling, task.Paging} {
		if _, busy := w.Tasks.Since(e); busy {
			return e
		}
	}
	return task.Paging
}

// Phase returns the frame of an animation that began at since; −1 while the wait is too short for
// an animation.
func (w *Work) Phase(since time.Time) int {
	waited := w.Now().Sub(since)
	if waited < unseen {
		return -1
	}
	return int(waited / Beat)
}

// Working draws a short rule. While a task runs, a bright stretch slides along it.
func (w *Work) Working(l *kit.Line, e task.Kind, width int) {
	since, busy := w.Tasks.Since(e)
	phase := -1
	if busy {
		phase = w.Phase(since)
	}
	if phase < 0 {
		l.Run(kit.Faint, kit.RuleThin, width)
		return
	}
	for n := range width {
		if kit.Slides(n, phase, width) {
			l.Run(kit.Accent, kit.RuleHeavy, 1)
		} else {
			l.Run(kit.Faint, kit.RuleThin, 1)
		}
	}
}
