package find

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
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
	o := find.Options{Near: true, Scan: scan, MaxUnits: s.MaxUnits(), After: before, Accounts: s.holders(query)}
	return task.Start(s.Tasks, task.Finding, func(ctx context.Context) (*find.Answer, error) {
		return find.Find(ctx, t, query, o)
	}, func(found *find.Answer, err error) tea.Cmd {
		s.err, s.took = err, s.Now().Sub(began)
		if client.KindOf(err) == client.Cancelled && err != nil {
			s.err, s.freed = nil, ""
			s.typing, s.field = true, kit.NewField(query)
			return s.Say("Stopped.")
		}
		var stay row
		if was := s.rows().rows; s.list.Cursor < len(was) && s.answer.Typed == query {
			stay = was[s.list.Cursor]
		}
		s.answer, s.list, s.past = found, kit.List{}, screen.NewHistory(readingsOf(found)...)
		s.list.Cursor = s.rows().begin(stay)
		if s.answered != nil && found != nil {
			s.answered(found)
		}
		return s.Follow()
	})
}

// Asks reports whether the screen shows the answer for this value of the constraint.
func (s *Screen) Asks(c *layout.Constraint, value string) bool {
	return !s.typing && (s.asked == value || c.Normalised(s.asked) == value)
}

// holders returns accounts that probably hold the query: the account of the list's row that opened the screen, the
// account of the answer, if the last change gave it this value, and the accounts of the open table's rows with this
// value.
func (s *Screen) holders(query string) (keys []attr.Key) {
	const most = 3
	values := map[*layout.Constraint]string{}
	for _, c := range s.Table.Layout.Constraints() {
		values[c] = c.Normalised(query)
	}
	if dynamo.Affordable(s.Table) {
		return nil // the whole table is read, which finds all holders
	}
	if s.account != nil {
		keys, s.account = append(keys, *s.account), nil
	}
	if p, main := s.lastChange(), mainOf(s.answer); p != nil && p.After == query && main.Account != nil {
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

// Refresh asks the same question again. If a change has replaced the value of the question, it asks for the new value.
func (s *Screen) Refresh() tea.Cmd {
	p, main := s.lastChange(), mainOf(s.answer)
	if p == nil || s.typing || !p.At.After(s.answer.At) || main.Account == nil ||
		p.Account != main.Account.Key.Hash.Value.Display() || !changes(p, main) || byID(s.answer) {
		return s.look(s.asked, false)
	}
	if s.answered != nil {
		s.answered(nil)
	}
	cmd := s.look(p.After, false)
	if main.Verdict == verdict.Held && deletes(p, main.Lock) {
		s.freed = fmt.Sprintf("The change at %s deleted the lock of %s.",
			phrase.Clock(s.Last.Made.Done), phrase.Quote(p.Before))
	}
	return cmd
}

// lastChange returns the plan of the session's last change, if it changed a value of the open table, and the screen
// shows an answer about a value; else nil.
func (s *Screen) lastChange() *plan.Plan {
	p := s.Last.Made.Plan
	if p == nil || p.Kind != plan.KindValue || p.After == "" || mainOf(s.answer) == nil ||
		s.Last.Connection.Connection != s.Connection().Connection ||
		p.Accounts != s.Table.Name && p.Table != s.Table.Name {
		return nil
	}
	return p
}

// moved describes the session's last change, if it replaced the value that the answer is about. It is empty if the
// value has a lock again.
func (s *Screen) moved() string {
	p, main := s.lastChange(), mainOf(s.answer)
	if p == nil || main.Lock.Exists || len(main.Claimants) > 0 || !s.answer.At.After(p.At) || !changes(p, main) ||
		!deletes(p, main.Lock) {
		return ""
	}
	return fmt.Sprintf("%s got %s instead: the change at %s deleted the lock.",
		p.Account, phrase.Quote(p.After), phrase.Clock(s.Last.Made.Done))
}

// changes reports whether a plan replaces the value of a relation.
func changes(p *plan.Plan, r *verdict.Relation) bool {
	return p.Constraint == r.Constraint.Name && r.Constraint.Normalised(p.Before) == r.Value
}

// deletes reports whether a plan deletes a lock.
func deletes(p *plan.Plan, lock schema.Lock) bool {
	return slices.ContainsFunc(p.Steps, func(step plan.Step) bool {
		return slices.ContainsFunc(step.Writes, func(w client.Write) bool {
			return w.Verb == client.Delete && w.Table == lock.Table && w.Key.Equal(lock.Key)
		})
	})
}

// Follow implements screen.Follower. It loads the journal's records of all locks that the answer is about.
func (s *Screen) Follow() tea.Cmd { return s.past.Load(s.Session, s.Table) }
