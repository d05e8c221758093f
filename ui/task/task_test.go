package task_test

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/ui/task"
)

// The result of a replaced task is dropped. A cancelled task ends its work.
func TestFlights(t *testing.T) {
	f := task.New(t.Context(), time.Now)
	var got []string
	work := func(name string) tea.Cmd {
		return task.Start(f, task.Finding, func(ctx context.Context) (string, error) { return name, ctx.Err() },
			func(s string, err error) tea.Cmd {
				if err != nil {
					s += " cancelled"
				}
				got = append(got, s)
				return nil
			})
	}
	first := work("first")
	second := work("second")
	for _, cmd := range []tea.Cmd{second, first} {
		if msg := cmd().(task.Done); f.Finish(msg) {
			msg.Apply()
		}
	}
	third := work("third")
	if !f.Interrupt() {
		t.Error("nothing to interrupt")
	}
	if msg := third().(task.Done); f.Finish(msg) {
		msg.Apply()
	}
	if strings.Join(got, ",") != "second,third cancelled" {
		t.Errorf("landed: %q", got)
	}
	if f.Interrupt() {
		t.Error("something is still in flight")
	}
	f.Close()
	if msg := work("late")(); msg != nil {
		t.Errorf("work after the end: %v", msg)
	}
}
