package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// Commands implements screen.Screen.
func (s *locksScreen) Commands() screen.Commands {
	a, rel := s.app, s.selected()
	return slices.Concat(
		screen.Commands{{Action: keymap.Find, Words: "find", Full: "find a value or account"}},
		s.about(rel),
		screen.Commands{
			{Action: keymap.Fold, Words: "fold", Full: "fold a group", Run: s.fold},
			{Action: keymap.OnlyProblems, Words: onlyHint(s.onlyProblems), Run: s.problems},
			{Action: keymap.NextProblem, Words: "next problem"},
			{Action: keymap.PreviousProblem},
		},
		a.readingCommands(),
		a.changes(rel),
	)
}

// about are what can be done with the selected lock; the heading of a group is folded.
func (s *locksScreen) about(rel *dynamo.Relation) screen.Commands {
	a := s.app
	out := a.aboutRelation(rel, screen.Command{
		Action: keymap.OtherSide, Full: "see its account", Why: func() string { return whyHolder(rel) },
		Run: func() tea.Cmd { return a.showAccount(rel) },
	})
	if rel == nil {
		return append(screen.Commands{{Action: keymap.Open, Full: "open or fold the group", Run: s.fold}}, out...)
	}
	return out
}

// whyHolder says why the account of a lock is not gone to.
func whyHolder(r *dynamo.Relation) string {
	switch {
	case r == nil:
		return noneSelected
	case r.Constraint.Lockless():
		return session.NoLocks(r)
	case r.Account == nil && r.OwnerAccount == nil:
		return session.NoAccount(r)
	}
	return ""
}

// problems leaves only problems, or shows all again. The cursor stays on its lock.
func (s *locksScreen) problems() tea.Cmd {
	rel := s.selected()
	s.onlyProblems = !s.onlyProblems
	s.list.Put(0)
	s.find(rel)
	return nil
}

func (s *locksScreen) hints() []kit.Hint {
	return s.app.rowHints(s.rows(80).Len(), s.onlyProblems, s.Commands)
}

func (s *locksScreen) About() string {
	if rel := s.selected(); rel != nil {
		return "locks, " + words.Relation(rel)
	}
	return "locks"
}
