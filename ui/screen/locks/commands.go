package locks

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/keymap"
	"tallylock/ui/browse"
	"tallylock/ui/relation"
	"tallylock/ui/screen"
	"tallylock/ui/words"
)

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	at := s.row()
	only := browse.Only(&s.Narrowing, nil)
	only.Words = only.Full
	return slices.Concat(
		browse.Refused(s.reading, s.rows().Len()),
		screen.Commands{{Action: keymap.Find, Words: "find"}},
		s.about(at),
		screen.Commands{
			{Action: keymap.Fold, Words: "fold", Full: "fold a group", Run: s.fold},
			only,
			browse.Filtering(&s.Narrowing, s.rows().Len()),
			{Action: keymap.NextProblem, Words: "next problem"},
			{Action: keymap.PreviousProblem},
			{Action: keymap.Sort, Why: func() string { return whySort(s.reading.Small()) }},
			relation.SaveCommand(s.Session, s.shown()),
		},
		browse.Commands(s.reading),
		relation.WideChanges(s.Session, at),
	)
}

// row is what is selected, with its list.
func (s *Screen) row() relation.Row {
	rows := s.rows()
	at := relation.Row{Relation: s.selected(), OfLock: true, List: &s.list, Lines: rows}
	if g, i := rows.at(s.list.Cursor); i < 0 && !s.list.Lost {
		at.None, at.Group, at.WhyPart = "select a lock", g.relations, s.WhyPart()
	}
	return at
}

// shown are the locks that are listed, in folded groups, too.
func (s *Screen) shown() relation.Shown {
	return relation.Shown{
		Noun: "lock", SoFar: s.reading.SoFar, WhyPart: s.WhyPart,
		Count: func() int {
			_, all := s.rows().Number(-1)
			return all
		},
		Rows: func() []*dynamo.Relation {
			var out []*dynamo.Relation
			for _, g := range s.rows().groups {
				out = append(out, g.relations...)
			}
			return out
		},
	}
}

// whySort says why locks have one order only.
func whySort(small bool) string {
	if small {
		return "sorted by key"
	}
	return "sorted by prefix, then as read"
}

// about are what can be done with the selected lock; the heading of a group is folded.
func (s *Screen) about(at relation.Row) screen.Commands {
	out := append(relation.RowCommands(s.Session, at), screen.Copies(s.Session, relation.Selected(s.Session, at))...)
	if at.Relation == nil {
		return append(screen.Commands{{Action: keymap.Open, Full: "open or fold the group", Run: s.fold}}, out...)
	}
	return out
}

// About implements screen.Screen.
func (s *Screen) About() string {
	if rel := s.selected(); rel != nil {
		return "locks, " + words.Relation(rel)
	}
	return "locks"
}
