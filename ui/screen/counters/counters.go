// Package counters is the screen that lists the counters of all tables of the open connection, or
// of all connections, with their rates. It sends messages to the program. Start reading at Screen.
package counters

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Tab is the tab of counters.
var Tab = &session.Tab{Name: "counters", Action: keymap.Counters, Place: "all tables"}

// Screen shows the counters of all tables of the open connection, or of all connections. It polls
// them every few seconds. Counters of other connections cannot be changed here.
type Screen struct{ polling }

// New returns the screen without counters. Enter reads them, and polls them while the screen is shown. found
// returns the results of checks.
func New(s *session.Session, found Found) *Screen {
	return &Screen{
		polling{
			shown: shown{
				Session: s,
				of:      unknown(len(s.Connections)),
				folded:  map[int]bool{},
				table:   kit.Table[*row]{Columns: columns},
			},
			found: found,
		},
	}
}

// Found returns the summary of a table's last check, and when the check ended. on is the number of
// the table's connection. The summary is nil if there was no check, or if it is still running.
type Found func(on int, table string) (*finding.Summary, time.Time)

// Info implements screen.Tab.
func (s *Screen) Info() *session.Tab { return Tab }

// IsFirst implements screen.First: the counters come first if the layout has nothing else.
func (s *Screen) IsFirst(t *dynamo.Table) bool {
	return len(t.Layout.Accounts) == 0 && len(t.Layout.Counters) > 0
}

// WhyNot implements screen.Tab.
func (s *Screen) WhyNot() string { return "" }

// Back implements screen.Tab.
func (s *Screen) Back() (tea.Cmd, bool) { return nil, false }

// Badge implements screen.Tab.
func (s *Screen) Badge() (int, bool) { return 0, false }

// Waits implements screen.Waiting.
func (s *Screen) Waits() bool {
	return slices.ContainsFunc(s.listed(), func(n int) bool { return begins(&s.shown, s.of[n]) })
}

// Calm implements screen.Waiting. The changing numbers show that polling continues.
func (s *Screen) Calm(k task.Kind, _ bool) bool {
	_, silent := s.Silence()
	return k == task.Polling && !s.Empty() && !silent
}

// ShowsOutage implements screen.Online. The counters of other connections stay usable during an outage.
func (s *Screen) ShowsOutage() bool { return !s.every }

// Receive implements screen.Tab.
func (s *Screen) Receive(event any) tea.Cmd {
	switch event.(type) {
	case message.Changed:
		if s.Tab == Tab && s.Offline == nil { // the list must not show the value before the change
			return s.Refresh()
		}
	case message.Connected:
		s.reset()
	}
	return nil
}

// reset forgets all counters and stops their readings, since another connection is shown. The list of all
// connections stays: each of its groups names its connection.
func (s *Screen) reset() {
	s.Leave()
	if !s.every {
		*s = *New(s.Session, s.found)
	}
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	rows := s.list()
	c := screen.Content{
		List:    &s.cursor,
		Rows:    rows,
		Depth:   4,
		Old:     s.Offline != nil && !s.every,
		Hints:   s.Commands().Hints(s.Session),
		Blurred: s.look.Typing(),
	}
	switch {
	case s.look.Typing():
		c.Hints = s.look.Hints()
	case c.Old:
		c.Hints = []kit.Hint{s.Hint(keymap.Open, "try now")}
	case s.look.On():
		c.Hints = append([]kit.Hint{s.Hint(keymap.Back, "show all")}, c.Hints...)
	}
	c.Top = s.look.Heading(s.Session, "letters of a counter or its table")
	c.Cover = s.cover()
	c.Heads = s.table.Heads
	c.Beneath = func(d *kit.Block) { s.detail(d) }
	c.Read = c.Beneath
	row, ok := s.selected()
	if ok {
		c.Read = func(d *kit.Block) { s.facts(d, row) }
	}
	if body := s.Size.Body(); s.Size.Wide() && (ok || s.every) && body-2-chartDepth >= min(rows.Len(), 6) {
		c.Depth = max(min(body-2-rows.Len()-2, body*6/10), chartDepth)
		c.Split = split
		c.Beneath = func(d *kit.Block) { s.wideDetail(d, c.Depth) }
		c.Read = c.Beneath
	}
	if rows.Len() == 0 {
		c.Instead, c.Beside = s.state, screen.Permits(s.Session, s.of[s.On].err)
		c.Heads = nil
		if s.of[s.On].err != nil && s.Offline != nil { // the state in place of the list describes the outage
			c.Beneath = nil
		}
	}
	return c
}

