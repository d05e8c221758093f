// Package counters is the screen of the counters of all tables of the connection, or of all
// connections, with their rates. It speaks to the program in messages; start reading at Screen.
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
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// Tab is the tab of counters.
var Tab = &session.Tab{Name: "counters", Action: keymap.Counters, Place: "all tables"}

// Screen shows the counters of all tables of the open connection, or of all connections, read
// again every few seconds. A counter of another connection than the open one is only looked at.
type Screen struct{ polling }

// New is the screen; Enter fills it, and goes on filling it while it is looked at.
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

// Found answers what the last check of a table of a connection, by its number, has summed up,
// and when it ended; nil where there was none, or it goes on.
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

// Calm implements screen.Waiting. The changing numbers show that polling goes on.
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
		if s.Tab == Tab && s.Offline == nil { // a counter that was bumped since is not set back
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
		if s.of[s.On].err != nil && s.Offline != nil { // it says all there is to say
			c.Beneath = nil
		}
	}
	return c
}

// chartDepth is how many rows the facts of a counter need, with its chart beside
// them: it stands where enough of the list is left.
const chartDepth = 12

// split is where facts end and the chart begins on a wide screen.
const split = 54

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

// known is what is known of the counters of one connection.
type known struct {
	on     int  // the connection's number
	loop   int  // numbers its polls: what an older one brings is not wanted
	asked  bool // a key asked to have it read again and again, whatever it may read unasked
	conn   *dynamo.Connection
	all    []row
	past   map[string]*history
	ids    map[string]seenIDs // by the counter's id: looked up when the tables were
	tables []*dynamo.Table    // nil: not looked for yet
	where  int                // tables that have counters
	denied int                // tables that could not be opened or read
	alone  bool               // the tables may not be listed: only the open one was looked at
	readAt time.Time
	every  time.Duration // from one poll to the next
	pace   float64       // read units a second
	err    error
	tries  int // that failed, one after the other
	whole  bool
}

// unknown is of connections that nobody has read yet.
func unknown(connections int) []*known {
	all := make([]*known, connections)
	for n := range all {
		all[n] = newKnown(n)
	}
	return all
}

func newKnown(on int) *known { return &known{on: on, past: map[string]*history{}} }

// take puts values beside those of before.
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

// seenIDs is what one read told of the ids of a counter.
type seenIDs struct {
	highest string
	all     bool
	at      time.Time
}

// idsOf is what was looked up of ids, for the polls to come.
func idsOf(counters []counter.Counter, at time.Time) map[string]seenIDs {
	ids := map[string]seenIDs{}
	for _, c := range counters {
		if c.HighestID != "" || c.IDsChecked {
			ids[idOf(c)] = seenIDs{c.HighestID, c.IDsChecked, at}
		}
	}
	return ids
}

// checked adds the highest id in use, which was read before the counter: as the last check
// of its table knows it, or as it was looked up when the tables were. The time is when
// that was, zero where nobody looked.
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

// idOf tells counters apart. The key of a table whose key is the number
// moves; its table and its name do not.
func idOf(c counter.Counter) string { return c.Table + "\x00" + c.Name + "\x00" + c.Attribute }

// enoughToRecognise is how many read units it takes to recognise any layout.
const enoughToRecognise = 120

// nothingRead says why no counter of a connection was read.
func nothingRead(c session.Connection) string {
	why, _ := c.WhyUnread()
	return "Nothing was read, since " + why + "."
}

// state stands in place of counters that are not there.
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
	case at.tables == nil && !s.unasked(s.On) && !busy: // for a key
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
		why = words.ReadUnits(most) + " (auto_read_units) were not enough to recognise a counter."
	}
	return why + " Describe yours under [[layout]] in the config."
}
