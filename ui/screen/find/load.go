package find

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
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
	s.asked, s.typing, s.freed = query, false, ""
	s.Asked.Add(query)
	t, began, before := s.Table, s.Now(), s.answer
	if !scan {
		before = nil // a repeated query starts from the beginning
	}
	holders := s.holders(query)
	return task.Start(s.Tasks, task.Finding, func(ctx context.Context) (*find.Answer, error) {
		return find.Find(ctx, t, query, find.Options{Near: true, Scan: scan, After: before, Accounts: holders})
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

// holders returns accounts that held the query when they were read: the accounts of the answer's first row and of
// the rows of the open table.
func (s *Screen) holders(query string) (keys []attr.Key) {
	const most = 3
	values := map[*layout.Constraint]string{}
	for _, c := range s.Table.Layout.Constraints() {
		values[c] = c.Normalised(query)
	}
	if main := mainOf(s.answer); main != nil && main.Account != nil {
		keys = append(keys, main.Account.Key)
	}
	read := s.known.View().Relations
	for _, r := range read[:min(len(read), mostSought)] {
		if r.Account != nil && r.Value == values[r.Constraint] && len(keys) < most &&
			!slices.ContainsFunc(keys, r.Account.Key.Equal) {
			keys = append(keys, r.Account.Key)
		}
	}
	return keys
}

// Refresh asks the same question again. After a change of the value, it asks for the new one.
func (s *Screen) Refresh() tea.Cmd {
	p := s.changed()
	if p == nil {
		return s.look(s.asked, false)
	}
	cmd := s.look(p.After, false)
	if mainOf(s.answer).Verdict == verdict.Held && slices.Contains(p.Steps.Verbs(), client.Delete) {
		s.freed = fmt.Sprintf("%s is free now: the change at %s deleted its lock.",
			phrase.Quote(p.Before), phrase.Clock(s.Last.Made.Done))
	}
	return cmd
}

// changed returns the plan of the change that has just given the answer's first row another value; else nil.
func (s *Screen) changed() *plan.Plan {
	p, main := s.Last.Made.Plan, mainOf(s.answer)
	switch {
	case p == nil || main == nil || main.Account == nil || s.typing:
	case p.Kind != plan.KindValue || p.After == "" || s.Last.Connection.Connection != s.Connection().Connection:
	case p.Accounts != s.Table.Name && p.Table != s.Table.Name || !p.At.After(s.answer.At):
	case p.Constraint == main.Constraint.Name && main.Constraint.Normalised(p.Before) == main.Value &&
		p.Account == main.Account.Key.Hash.Value.Display():
		return p
	}
	return nil
}

// Follow implements screen.Follower. It loads the journal's records of all locks that the answer is about.
func (s *Screen) Follow() tea.Cmd { return s.past.Load(s.Session, s.Table) }
