package session

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/client"
	"tallylock/ui/kit"
	"tallylock/ui/task"
)

// Passing reports whether an error is of what ends without the program: an endpoint that is
// out of reach, or a log-in that is over. What failed is tried again by itself.
func Passing(err error) bool {
	k := client.KindOf(err)
	return k == client.Unreachable || k == client.Expired
}

// Unreached takes an error of a background task in: what is Passing is tried again, longer
// apart each time.
func (s *Session) Unreached(err error, retry func() tea.Cmd) tea.Cmd {
	if !Passing(err) {
		return nil
	}
	if s.Offline == nil {
		s.Offline = &outage{}
	}
	o := s.Offline
	o.Err, o.retry, o.Began = err, retry, s.Now()
	o.Tries++
	pause := min(time.Duration(1)<<min(o.Tries, 5)*time.Second, 30*time.Second)
	o.Next = o.Began.Add(pause)
	return s.Tasks.After(pause, func() tea.Cmd {
		if s.Offline != o || s.Now().Before(o.Next) {
			return nil
		}
		return o.retry()
	})
}

// Reached notes that the endpoint answers.
func (s *Session) Reached() { s.Offline = nil }

// TryNow does not wait for the next try.
func (s *Session) TryNow() tea.Cmd {
	if s.Offline == nil {
		return nil
	}
	return s.Offline.retry()
}

// Trying is the task that tries to reach the endpoint again.
func (s *Session) Trying() task.Kind {
	for _, e := range [3]task.Kind{task.Opening, task.Polling, task.Paging} {
		if _, busy := s.Tasks.Since(e); busy {
			return e
		}
	}
	return task.Paging
}

// Phase is where the sliding stretch stands; −1 while a wait is too short to
// show anything.
func (s *Session) Phase(since time.Time) int {
	waited := s.Now().Sub(since)
	if waited < unseen {
		return -1
	}
	return int(waited / Beat)
}

// Working draws a short rule on which a stretch slides while a task is under
// way.
func (s *Session) Working(l *kit.Line, e task.Kind, w int) {
	since, busy := s.Tasks.Since(e)
	phase := -1
	if busy {
		phase = s.Phase(since)
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

// LoggedOut reports whether it is the log-in that is over.
func (o *outage) LoggedOut() bool { return client.KindOf(o.Err) == client.Expired }

// outage is an endpoint that does not answer, or not without another log-in: what is shown
// stays, and is tried again.
type outage struct {
	Err   error
	Tries int
	Next  time.Time
	Began time.Time
	retry func() tea.Cmd
}

// The beat of what moves while something is awaited, and how long a wait may be
// before it has to show life.
const (
	Beat   = 80 * time.Millisecond
	unseen = 200 * time.Millisecond
)
