package counters

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// shown is the counters of the open connection, or of all, those of them that the filter
// leaves, and the cursor among those.
type shown struct {
	*session.Session
	of     []*known // by the connection's number
	every  bool     // the counters of all connections are listed, by connection
	folded map[int]bool
	cursor kit.List
	look   screen.Filter
	groups []group
	order  order
	table  kit.Table[*row]
}

// group is the counters of a connection that are listed.
type group struct {
	*known
	rows []row
}

// listed are the connections whose counters are listed, by their numbers.
func (s *shown) listed() []int {
	if !s.every {
		return []int{s.On}
	}
	all := make([]int, len(s.of))
	for n := range all {
		all[n] = n
	}
	return all
}

// unasked reports whether the counters of a connection may be read again without a key. What
// one allows that was not reached yet is not known.
func (s *shown) unasked(on int) bool {
	c := s.Connections[on]
	return c.Connection == nil || !c.SessionSpent() && (s.of[on].asked || c.ReadsUnasked())
}

// kind is the task that reads the counters of a connection.
func (s *shown) kind(on int) task.Kind {
	if on == s.On {
		return task.Polling
	}
	return task.Each(on)
}

// begins reports whether the counters of a connection are read for the first time.
func begins(s *shown, k *known) bool {
	_, busy := s.Tasks.Since(s.kind(k.on))
	return busy && k.readAt.IsZero() && k.err == nil
}

// Begins reports whether those of any that is listed are.
func (s *shown) Begins() bool {
	return slices.ContainsFunc(s.listed(), func(n int) bool { return begins(s, s.of[n]) })
}

// Empty reports whether no counter has been read.
func (s *shown) Empty() bool { return len(s.total().all) == 0 }

// list is the groups as a list.
func (s *shown) list() list {
	lines := kit.GroupsOf(s.groups, func(g group) kit.Group {
		return kit.Group{Rows: len(g.rows), Bare: !s.every, Folded: s.every && s.folded[g.on]}
	})
	return list{Grouped: lines, table: &s.table, shown: s}
}

// at is the selected line: the group and the place in it; place −1 is the group's head.
func (s *shown) at() (g group, place int, ok bool) {
	n, place, ok := s.list().At(s.cursor.Cursor)
	if !ok || s.cursor.Lost {
		return group{known: &known{on: s.On}}, -1, false
	}
	return s.groups[n], place, true
}

func (s *shown) selected() (row, bool) {
	if g, place, _ := s.at(); place >= 0 {
		return g.rows[place], true
	}
	return row{}, false
}

// narrow lists the counters that the filter leaves. The cursor stays on its counter.
func (s *shown) narrow() {
	s.cursor.Hold(s.list())
	s.fill()
	s.cursor.Follow(s.list())
}

// fill lists the counters that the filter leaves. A heading stays as long as nothing is looked
// for: it says why its connection has no counters.
func (s *shown) fill() {
	s.groups = nil
	want := s.look.Want()
	for _, n := range s.listed() {
		g := group{s.of[n], s.of[n].all}
		if want != "" {
			g.rows = slices.DeleteFunc(slices.Clone(g.all), func(r row) bool { return !screen.Holds(want, r.Name, r.Table) })
		}
		if want == "" || len(g.rows) > 0 {
			s.groups = append(s.groups, g)
		}
	}
}

// All implements screen.Filtered.
func (s *shown) All() bool {
	on := s.look.Clear()
	s.narrow()
	return on
}

// Typing implements screen.TextInput.
func (s *shown) Typing() bool { return s.look.Typing() }

// Typed takes a key of the field in.
func (s *shown) Typed(msg tea.Msg) tea.Cmd {
	if s.look.Typed(msg, &s.cursor, s.list()) {
		s.narrow()
		if s.cursor.Lost { // it is the person who left it out
			s.cursor.Put(0)
		}
	}
	return nil
}

// placeIn is where the cursor is among the rows, what is wrong with them, and their order.
func (s *shown) placeIn(width int) []kit.Span {
	at, of := s.list().Number(s.cursor.Cursor)
	at = min(at, of) // the heading of a connection without counters stands behind the last
	if s.cursor.Lost {
		at = 0
	}
	out := []kit.Span{kit.Muted.Of(words.Position(at, of, false))}
	if s.look.On() {
		out = append(out, kit.Muted.Of(" found, of "+phrase.Number(len(s.total().all))+" that were read"))
		if width < 100 { // no room for more
			return out
		}
	}
	bad := 0
	for _, g := range s.groups {
		bad += problems(g.rows)
	}
	if bad > 0 {
		out = append(out, kit.Muted.Of(" · "), (kit.Bad | kit.Bold).Of(phrase.Count(bad, "problem")))
	}
	if word := s.order.words(); word != "" {
		out = append(out, kit.Muted.Of(" · "), kit.Text.Of(word))
	}
	return out
}

// problems counts the counters with something wrong.
func problems(rows []row) int {
	bad := 0
	for _, r := range rows {
		if len(r.Faults) > 0 {
			bad++
		}
	}
	return bad
}
