package accounts

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/reading"
	"tallylock/ui/relation"
	"tallylock/ui/say"
	"tallylock/ui/screen"
)

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	at := s.row()
	none := screen.WhyIf(s.reading.Raw(), "no layout tells what is a problem here")
	next := screen.Command{Action: keymap.NextProblem, Why: none}
	if s.reading.Counts().Broken > 0 {
		next.Words = "next problem"
	}
	only := reading.Only(&s.Narrowing, none)
	sort := screen.Command{
		Action: keymap.Sort,
		Full:   "another order",
		Why:    screen.WhyIf(!s.reading.Read() || s.reading.Unjudged() || s.reading.Raw(), "there is nothing to sort"),
		Run:    s.sort,
	}
	if at.Relation != nil && s.Size.Wide() {
		only.Words, sort.Words = only.Full, "sort"
	}
	find := screen.Command{
		Action: keymap.Find,
		Words:  "find",
		Why:    screen.WhyIf(s.reading.Raw(), "no layout tells what accounts look like here"),
	}
	return slices.Concat(
		reading.Refused(s.reading, s.rows().Len()),
		untilOpen(s.reading, append(screen.Commands{find}, s.about(at)...)),
		s.copies(at),
		untilOpen(s.reading, screen.Commands{next, {Action: keymap.PreviousProblem, Why: none}}),
		reading.Commands(s.reading),
		untilOpen(
			s.reading,
			append(
				screen.Commands{
					only,
					reading.Filtering(&s.Narrowing, s.rows().Len()),
					sort,
					s.saving(),
					{Action: keymap.Fold, Why: screen.WhyIf(true, "only locks are grouped")},
				},
				relation.WideChanges(s.Session, at)...),
		),
	)
}

// row returns the selected relation with its list.
func (s *Screen) row() relation.Row {
	lines, _ := s.rows().(relation.Lines)
	at := relation.Row{Relation: s.selected(), List: &s.list, Lines: lines}
	if _, ok := s.item(); ok {
		at.None = "no layout tells what a lock is here"
	}
	return at
}

// about returns the commands for the selected value, or for a raw item of a table without
// accounts.
func (s *Screen) about(at relation.Row) screen.Commands {
	out := relation.RowCommands(s.Session, at)
	if row, ok := s.item(); ok {
		return append(
			screen.Commands{
				{
					Action: keymap.Open,
					Words:  "open",
					Full:   "open the item",
					Run:    func() tea.Cmd { return s.Send(screen.Item{Owner: s.Table, Table: s.Table.Name, Key: row.Key}) },
				},
			},
			out...)
	}
	return out
}

// copies returns the commands that copy the selected value or item. Copying a shell command needs an open table.
func (s *Screen) copies(at relation.Row) screen.Commands {
	of := relation.Selected(s.Session, at)
	if row, ok := s.item(); ok {
		of = row.Selected("the item")
	}
	if s.reading.Unjudged() {
		of.Command = func() (string, string) { return "", s.reading.NoTable() }
	}
	return screen.Copies(s.Session, of)
}

func (s *Screen) youCan(d *kit.Block) {
	at := s.row()
	slices.Concat(untilOpen(s.reading, s.about(at)), s.copies(at),
		untilOpen(s.reading, relation.WideChanges(s.Session, at))).YouCan(
		s.Session,
		d,
		1,
	)
}

// About implements screen.Screen.
func (s *Screen) About() string {
	if rel := s.selected(); rel != nil {
		return "accounts, " + say.Relation(rel)
	}
	return "accounts"
}

// untilOpen refuses commands that need an open table, while rows are shown before the table is open.
func untilOpen(r *reading.Reading, all screen.Commands) screen.Commands {
	if !r.Unjudged() {
		return all
	}
	for n := range all {
		all[n].Why = r.NoTable
	}
	return all
}