// chartDepth is the number of rows for the facts of a counter with its chart beside
// them. The chart is drawn only if enough rows are left for the list.
const chartDepth = 12

// split is the column between the facts and the chart in a wide window.
const split = 54

// shown is the list of counters: of the open connection or of all, its filter, its order and
// its cursor.
type shown struct {
	*session.Session
	of     []*known // the counters of each connection, by its number
	every  bool     // the list has the counters of all connections, grouped by connection
	folded map[int]bool
	cursor kit.List
	look   screen.Filter
	groups []group // the listed counters
	order  order
	table  kit.Table[*row]
}

// group is a connection with those of its counters that pass the filter.
type group struct {
	*known
	rows []row
}

// listed returns the numbers of the connections whose counters are listed.
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

// unasked reports whether the counters of a connection may be polled without a key. It is true
// before the program has connected, because the connection's limits are unknown until then.
func (s *shown) unasked(on int) bool {
	c := s.Connections[on]
	return c.Connection == nil || !c.SessionSpent() && (s.of[on].asked || c.ReadsUnasked())
}

// kind returns the kind of the task that reads the counters of a connection.
func (s *shown) kind(on int) task.Kind {
	if on == s.On {
		return task.Polling
	}
	return task.Each(on)
}

// begins reports whether the counters of a connection are just being read for the first time.
func begins(s *shown, k *known) bool {
	_, busy := s.Tasks.Since(s.kind(k.on))
	return busy && k.readAt.IsZero() && k.err == nil
}

// Empty reports whether no counter has been read.
func (s *shown) Empty() bool { return len(s.total().all) == 0 }

// list returns the rows of the list.
func (s *shown) list() list {
	lines := kit.GroupsOf(s.groups, func(g group) kit.Group {
		return kit.Group{Rows: len(g.rows), Bare: !s.every, Folded: s.every && s.folded[g.on]}
	})
	return list{Grouped: lines, table: &s.table, shown: s}
}

// at returns the group of the selected line, and the line's place in it. place is −1 for the heading.
// ok is false if no line is selected.
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

// narrow lists the counters that pass the filter. The cursor stays on its counter.
func (s *shown) narrow() {
	s.cursor.Hold(s.list())
	s.fill()
	s.cursor.Follow(s.list())
}

// fill lists the counters that pass the filter. Without a filter, it lists the headings of empty
// connections, too, because they say why there are no counters.
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

// Typed implements screen.TextInput.
func (s *shown) Typed(msg tea.Msg) tea.Cmd {
	if s.look.Typed(msg, &s.cursor, s.list()) {
		s.narrow()
		if s.cursor.Lost { // the person has filtered out the selected row
			s.cursor.Put(0)
		}
	}
	return nil
}

