package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
	"tallylock/ui/dialog/accept"
	"tallylock/ui/message"
	"tallylock/ui/session"
)

// acceptFirst asks a person to accept the layout that a change rests on, and then goes on with
// the change. It reports whether it asks: a guess writes nothing.
func acceptFirst(s *session.Session, m any) (tea.Cmd, bool) {
	of, again := unaccepted(s, m)
	if of == nil {
		return nil, false
	}
	return accept.Ask(s, of, func(t *dynamo.Table) tea.Cmd { return askFor(s, again(t)) }), true
}

// unaccepted returns what a person has to accept before a change is made, and the same request by
// the table as it is read afterwards.
func unaccepted(s *session.Session, m any) (*dynamo.Unaccepted, func(*dynamo.Table) any) {
	switch m := m.(type) {
	case message.Release:
		if m.Relation == nil {
			all := s.Marks.All()
			return unsure(s.Table, all...), func(t *dynamo.Table) any {
				for _, r := range all {
					if !s.Marks.Has(r) {
						s.Marks.Toggle(r.On(t.Layout))
					}
				}
				return m
			}
		}
		return unsure(m.Table, m.Relation), func(t *dynamo.Table) any {
			return message.Release{Table: t, Relation: m.Relation.On(t.Layout)}
		}
	case message.Mend:
		if m.Table.Answers.AskOf(m.Relation) != nil {
			return nil, nil // a question about other items comes first
		}
		return unsure(m.Table, m.Relation), func(t *dynamo.Table) any {
			return message.Mend{Table: t, Relation: m.Relation.On(t.Layout)}
		}
	case message.ChangeValue:
		return unsure(m.Table, m.Values...), func(t *dynamo.Table) any {
			values := make([]*verdict.Relation, len(m.Values))
			for n, r := range m.Values {
				values[n] = r.On(t.Layout)
			}
			return message.ChangeValue{Table: t, Values: values}
		}
	case message.DeleteAccount:
		var u *dynamo.Unaccepted
		for _, c := range constraintsOf(m.Table, m.Relation) {
			if u == nil {
				u = dynamo.UnacceptedOf(m.Table.CheckSure("", c))
			}
		}
		return u, func(t *dynamo.Table) any { return message.DeleteAccount{Table: t, Relation: m.Relation.On(t.Layout)} }
	case message.Bump:
		return dynamo.UnacceptedOf(m.Counter.Open().CheckSureCounter("", m.Counter.Layout)), func(t *dynamo.Table) any {
			return message.Bump{Counter: m.Counter.On(t), Moving: m.Moving}
		}
	case message.MendCounter:
		return dynamo.UnacceptedOf(m.Counter.Open().CheckSureCounter("", m.Counter.Layout)), func(t *dynamo.Table) any {
			return message.MendCounter{Counter: m.Counter.On(t), Moving: m.Moving}
		}
	case message.MendFindings:
		return dynamo.UnacceptedOf(mend.UnsureFindings(m.Table, m.Findings...)), func(t *dynamo.Table) any {
			m.Table = t
			return m
		}
	}
	return nil, nil
}

// unsure returns the first constraint of relations that a person has to accept; nil if there is none.
func unsure(t *dynamo.Table, rels ...*verdict.Relation) *dynamo.Unaccepted {
	for _, r := range rels {
		if r.Constraint.Lockless() {
			continue
		}
		if u := dynamo.UnacceptedOf(t.CheckSure("", r.Constraint)); u != nil {
			return u
		}
	}
	return nil
}

// constraintsOf are the constraints of the account of a relation.
func constraintsOf(t *dynamo.Table, r *verdict.Relation) []*layout.Constraint {
	for _, a := range t.Layout.Accounts {
		if slices.Contains(a.Constraints, r.Constraint) {
			return a.Constraints
		}
	}
	return []*layout.Constraint{r.Constraint}
}
