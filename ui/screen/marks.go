package screen

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// Marking marks rows of a list, so that one change applies to all marked rows. T is a row; its zero value is a heading.
type Marking[T comparable] struct {
	*session.Session
	List   *kit.List
	Lines  kit.Markable
	Row    func(line int) T
	Group  []T  // the rows of the selected heading; empty if a row is selected
	Any    bool // a row is marked
	Has    func(T) bool
	Toggle func(T)
	Why    func(T) string // returns the reason why a row cannot be marked; empty if it can
	Noun   string         // a row: "lock"
	Done   string         // what the change does to it: "released"
}

// Commands returns the commands that mark rows: the selected one or its group, and all rows up to another mark. The
// parameter one has the screen's texts for the first command, and the reason why it does nothing.
func (m Marking[T]) Commands(one Command) (mark, to Command) {
	row, key := m.Row(m.List.Cursor), m.Keys.Key(keymap.MarkTo)
	one.Action, one.With, one.Both = keymap.Mark, []keymap.Action{keymap.MarkTo}, "mark, all up to here"
	one.Run = func() tea.Cmd {
		m.Toggle(row)
		m.List.Move(m.Lines, 1)
		return nil
	}
	from := Command{Action: keymap.MarkTo, Full: "begin a range of marks", Why: one.Why, Run: func() tea.Cmd {
		m.Toggle(row)
		return m.Say("Row marked. Move, then " + key + " marks all rows up to there.")
	}}
	if len(m.Group) > 0 {
		one.Run = func() tea.Cmd { return m.mark(m.Group) }
		from.Why = WhyIf(true, "mark a row first: "+m.Keys.Key(keymap.Mark))
	}
	if !m.Any {
		return one, from
	}
	run := func() tea.Cmd {
		for far := 1; far < m.Lines.Len(); far++ {
			for _, n := range [2]int{m.List.Cursor - far, m.List.Cursor + far} {
				if n >= 0 && n < m.Lines.Len() && m.Lines.Marked(n) {
					return m.markTo(n)
				}
			}
		}
		return m.Say("No other row is marked: move, then " + key + " marks all rows up to there.")
	}
	return one, Command{Action: keymap.MarkTo, Words: "mark to here", Full: "mark all rows up to here", Run: run}
}

// markTo marks all rows between the selected row and a line, including both.
func (m Marking[T]) markTo(line int) tea.Cmd {
	var none T
	var between []T
	for n := min(line, m.List.Cursor); n <= max(line, m.List.Cursor); n++ {
		if row := m.Row(n); row != none && !m.Has(row) {
			between = append(between, row)
		}
	}
	return m.mark(between)
}

// mark marks the rows that can be marked, and says how many cannot. If all are marked already, it removes their marks.
func (m Marking[T]) mark(rows []T) tea.Cmd {
	marked, left, why := 0, 0, ""
	for _, row := range rows {
		if m.Has(row) {
			continue
		}
		if no := m.Why(row); no != "" {
			left++
			why = no
			continue
		}
		m.Toggle(row)
		marked++
	}
	switch {
	case marked == 0 && left < len(rows):
		for _, row := range rows {
			if m.Has(row) {
				m.Toggle(row)
			}
		}
	case marked == 0 && left == 1:
		return m.Say(say.Sentence("nothing marked: " + why))
	case marked == 0 && left > 1:
		return m.Say("Nothing marked: none of these " + phrase.Number(left) + " can be " + m.Done + ".")
	case left > 0:
		said := phrase.Count(left, "other") + " cannot be " + m.Done + " with them"
		if left == 1 {
			said += ": " + why
		}
		return m.Say(phrase.Count(marked, m.Noun) + " marked. " + say.Sentence(said))
	}
	return nil
}
