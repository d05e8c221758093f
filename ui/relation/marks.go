package relation

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// Lines is a list whose rows are values with their locks.
type Lines interface {
	kit.Source
	// Relation is the value at a line; nil for a heading, or if there is no such line.
	Relation(n int) *dynamo.Relation
}

// Row is what is selected in a list of values with their locks.
type Row struct {
	*dynamo.Relation // nil if no value is selected
	// None says what to do where none is, or why there is none; empty: nothing is selected.
	None string
	// OfLock: the list is of locks, not of accounts.
	OfLock bool
	// Group are the locks of the group whose heading is selected; empty if none is.
	Group []*dynamo.Relation
	// WhyPart says why more locks of the group are still to be listed; empty if these are
	// all.
	WhyPart string
	List    *kit.List
	Lines   Lines // nil if the rows are not values
}

// why says why there is no value, or why something is not done with the one there is.
func (at Row) why(not func(*dynamo.Relation) string) string {
	if at.Relation == nil {
		return cmp.Or(at.None, "nothing is selected")
	}
	return not(at.Relation)
}

// markCommands mark locks, to release several: one, all of a group if its heading is
// selected, and all from another mark to here.
func markCommands(s *session.Session, at Row) screen.Commands {
	r := at.Relation
	one := screen.Command{
		Action: keymap.Mark, Full: "mark to release", Why: func() string { return at.why(s.WhyMark) },
		Run:  func() tea.Cmd { return mark(s, at) },
		With: []keymap.Action{keymap.MarkTo}, Both: "mark, all up to here",
	}
	if r == nil && len(at.Group) > 0 {
		one.Full = "mark all of the group"
		one.Why = screen.WhyIf(at.WhyPart != "", at.WhyPart)
		one.Run = func() tea.Cmd { return markAll(s, at.Group) }
	}
	to := screen.Command{
		Action: keymap.MarkTo,
		Words:  "mark to here",
		Full:   "mark all up to here",
		Run:    func() tea.Cmd { return markTo(s, at) },
	}
	if len(s.Marks.Order) == 0 {
		to = screen.MarkFrom(s, len(at.Group) > 0, one.Why, func() { s.Marks.Toggle(r) })
	}
	return screen.Commands{one, to}
}

// mark marks or unmarks the selected lock, and moves to the next row.
func mark(s *session.Session, at Row) tea.Cmd {
	s.Marks.Toggle(at.Relation)
	at.List.Move(at.Lines, 1)
	return s.Send(message.ReadAhead{})
}

// markTo marks the rows between the selected one and the nearest marked one.
func markTo(s *session.Session, at Row) tea.Cmd {
	rows := at.Lines
	if rows == nil {
		return nil
	}
	marked := func(n int) bool {
		if n < 0 || n >= rows.Len() {
			return false
		}
		r := rows.Relation(n)
		return r != nil && s.Marks.Has(r)
	}
	cursor := at.List.Cursor
	for far := 1; far < rows.Len(); far++ {
		for _, n := range [2]int{cursor - far, cursor + far} {
			if !marked(n) {
				continue
			}
			var between []*dynamo.Relation
			for line := min(n, cursor); line <= max(n, cursor); line++ {
				if r := rows.Relation(line); r != nil && !s.Marks.Has(r) {
					between = append(between, r)
				}
			}
			return markAll(s, between)
		}
	}
	return s.Say("No other row is marked: move, then " + s.Keys.Key(keymap.MarkTo) + " marks all up to there.")
}

// markAll marks the locks that can be marked, and says which cannot. If all are marked it
// unmarks them.
func markAll(s *session.Session, all []*dynamo.Relation) tea.Cmd {
	marked, left, why := 0, 0, ""
	for _, r := range all {
		if s.Marks.Has(r) {
			continue
		}
		if no := s.WhyMark(r); no != "" {
			left++
			why = no
			continue
		}
		s.Marks.Toggle(r)
		marked++
	}
	switch {
	case marked == 0 && left < len(all):
		for _, r := range all {
			if s.Marks.Has(r) {
				s.Marks.Toggle(r)
			}
		}
		return nil
	case marked == 0 && left == 1:
		return s.Say(words.Sentence("nothing marked: " + why))
	case marked == 0 && left > 1:
		return s.Say("Nothing marked: none of these " + phrase.Number(left) + " can be released.")
	case left > 0:
		said := phrase.Count(marked, "lock") + " marked. " + phrase.Count(left, "other") + " cannot be released with them"
		if left == 1 {
			said += ": " + why
		}
		return s.Say(words.Sentence(said))
	}
	return nil
}
