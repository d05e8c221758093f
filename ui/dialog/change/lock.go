package change

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/dialog/question"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Repairs returns the commands that repair a value of table t: release its lock, or mend it. If both work,
// they do the same, and only Release has a hint.
func Repairs(s *session.Session, t *dynamo.Table, at screen.ValueRow) screen.Commands {
	release := screen.Command{
		Action: keymap.Release, Words: "release", Full: "release the lock",
		Why: at.Why(func(r *verdict.Relation) string { return WhyRelease(s, r) }),
		Run: func() tea.Cmd { return AskRelease(s, t, at.Relation) },
	}
	mend := screen.Command{
		Action: keymap.Mend,
		Why:    at.Why(func(r *verdict.Relation) string { return whyMend(s, r) }),
		Run:    func() tea.Cmd { return AskMend(s, t, at.Relation) },
	}
	if word := mendWord(s, at.Relation); word != "mend" || release.Refuses() != "" {
		mend.Words, mend.Full = word, word+" it"
	}
	return screen.Commands{release, mend}
}

// RepairsMarked returns the commands of Repairs. If locks are marked, Release releases all of them.
func RepairsMarked(s *session.Session, t *dynamo.Table, at screen.ValueRow) screen.Commands {
	out := Repairs(s, t, at)
	if n := len(s.Marks.Order); n > 0 {
		out.Change(keymap.Release, func(c *screen.Command) {
			*c = screen.Command{
				Action: keymap.Release, Words: "release " + phrase.Number(n), Full: "release " + phrase.Count(n, "marked lock"),
				Marked: true,
				Why:    func() string { return WhyReleases(s) },
				Run:    func() tea.Cmd { return AskReleases(s) },
			}
		})
	}
	return out
}

// AskRelease asks whether to release a lock.
func AskRelease(s *session.Session, t *dynamo.Table, r *verdict.Relation) tea.Cmd {
	again := func(t *dynamo.Table) tea.Cmd { return AskRelease(s, t, r.On(t.Layout)) }
	return whenSure(s, unsure(t, r), again, func() tea.Cmd { return askRelease(s, t, r) })
}

func askRelease(s *session.Session, t *dynamo.Table, r *verdict.Relation) tea.Cmd {
	room := markedRoom
	if r.Lock.Owner != "" {
		room = usualRoom
	}
	return askOne(s, s.Connection(), r.Subject(), "Release a lock", room, func(ctx context.Context) (*plan.Plan, error) {
		return planner.Release(ctx, t, r, true) // if a sign-up may still claim the lock, the dialog asks for the value
	})
}

// AskReleases asks whether to release all marked locks. All these releases share one reading of the
// items.
func AskReleases(s *session.Session) tea.Cmd {
	rels := s.Marks.All()
	again := func(t *dynamo.Table) tea.Cmd {
		for _, r := range rels {
			if !s.Marks.Has(r) {
				s.Marks.Toggle(r.On(t.Layout))
			}
		}
		return AskReleases(s)
	}
	return whenSure(s, unsure(s.Table, rels...), again, func() tea.Cmd { return askReleases(s, rels) })
}

func askReleases(s *session.Session, rels []*verdict.Relation) tea.Cmd {
	t, c := s.Table, s.Connection()
	if len(rels) == 1 {
		s.Marks.Clear()
		return askRelease(s, t, rels[0])
	}
	return newAsk(s, c, strings.Join(s.Marks.Order, "\x01"), option{
		title: "Release " + phrase.Count(len(rels), "lock"), room: batchRoom(len(rels)),
		wording: wording{
			thing: "lock", verb: "Release", done: "released",
			says: "Frees the values of %s. Anybody can sign up with them afterwards. No account is changed.",
		},
		batch: func(ctx context.Context) (*change.Batch, error) { return change.PlanReleases(ctx, t, rels...) },
		after: func(receipts []change.Receipt, err error) {
			if err == nil {
				unmark(s, rels, receipts)
			}
		},
	}).replan()
}

// unmark unmarks the locks that a batch has handled. If the batch was stopped, the locks after that point stay marked,
// so that a person can try them again.
func unmark(s *session.Session, rels []*verdict.Relation, receipts []change.Receipt) {
	type lock struct{ table, constraint, value string }
	stopped := map[lock]bool{}
	for _, r := range receipts {
		if say.Stopped(r) {
			stopped[lock{r.Plan.Table, r.Plan.Constraint, r.Plan.Value}] = true
		}
	}
	for _, r := range rels {
		if s.Marks.Has(r) && !stopped[lock{r.Lock.Table, r.Constraint.Name, r.Value}] {
			s.Marks.Toggle(r)
		}
	}
}

// AskMend asks whether to mend a relation.
func AskMend(s *session.Session, t *dynamo.Table, r *verdict.Relation) tea.Cmd {
	if q := t.Answers.AskOf(r); q != nil { // a question about the items comes first
		return s.Reading(0, func() tea.Cmd { return question.Ask(s, q) })
	}
	again := func(t *dynamo.Table) tea.Cmd { return AskMend(s, t, r.On(t.Layout)) }
	return whenSure(s, unsure(t, r), again, func() tea.Cmd {
		return askOne(s, s.Connection(), r.Subject()+"\x00"+r.Value, "Mend", markedRoom,
			func(ctx context.Context) (*plan.Plan, error) { return mend.Repair(ctx, t, r) })
	})
}

// WhyRelease says why a lock cannot be released from here; empty if it can.
func WhyRelease(s *session.Session, r *verdict.Relation) string {
	switch {
	case r.Constraint.Lockless():
		return say.NoLocks(r) + ": there is nothing to release"
	case r.Unjudged:
		return say.NotJudged(r)
	case !r.Lock.Exists:
		return "there is no lock to release"
	case r.Verdict == verdict.Held, r.Verdict == verdict.Duplicate, r.Verdict == verdict.Foreign:
		return "not released: " + say.WhoHolds(r) + " \"" + r.Shown() + "\""
	}
	return s.WhyPlan(r.Lock.Table, mend.ReleaseVerbs(r.Lock.Owner)...)
}

// whyMend says why a relation cannot be mended from here; empty if it can.
func whyMend(s *session.Session, r *verdict.Relation) string {
	if r.Unjudged {
		return say.NotJudged(r)
	}
	if s.Table != nil && s.Table.Answers.AskOf(r) != nil {
		return s.WhyViewer() // Mend asks a question here, and writes nothing.
	}
	verbs, err := mend.Repairs(r)
	switch {
	case err != nil:
		return say.Error(err)
	case r.Variant == nil && (r.Verdict == verdict.Orphaned || r.Verdict == verdict.Stale):
		return WhyRelease(s, r)
	}
	return s.WhyPlan(r.Lock.Table, verbs...)
}

// mendWord is the label of the mend key for a relation.
func mendWord(s *session.Session, r *verdict.Relation) string {
	if s.Table != nil && r != nil && s.Table.Answers.AskOf(r) != nil {
		return "answer"
	}
	return "mend"
}

// WhyMark says why a lock cannot be marked for a release; empty if it can.
func WhyMark(s *session.Session, r *verdict.Relation) string {
	switch {
	case r.Verdict == verdict.Malformed: // never released in bulk
		return "release malformed locks one at a time: " + s.Keys.Key(keymap.Release)
	case r.Pending:
		return "release reserved locks one at a time: " + s.Keys.Key(keymap.Release)
	}
	return WhyRelease(s, r)
}

// WhyReleases says why the marked locks cannot be released; empty if they can.
func WhyReleases(s *session.Session) string {
	return s.WhyPlan(s.Table.Name, mend.ReleaseVerbs("")...)
}
