package change

import (
	"context"
	"slices"
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
	return newAsk(s, s.Connection(), r.Subject(), option{title: "Release a lock", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
		return change.PlanRelease(ctx, t, r, change.EvenReserved) // it asks for the value then
	}}).plan()
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
		of:    wording{"lock", "Release", "released", "Frees the values of %s. Anybody can sign up with them afterwards. No account is changed."},
		batch: func(ctx context.Context) (*change.Batch, error) { return change.PlanReleases(ctx, t, rels...) },
		after: func(receipts []change.Receipt, err error) {
			if err == nil && !slices.ContainsFunc(receipts, words.Stopped) { // those may be tried again
				s.Marks.Clear()
				s.Last = session.LastChange{Connection: c, Kind: change.KindRelease}
			}
		},
	}).plan()
}

// AskMend asks for what mends a relation.
func AskMend(s *session.Session, t *dynamo.Table, r *dynamo.Relation) tea.Cmd {
	return newAsk(s, s.Connection(), r.Subject()+"\x00"+r.Value, option{title: "Mend", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
		return change.PlanRepair(ctx, t, r)
	}}).plan()
}
