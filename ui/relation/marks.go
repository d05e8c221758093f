package relation

import (
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

// Lines is a list whose lines are values with their locks.
type Lines interface {
	kit.Source
	// Relation is the value at a line; nil for a head, and where there is no line.
	Relation(n int) *dynamo.Relation
}

// Row is what is selected in a list of values with their locks.
type Row struct {
	*dynamo.Relation // nil where no value is selected
	// OfLock: locks are what is listed, and not their accounts.
	OfLock bool
	// Group are the locks of the group whose head is selected; empty where none is.
	Group []*dynamo.Relation
	// WhyPart says why more locks of the group are still to be listed; empty where these are all.
	WhyPart string
	List    *kit.List
	Lines   Lines // nil where the rows are no values
}

// marking are the ways to mark locks, to release several: one, all of a group where its head
// is selected, and all from another mark to here.
func marking(s *session.Session, at Row) screen.Commands {
	r := at.Relation
	one := screen.Command{
		Action: keymap.Mark, Full: "mark, to release several", Why: func() string { return s.WhyMark(r) },
		Run:  func() tea.Cmd { return mark(s, at) },
		With: []keymap.Action{keymap.MarkTo}, Both: "mark, all up to here",
	}
	if r == nil && len(at.Group) > 0 {
		one.Full, one.Why, one.Run = "mark all of the group", screen.WhyIf(at.WhyPart != "", at.WhyPart), func() tea.Cmd { return markAll(s, at.Group) }
	}
	to := screen.Command{Action: keymap.MarkTo, Words: "mark to here", Full: "mark all up to here", Run: func() tea.Cmd { return markTo(s, at) }}
	if len(s.Marks.Order) == 0 {
		to = screen.MarkFrom(s, r == nil, one.Why, func() { s.Marks.Toggle(r) })
	}
	return screen.Commands{one, to}
}

// mark marks the selected lock, or takes its mark away, and goes on to the next
// row.
func mark(s *session.Session, at Row) tea.Cmd {
	s.Marks.Toggle(at.Relation)
	at.List.Move(at.Lines, 1)
	return s.Send(message.ReadAhead{})
}

// markTo marks the rows between the selected one and the nearest that is marked.
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

// markAll marks what can be marked of several locks, and says what cannot. Where all of them
// are marked it takes the marks away.
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
