package change

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// AskRelease asks for the release of a lock.
func AskRelease(s *session.Session, t *dynamo.Table, r *dynamo.Relation) tea.Cmd {
	return newAsk(
		s,
		s.Connection(),
		r.Subject(),
		option{title: "Release a lock", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
			return change.PlanRelease(ctx, t, r, true) // it asks for the value then
		}},
	).plan()
}

// AskReleases asks for the release of all marked locks, with one look.
func AskReleases(s *session.Session) tea.Cmd {
	t, rels, c := s.Table, s.Marks.All(), s.Connection()
	if len(rels) == 1 {
		s.Marks.Clear()
		return AskRelease(s, t, rels[0])
	}
	return newAsk(s, c, strings.Join(s.Marks.Order, "\x01"), option{
		title: "Release " + phrase.Count(len(rels), "lock"),
		wording: wording{
			"lock",
			"Release",
			"released",
			"Frees the values of %s. Anybody can sign up with them afterwards. No account is changed.",
		},
		batch: func(ctx context.Context) (*change.Batch, error) { return change.PlanReleases(ctx, t, rels...) },
		after: func(receipts []change.Receipt, err error) {
			if err == nil {
				unmark(s, rels, receipts)
			}
		},
	}).plan()
}

// unmark unmarks the rows of locks that a batch dealt with. Locks that were stopped before
// their turn stay marked, to be tried again.
func unmark(s *session.Session, rels []*dynamo.Relation, receipts []change.Receipt) {
	type lock struct{ table, constraint, value string }
	stopped := map[lock]bool{}
	for _, r := range receipts {
		if words.Stopped(r) {
			stopped[lock{r.Plan.Table, r.Plan.Constraint, r.Plan.Value}] = true
		}
	}
	for _, r := range rels {
		if s.Marks.Has(r) && !stopped[lock{r.Lock.Table, r.Constraint.Name, r.Value}] {
			s.Marks.Toggle(r)
		}
	}
}

// AskMend asks for the repair of a relation.
func AskMend(s *session.Session, t *dynamo.Table, r *dynamo.Relation) tea.Cmd {
	return newAsk(
		s,
		s.Connection(),
		r.Subject()+"\x00"+r.Value,
		option{title: "Mend", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
			return change.PlanRepair(ctx, t, r)
		}},
	).plan()
}
