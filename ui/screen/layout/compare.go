package layout

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/ui/message"
	"tallylock/ui/task"
)

// difference is how the layout that a sample shows differs from the one that was accepted.
type difference struct {
	table *dynamo.Table
	lines []string
}

func (d difference) of(t *dynamo.Table) []string {
	if d.table != t {
		return nil
	}
	return d.lines
}

// Compare looks in the background whether a sample shows another layout than the one that
// was accepted for a table, and tells where it does.
func (s *Screen) Compare(t *dynamo.Table, tell func() tea.Cmd) tea.Cmd {
	s.differs = difference{}
	s.Tasks.Drop(task.Comparing)
	if t.Kept == nil {
		return nil
	}
	return task.Start(
		s.Tasks,
		task.Comparing,
		func(ctx context.Context) ([]string, error) { return dynamo.Differs(ctx, t) },
		func(lines []string, err error) tea.Cmd {
			if err != nil || len(lines) == 0 || s.Table != t {
				return nil
			}
			s.differs = difference{t, lines}
			if s.table == t {
				s.lay()
			}
			return tell()
		},
	)
}

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
		if err != nil || grown == nil || s.Table != t || t.Kept != nil { // accepted meanwhile
			return on
		}
		return tea.Sequence(take(grown, another), on)
	})
}
