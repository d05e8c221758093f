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

// outage is a session whose tables and counters could not be read, with what was tried again.
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

// begin has a task be under way, which no timer may take the place of.
func begin(s *session.Session, k task.Kind) {
	task.Start(s.Tasks, k, func(context.Context) (int, error) { return 0, nil }, func(int, error) tea.Cmd { return nil })
}

// What is under way is not begun again by a try: it may be what somebody has chosen since.
func TestATryLeavesWhatIsUnderWay(t *testing.T) {
	s, tried := outage(t)
	begin(s, task.Opening)
	s.TryNow()
	if !slices.Equal(*tried, []task.Kind{task.Polling}) {
		t.Errorf("it tried %v again", *tried)
	}
}

// When one has an answer, the others go on, and the outage is over.
func TestOneAnswerHasTheOthersGoOn(t *testing.T) {
	s, tried := outage(t)
	s.Reached(task.Polling)
	if !slices.Equal(*tried, []task.Kind{task.Opening}) || s.Offline != nil {
		t.Errorf("it tried %v again; offline: %v", *tried, s.Offline)
	}
}
