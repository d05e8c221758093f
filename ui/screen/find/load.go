package find

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

// For finds who holds a value.
func (s *Screen) For(value string) tea.Cmd { return s.look(value, false) }

// look finds the answer to a query. scan allows reading the whole table.
func (s *Screen) look(query string, scan bool) tea.Cmd {
	units := 0.0
	if scan {
		units = s.answer.Whole.Units
	}
	return s.Reading(units, func() tea.Cmd { return s.find(query, scan) })
}

func (s *Screen) find(query string, scan bool) tea.Cmd {
	s.asked, s.typing = query, false
	s.Asked.Add(query)
	t, began, before := s.Table, s.Now(), s.answer
	if !scan {
		before = nil // a repeated query starts from the beginning
	}
	return task.Start(s.Tasks, task.Finding, func(ctx context.Context) (*find.Answer, error) {
		return find.Find(ctx, t, query, find.Options{Near: true, Scan: scan, After: before})
	}, func(found *find.Answer, err error) tea.Cmd {
		s.err, s.took = err, s.Now().Sub(began)
		if client.KindOf(err) == client.Cancelled && err != nil {
			s.err = nil
			s.typing, s.field = true, kit.NewField(query)
			return s.Say("Stopped.")
		}
		var stay row
		if was := s.rows().rows; s.list.Cursor < len(was) && s.answer.Typed == query {
			stay = was[s.list.Cursor]
		}
		s.answer, s.list, s.past = found, kit.List{}, screen.NewHistory(readingsOf(found)...)
		s.list.Cursor = s.rows().begin(stay)
		return s.Follow()
	})
}

// Asks reports whether the screen shows the answer for this value of the constraint.
func (s *Screen) Asks(c *layout.Constraint, value string) bool {
	return !s.typing && (s.asked == value || c.Normalised(s.asked) == value)
}

// Refresh asks the same question again.
func (s *Screen) Refresh() tea.Cmd { return s.look(s.asked, false) }

// Follow implements screen.Follower. It loads the journal's records of all locks that the answer is about.
func (s *Screen) Follow() tea.Cmd { return s.past.Load(s.Session, s.Table) }