// placeIn returns the left part of the completeness line: the position of the cursor, the number of problems,
// and the order.
func (s *shown) placeIn(width int) []kit.Span {
	at, of := s.list().Number(s.cursor.Cursor)
	at = min(at, of) // the heading of an empty connection may come after the last counter
	if s.cursor.Lost {
		at = 0
	}
	out := []kit.Span{kit.Muted.Of(say.Position(at, of, false))}
	if s.look.On() {
		out = append(out, kit.Muted.Of(" found, of "+phrase.Number(len(s.total().all))+" that were read"))
		if width < 100 { // the line has no more room
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

// known holds the counters of one connection, and the state of their polling.
type known struct {
	on     int  // the connection's number
	loop   int  // counts the polls, so that the result of an earlier poll is ignored
	asked  bool // a person asked for polling, even if the connection reads only on request
	conn   *dynamo.Connection
	all    []row
	past   map[string]*history // by idOf
	ids    map[string]seenIDs  // by idOf; looked up together with the tables
	tables []*dynamo.Table     // the tables with counters; nil before the first reading
	where  int                 // counts the tables with counters
	denied int                 // counts the tables that could not be opened or read
	alone  bool                // listing tables is denied, so only the open table was read
	readAt time.Time
	every  time.Duration // the time between two polls
	pace   float64       // read units per second
	err    error
	tries  int // counts the failed readings in a row
	whole  bool
}

// unknown returns the state of connections whose counters have not been read yet.
func unknown(connections int) []*known {
	all := make([]*known, connections)
	for n := range all {
		all[n] = newKnown(n)
	}
	return all
}

func newKnown(on int) *known { return &known{on: on, past: map[string]*history{}} }

// take replaces the rows with new readings, and adds their values to the histories.
func (k *known) take(counters []counter.Counter, found Found) {
	k.all = nil
	tables := map[string]bool{}
	for _, c := range counters {
		id := idOf(c)
		c, at := found.checked(k.on, c, k.ids[id])
		if k.past[id] == nil {
			k.past[id] = &history{}
		}
		k.past[id].add(c.ReadAt, c.Value)
		k.all = append(k.all, row{c, k.past[id], at})
		tables[c.Table] = true
	}
	k.where = len(tables)
}

// seenIDs is the highest id in use of one counter, as one reading found it. all is true if the reading
// checked all ids.
type seenIDs struct {
	highest string
	all     bool
	at      time.Time
}

// idsOf returns the ids in use of counters. Later polls use them again, because they look up no ids.
func idsOf(counters []counter.Counter, at time.Time) map[string]seenIDs {
	ids := map[string]seenIDs{}
	for _, c := range counters {
		if c.HighestID != "" || c.IDsChecked {
			ids[idOf(c)] = seenIDs{c.HighestID, c.IDsChecked, at}
		}
	}
	return ids
}

// checked adds the highest id in use to a counter. The id comes from the last check of the
// counter's table, or else from the reading that looked for the tables. The time is that of the
// check or the reading; zero if there was none.
func (f Found) checked(on int, c counter.Counter, seen seenIDs) (counter.Counter, time.Time) {
	if !seen.at.IsZero() {
		c.TakeIDs(seen.highest, seen.all)
	}
	sum, ended := f(on, c.Table)
	if sum == nil || len(sum.Counters) == 0 {
		return c, seen.at
	}
	for _, known := range sum.Counters {
		if known.Counter != c.Name {
			continue
		}
		highest := ""
		if known.HighestID != nil {
			highest = *known.HighestID
		}
		c.TakeIDs(highest, sum.Complete && len(c.Layout.IDs) > 0)
	}
	return c, ended
}

// idOf identifies a counter. It does not use the key of the counter's item, because
// in some tables the number is part of the key and changes.
func idOf(c counter.Counter) string { return c.Table + "\x00" + c.Name + "\x00" + c.Attribute }

// enoughToRecognise is the number of read units that suffice to recognise any layout.
const enoughToRecognise = 120

// nothingRead says why no counter of a connection was read.
func nothingRead(c session.Connection) string {
	why, _ := c.WhyUnread()
	return "Nothing was read, since " + why + "."
}

// state says, in place of an empty list, why it has no counters.
func (s *Screen) state(d *kit.Block) {
	_, busy := s.Tasks.Since(task.Polling)
	at := s.of[s.On]
	switch {
	case !s.Empty():
		screen.NoneFits(s.Session, d, "counter that was read")
	case at.err != nil && s.Offline != nil:
		d.Gap()
		screen.Offline(s.Session, d, s.Empty())
	case at.err != nil:
		screen.Failed(s.Session, d, at.err)
	case at.tables == nil && !s.unasked(s.On) && !busy: // the connection reads only on request
		screen.Nothing(d, nothingRead(s.Connection()), "", s.Hint(keymap.Reload, "read the counters once"),
			s.Hint(keymap.Pause, "read them again and again"))
	case at.tables == nil:
		d.Gap()
		d.Row(func(l *kit.Line) {
			l.Put(kit.Muted, " Looking for counters in the tables of ")
			l.Put(kit.Text, s.Connection().Name())
			l.Put(kit.Muted, ".")
		})
		screen.Slow(s.Session, d, task.Polling)
	default:
		screen.Nothing(d, "No counters found.", whyNone(s.Connection()), s.Hint(keymap.Tables, "look at the tables"))
	}
}

// whyNone says why no counters were found on a connection, and what to do.
func whyNone(c session.Connection) string {
	why := "No layout that we know of a counter fits a table of this connection."
	switch most := c.AutoReadUnits(); {
	case !c.ReadsUnasked():
		unread, _ := c.WhyUnread()
		why = "The tables were not looked into to recognise any, since " + unread + "."
	case most < enoughToRecognise:
		why = say.ReadUnits(most) + " (auto_read_units) were not enough to recognise a counter."
	}
	return why + " Describe yours under [[layout]] in the config."
}
