package session_test

import (
	"context"
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/client"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// outage returns a session that could not read its tables and counters. tried has the tasks that were retried.
func outage(t *testing.T) (s *session.Session, tried *[]task.Kind) {
	t.Helper()
	s, tried = session.New(t.Context(), session.Options{}, nil), &[]task.Kind{}
	for _, k := range []task.Kind{task.Opening, task.Polling} {
		s.Unreached(k, &client.Error{Kind: client.Unreachable}, func() tea.Cmd {
			*tried = append(*tried, k)
			return nil
		})
	}
	return s, tried
}

// begin starts a task that no timer may replace.
func begin(s *session.Session, k task.Kind) {
	task.Start(s.Tasks, k, func(context.Context) (int, error) { return 0, nil }, func(int, error) tea.Cmd { return nil })
}

// A retry does not restart a running task, because a person may have started that task since.
func TestATryLeavesWhatIsUnderWay(t *testing.T) {
	s, tried := outage(t)
	begin(s, task.Opening)
	s.TryNow()
	if !slices.Equal(*tried, []task.Kind{task.Polling}) {
		t.Errorf("it tried %v again", *tried)
	}
}

// When one task gets an answer, the outage is over, and the other tasks are retried.
func TestOneAnswerHasTheOthersGoOn(t *testing.T) {
	s, tried := outage(t)
	s.Reached(task.Polling)
	if !slices.Equal(*tried, []task.Kind{task.Opening}) || s.Offline != nil {
		t.Errorf("it tried %v again; offline: %v", *tried, s.Offline)
	}
}
