package layout

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/ui/message"
	"tallylock/ui/task"
)

// Grow has a larger sample recognise a table in the background whose own was not enough.
// take gets the table as that shows it, and whether its layout is another one. What was not
// read meanwhile is read on then.
func (s *Screen) Grow(t *dynamo.Table, take func(grown *dynamo.Table, another bool) tea.Cmd) tea.Cmd {
	if !t.Sample.Unsure() {
		return nil
	}
	another := false
	return task.Start(s.Tasks, task.Comparing, func(ctx context.Context) (*dynamo.Table, error) {
		grown, changed, err := dynamo.Grown(ctx, t)
		another = len(changed) > 0
		return grown, err
	}, func(grown *dynamo.Table, err error) tea.Cmd {
		on := s.Send(message.ReadAhead{})
		if err != nil || grown == nil || s.Table != t {
			return on
		}
		return tea.Sequence(take(grown, another), on)
	})
}
