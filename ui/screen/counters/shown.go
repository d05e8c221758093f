package counters

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/words"
)

// shown is the counters, those of them that the filter leaves, and the cursor among those.
type shown struct {
	cursor kit.List
	all    []row
	look   screen.Filter
	rows   []row
	order  order
}

// Empty reports whether no counter has been read.
func (s *shown) Empty() bool { return len(s.all) == 0 }

func (s *shown) selected() (row, bool) {
	if !s.cursor.Lost && s.cursor.Cursor < len(s.rows) {
		return s.rows[s.cursor.Cursor], true
	}
	return row{}, false
}

// narrow lists the counters that the filter leaves. The cursor stays on its counter.
func (s *shown) narrow() {
	s.cursor.Hold(list{rows: s.rows})
	s.rows = s.all
	if want := s.look.Want(); want != "" {
		s.rows = slices.DeleteFunc(slices.Clone(s.all), func(r row) bool { return !screen.Holds(want, r.Name, r.Table) })
	}
	s.cursor.Follow(list{rows: s.rows})
}

// All implements screen.Filtered.
func (s *shown) All() bool {
	on := s.look.Clear()
	s.narrow()
	return on
}

// Typing implements screen.Typist.
func (s *shown) Typing() bool { return s.look.Typing() }

// Typed takes a key of the field in.
func (s *shown) Typed(msg tea.Msg) tea.Cmd {
	if s.look.Typed(msg, &s.cursor, list{rows: s.rows}) {
		s.narrow()
		if s.cursor.Lost { // it is the person who left it out
			s.cursor.Put(0)
		}
	}
	return nil
}

// placeIn is where the cursor is among the rows, what is wrong with them, and their order.
func (s *shown) placeIn(width int) []kit.Span {
	out := []kit.Span{kit.Muted.Of(words.Position(s.cursor.Number(), len(s.rows), false))}
	if s.look.On() {
		out = append(out, kit.Muted.Of(" found, of "+words.Number(len(s.all))+" that were read"))
		if width < 100 { // no room for more
			return out
		}
	}
	bad := 0
	for _, r := range s.rows {
		if len(r.Faults) > 0 {
			bad++
		}
	}
	if bad > 0 {
		out = append(out, kit.Muted.Of(" · "), (kit.Bad | kit.Bold).Of(phrase.Count(bad, "problem")))
	}
	if word := s.order.words(); word != "" {
		out = append(out, kit.Muted.Of(" · "), kit.Text.Of(word))
	}
	return out
}
