package change

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/verdict"
	"tallylock/ui/dialog/accept"
	"tallylock/ui/session"
)

// whenSure asks for a change. If a person has to accept a part of the layout before, it asks for that first, since
// a guess writes nothing. Then again asks for the same change by the table's layout as it is after that. If the
// session is at its limit of read units, a question about that comes first.
func whenSure(
	s *session.Session, of *dynamo.Unaccepted, again func(*dynamo.Table) tea.Cmd, ask func() tea.Cmd,
) tea.Cmd {
	return s.Reading(0, func() tea.Cmd {
		if of == nil {
			return ask()
		}
		return accept.Ask(s, of, again)
	})
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

// on returns relations by the layout of a table.
func on(t *dynamo.Table, rels []*verdict.Relation) []*verdict.Relation {
	out := make([]*verdict.Relation, len(rels))
	for n, r := range rels {
		out[n] = r.On(t.Layout)
	}
	return out
}
