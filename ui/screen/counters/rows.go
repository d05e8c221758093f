package counters

import (
	"cmp"
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
		return "not kept", kit.Muted
	}
	return kit.GlyphAbsent, kit.Muted
}

// moves reports whether the counter has values that show how it moves.
func (r *row) moves() bool { return r.Exists && r.past != nil && r.Next+r.Value != "" }

// moving reports whether the application has used the counter in the last minute.
func (r row) moving() bool { return r.past != nil && r.past.rate() > 0 }

// group is a connection with those of its counters that pass the filter.
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
	return c.Connection == nil || !c.SessionSpent() && (k.asked || c.ReadsUnasked())
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

// columns are the list's columns. To add a column, add it here. A number has room for a value above
// 2^53 with its separators; in a wide window, for 38 digits.
var columns = []kit.Column[*row]{
	{Head: "COUNTER", Cells: 13, Grow: 2, Draw: func(l *kit.Line, r *row, w int) { l.Fit(kit.Strong, r.Name, w) }},
	{
		Head:  "TABLE",
		Cells: 14,
		Max:   40,
		Grow:  2,
		Spare: 3,
		Draw:  func(l *kit.Line, r *row, w int) { l.Fit(kit.Muted, r.Table, w) },
	},
	{Head: "STORES", Cells: 6, Draw: drawStores},
	{
		Head:  "VALUE",
		Cells: 21,
		Min:   16,
		Max:   longest,
		Grow:  4,
		Right: true,
		Draw:  func(l *kit.Line, r *row, w int) { l.EndsIn(kit.Text, shownValue(r.Counter, w), l.At, l.At+w) },
	},
	{Head: "NEXT", Cells: 21, Min: 17, Max: longest, Grow: 4, Gap: 3, Spare: 4, Right: true, Draw: drawNext},
	{Head: "LAST 60 S", Cells: 15, Min: 12, Max: 15, Gap: 4, Spare: 2, Draw: drawSpark},
	{Head: "RATE", Cells: 6, Spare: 1, Right: true, Draw: drawRate},
	{Head: "HIGHEST ID", Cells: 10, Max: longest, Grow: 2, Gap: 3, Spare: 5, Right: true, Draw: drawHighest},
	{Head: "HEALTH", Cells: 15, Max: 24, Grow: 1, Gap: 3, Draw: drawHealth},
}

// longest is the width of 38 digits with their separators.
const longest = 50

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

func drawStores(l *kit.Line, r *row, w int) {
	stores := string(r.Semantics)
	if r.Layout.Guess && len(stores) < w {
		stores += "?"
	}
	l.Words(kit.Muted, stores, w)
}

func drawNext(l *kit.Line, r *row, w int) {
	next := kit.GlyphAbsent
	if r.Next != "" {
		next = say.FitNumber(r.Next, w)
	}
	l.EndsIn(kit.Muted, next, l.At, l.At+w)
}

// drawSpark draws the rate over the last minute, in parts of 4 or 5 seconds.
func drawSpark(l *kit.Line, r *row, w int) {
	parts := 12
	if w >= 15 {
		parts = 15
	}
	if r.moves() && r.past.n > 0 {
		kit.Spark(l, r.past.buckets(r.ReadAt, time.Minute/time.Duration(parts), parts))
	}
}

func drawRate(l *kit.Line, r *row, w int) {
	pace, look := kit.GlyphAbsent, kit.Muted
	if r.moves() {
		pace = say.Rate(r.past.rate())
		if _, _, ok := r.past.stalled(); ok {
			pace, look = "stands", kit.Warn
		}
	}
	l.EndsIn(look, pace, l.At, l.At+w)
}

func drawHighest(l *kit.Line, r *row, w int) {
	highest, k := shownHighest(*r, w)
	l.EndsIn(k, highest, l.At, l.At+w)
}

func drawHealth(l *kit.Line, r *row, _ int) {
	sign := say.Counter(r.Counter)
	sign.Draw(l)
	if by := behindBy(r.Counter); by != "" && l.At+len(" by ")+len(by) < l.Width {
		l.Put(sign.Style|kit.Bold, " by "+by)
	}
}

// order is a sort order of the counters.
type order int

const (
	byTable order = iota
	worstFirst
	busiestFirst
	orders
)

func (o order) words() string {
	switch o {
	case worstFirst:
		return "problems first"
	case busiestFirst:
		return "busiest first"
	}
	return ""
}

func (o order) sort(rows []row) {
	switch o {
	case byTable:
		slices.SortStableFunc(rows, func(a, b row) int {
			return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Name, b.Name))
		})
	case worstFirst:
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(min(len(b.Faults), 1), min(len(a.Faults), 1)) })
	case busiestFirst:
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.past.rate(), a.past.rate()) })
	}
}
