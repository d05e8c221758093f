package session

import (
	"time"

	"tallylock/ui/kit"
	"tallylock/ui/task"
)

// Work is what runs besides the keys, and the clock that it goes by.
type Work struct {
	Now   func() time.Time
	Tasks *task.Tasks
}

// The beat of what moves while something is awaited, and how long a wait may be
// before it has to show life.
const (
	Beat   = 80 * time.Millisecond
	unseen = 200 * time.Millisecond
)

// Trying is the task that tries to reach the endpoint again.
func (w *Work) Trying() task.Kind {
	for _, e := range [3]task.Kind{task.Opening, task.Polling, task.Paging} {
		if _, busy := w.Tasks.Since(e); busy {
			return e
		}
	}
	return task.Paging
}

// Phase is where the sliding stretch stands; −1 while a wait is too short to
// show anything.
func (w *Work) Phase(since time.Time) int {
	waited := w.Now().Sub(since)
	if waited < unseen {
		return -1
	}
	return int(waited / Beat)
}

// Working draws a short rule on which a stretch slides while a task is under
// way.
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
