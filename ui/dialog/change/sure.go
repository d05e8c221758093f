package change

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/verdict"
	"tallylock/ui/dialog/accept"
	"tallylock/ui/session"
)

// whenSure calls ask, which asks for a change. If a person must accept a part of the layout first, whenSure asks for
// that instead, because a guess writes nothing. After that, the function again asks for the change, with the accepted
// layout. If the session is at its limit of read units, whenSure first asks whether to read on.
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

// unsure returns the first constraint of relations that a person must still accept; nil if there is none.
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

// on returns the relations with the current layout of the table.
func on(t *dynamo.Table, rels []*verdict.Relation) []*verdict.Relation {
	out := make([]*verdict.Relation, len(rels))
	for n, r := range rels {
		out[n] = r.On(t.Layout)
	}
	return out
}
