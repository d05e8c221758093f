// Package counters is the screen that lists the counters of all tables of the open connection, or
// of all connections, with their rates. It sends messages to the program. Start reading at Screen.
package counters

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
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
type Screen struct {
	*session.Session
	of     []*known // the counters of each connection, by its number
	every  bool     // the list has the counters of all connections, grouped by connection
	folded map[int]bool
	cursor kit.List
	look   screen.Filter
	groups []group // the listed counters
	order  order
	table  kit.Table[*row]
	fitted fitted // the order and the widths that the columns are made for
	found  Found
	paused bool   // a person has paused the polling
	own    string // the open table for which toOpened last moved the cursor
}

// New returns the screen without counters. Enter reads them, and polls them while the screen is shown. found
// returns the results of checks.
func New(s *session.Session, found Found) *Screen {
	of := make([]*known, len(s.Connections))
	for n := range of {
		of[n] = newKnown(n)
	}
	return &Screen{
		Session: s, of: of, folded: map[int]bool{}, found: found,
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
	return slices.ContainsFunc(s.listed(), s.begins)
}

// Calm implements screen.Waiting. The changing numbers show that polling continues.
func (s *Screen) Calm(k task.Kind, _ bool) bool {
	_, silent := s.silence(s.open())
	return k == task.Polling && !s.empty() && !silent
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
	s.grow()
}

// grow adds the connections that were made since the last call.
func (s *Screen) grow() {
	for n := len(s.of); n < len(s.Connections); n++ {
		s.of = append(s.of, newKnown(n))
	}
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	rows := s.list()
	c := screen.Content{
		List:  &s.cursor,
		Rows:  rows,
		Depth: 4,
		Old:   s.Offline != nil && !s.every,
		Hints: s.Commands().Hints(s.Session),
	}
	switch {
	case c.Old:
		c.Hints = []kit.Hint{s.Hint(keymap.Open, "try now")}
	case s.look.On():
		c.Hints = append([]kit.Hint{s.Hint(keymap.Back, "show all")}, c.Hints...)
	}
	s.look.Show(s.Session, &c, "letters of a counter or its table")
	c.Cover = s.cover()
	c.Heads = s.table.Heads
	c.DetailBelow = func(d *kit.Block) { s.detail(d) }
	c.Read = c.DetailBelow
	row, ok := s.selected()
	if ok {
		c.Read = func(d *kit.Block) { s.facts(d, row) }
	}
	if body := s.Size.Body(); s.Size.Wide() && (ok || s.every) && body-2-chartDepth >= min(rows.Len(), 6) {
		c.Depth = max(min(body-2-rows.Len()-2, body*6/10), chartDepth)
		c.Split = split
		c.DetailBelow = func(d *kit.Block) { s.wideDetail(d, c.Depth) }
		c.Read = c.DetailBelow
	}
	if rows.Len() == 0 {
		c.EmptyState, c.DetailSide = s.state, screen.Permits(s.Session, s.open().err)
		c.Heads = nil
		if s.open().err != nil && s.Offline != nil { // the state in place of the list describes the outage
			c.DetailBelow = nil
		}
	}
	return c
}

// chartDepth is the number of rows for the facts of a counter with its chart beside
// them. The chart is drawn only if enough rows are left for the list.
const chartDepth = 12

// split is the column between the facts and the chart in a wide window.
const split = 54

// All implements screen.Filtered.
func (s *Screen) All() bool {
	on := s.look.Clear()
	s.narrow()
	return on
}

// Typing implements screen.TextInput.
func (s *Screen) Typing() bool { return s.look.Typing() }

// Typed implements screen.TextInput.
func (s *Screen) Typed(msg tea.Msg) tea.Cmd {
	if s.look.Typed(msg, &s.cursor, s.list()) {
		s.narrow()
		if s.cursor.Lost { // the person has filtered out the selected row
			s.cursor.Put(0)
		}
	}
	return nil
}

// enoughToRecognise is the number of read units that suffice to recognise any layout.
const enoughToRecognise = 120

// nothingRead says why no counter of a connection was read.
func nothingRead(c session.Connection) string {
	why, _ := c.WhyUnread()
	return "Nothing was read, because " + why + "."
}

// state says, in place of an empty list, why it has no counters.
func (s *Screen) state(d *kit.Block) {
	_, busy := s.Tasks.Since(task.Polling)
	at := s.open()
	switch {
	case !s.empty():
		screen.NoneFits(s.Session, d, "counters")
	case at.err != nil && s.Offline != nil:
		d.Gap()
		screen.Offline(s.Session, d, s.empty())
	case at.err != nil:
		screen.Failed(s.Session, d, at.err)
	case at.tables == nil && !s.unasked(at) && !busy: // the connection reads only on request
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
	why := "No known layout of a counter fits a table of this connection."
	switch most := c.AutoReadUnits(); {
	case !c.ReadsUnasked():
		unread, _ := c.WhyUnread()
		why = "The tables were not searched for counters, because " + unread + "."
	case most < enoughToRecognise:
		why = say.ReadUnits(most) + " (auto_read_units) were not enough to recognise a counter."
	}
	return why + " Describe yours under [[layout]] in the config."
}
