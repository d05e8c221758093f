package layout

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/ui/message"
	"tallylock/ui/task"
)

// Grow has a larger sample recognise a table in the background whose own was not enough.
// take gets the table as that shows it. What was not read meanwhile is read on then.
func (s *Screen) Grow(t *dynamo.Table, take func(grown *dynamo.Table) tea.Cmd) tea.Cmd {
	if !t.Sample.Unsure() {
		return nil
	}
	return task.Start(s.Tasks, task.Comparing, func(ctx context.Context) (*dynamo.Table, error) {
		return dynamo.Grown(ctx, t)
	}, func(grown *dynamo.Table, err error) tea.Cmd {
		on := s.Send(message.ReadAhead{})
		if err != nil || grown == nil || s.Table != t {
			return on
		}
		return tea.Sequence(take(grown), on)
	})
}
