package counters

import (
	"slices"
	"strconv"
	"time"

	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

// row is a counter with its last values. checked is the time at which the ids in use
// were read; zero if they were not.
type row struct {
	counter.Counter
	past    *history
	checked time.Time
}

// behindBy returns how far a counter is behind the highest id in use; empty if it is
// not behind.
func behindBy(c counter.Counter) string {
	value, ok := say.WholeNumber(c.Value)
	highest, known := say.WholeNumber(c.HighestID)
	if !ok || !known || !slices.Contains(c.Faults, layout.CounterBehind) {
		return ""
	}
	if c.Semantics == layout.Next { // the stored number has not been handed out yet
		highest.Add(highest, c.Layout.Step)
	}
	return phrase.Group(highest.Sub(highest, value).String())
}

// shownValue returns a counter's value in w cells. A value that is not a number is
// in quotes.
func shownValue(c counter.Counter, w int) string {
	switch {
	case !c.Exists:
		return kit.GlyphAbsent
	case c.Next == "" && slices.Contains(c.Faults, layout.CounterNotNumber):
		return strconv.Quote(c.Value)
	}
	return say.FitNumber(c.Value, w)
}

// shownHighest returns the highest id in use in w cells, or a sign that it is unknown.
func shownHighest(row row, w int) (string, kit.Style) {
	switch {
	case row.HighestID != "" && slices.Contains(row.Counter.Faults, layout.CounterBehind):
		return say.FitNumber(row.HighestID, w), kit.Bad
	case row.HighestID != "":
		return say.FitNumber(row.HighestID, w), kit.Muted
	case row.Semantics != layout.Tally && len(row.Layout.IDs) == 0:
		return "unknown", kit.Muted
	}
	return kit.GlyphAbsent, kit.Muted
}

// moves reports whether the counter has values whose history can be shown.
func (r *row) moves() bool { return r.Exists && r.past != nil && r.Next+r.Value != "" }

// moving reports whether the application has used the counter in the last minute.
func (r row) moving() bool { return r.past != nil && r.past.rate() > 0 }

// group has the counters of a connection that pass the filter.
type group struct {
	*known
	rows []row
}

// open returns the counters of the open connection, which may not have been read.
func (s *Screen) open() *known { return s.of[s.On] }

// listed returns the connections whose counters are listed.
func (s *Screen) listed() []*known {
	if s.every {
		return s.of
	}
	return []*known{s.open()}
}

// unasked reports whether the counters of a connection may be polled without a key. It is true
// before the program has connected, because the connection's limits are unknown until then.
func (s *Screen) unasked(k *known) bool {
	c := s.Connections[k.on]
	return c.Connection == nil || !c.UnitsSpent() && (k.asked || c.ReadsUnasked())
}

// kind returns the kind of the task that reads the counters of a connection.
func (s *Screen) kind(k *known) task.Kind {
	if k.on == s.On {
		return task.Polling
	}
	return task.Each(k.on)
}

// begins reports whether the counters of a connection are just being read for the first time.
func (s *Screen) begins(k *known) bool {
	_, busy := s.Tasks.Since(s.kind(k))
	return busy && k.readAt.IsZero() && k.err == nil
}

// empty reports whether no counter has been read.
func (s *Screen) empty() bool { return len(s.total().all) == 0 }

// list returns the rows of the list.
func (s *Screen) list() list {
	lines := kit.GroupsOf(s.groups, func(g group) kit.Group {
		return kit.Group{Rows: len(g.rows), Bare: !s.every, Folded: s.every && s.folded[g.on]}
	})
	return list{Grouped: lines, table: &s.table, screen: s}
}

// at returns the group of the selected line, and the line's place in it. place is −1 for the heading.
// ok is false if no line is selected.
func (s *Screen) at() (g group, place int, ok bool) {
	n, place, ok := s.list().At(s.cursor.Cursor)
	if !ok || s.cursor.Lost {
		return group{known: &known{on: s.On}}, -1, false
	}
	return s.groups[n], place, true
}

func (s *Screen) selected() (row, bool) {
	if g, place, _ := s.at(); place >= 0 {
		return g.rows[place], true
	}
	return row{}, false
}

// narrow lists the counters that pass the filter. The cursor stays on its counter.
func (s *Screen) narrow() {
	s.cursor.Hold(s.list())
	s.fill()
	s.cursor.Follow(s.list())
}

// fill lists the counters that pass the filter. Without a filter, it lists the headings of empty
// connections, too, because they say why there are no counters.
func (s *Screen) fill() {
	s.fit()
	s.groups = nil
	want := s.look.Want()
	for _, k := range s.listed() {
		g := group{k, k.all}
		if want != "" {
			g.rows = slices.DeleteFunc(slices.Clone(g.all), func(r row) bool { return !screen.Holds(want, r.Name, r.Table) })
		}
		if want == "" || len(g.rows) > 0 {
			s.groups = append(s.groups, g)
		}
	}
}

// fit makes the columns as wide as the texts of the listed connections. They do not change while a person filters.
func (s *Screen) fit() {
	var w widths
	for _, k := range s.listed() {
		for n := range k.all {
			w.add(&k.all[n])
		}
	}
	if now := (fitted{s.order, w}); s.table.Columns == nil || now != s.fitted {
		s.fitted, s.table = now, kit.Table[*row]{Columns: columnsOf(s.order, w)}
	}
}

// fitted has the order and the widths that the columns are made for.
type fitted struct {
	order
	widths
}

// problems counts the counters with a fault.
func problems(rows []row) int {
	bad := 0
	for _, r := range rows {
		if len(r.Faults) > 0 {
			bad++
		}
	}
	return bad
}

// total sums up the counters of all listed connections.
func (s *Screen) total() known {
	sum := known{whole: true}
	for _, k := range s.listed() {
		sum.all = append(sum.all, k.all...)
		sum.where, sum.denied, sum.pace = sum.where+k.where, sum.denied+k.denied, sum.pace+k.pace
		sum.every = max(sum.every, k.every)
		sum.whole, sum.alone = sum.whole && (k.whole || k.readAt.IsZero()), sum.alone || k.alone && !s.every
	}
	return sum
}

// list implements the interfaces of a list for the counters. If all connections are listed, it groups
// the counters under the names of their connections.
type list struct {
	kit.Grouped[group]

	table  *kit.Table[*row]
	screen *Screen
}

func (s list) Name(n int) string {
	g, place := s.Of(n)
	name := strconv.Itoa(g.on) + "\x00"
	if place >= 0 {
		name += idOf(g.rows[place].Counter)
	}
	return name + kit.NameEnds
}

func (s list) Problem(n int) bool {
	g, place := s.Of(n)
	return place >= 0 && len(g.rows[place].Faults) > 0
}

func (s list) Draw(l *kit.Line, n int, _ bool) {
	g, place := s.Of(n)
	if place < 0 {
		kit.FoldMark(l, s.Folded(n))
		s.screen.head(l, g)
		return
	}
	if s.screen.every && g.stale() {
		l.Quieten()
	}
	s.table.Draw(l, &g.rows[place])
}
