// Package findings has the screen for the check of a table, with the price of the check, its
// progress and its findings, and the screen of a single finding. It sends messages to the
// program. Start reading at Screen.
package findings

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/layout/config"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/reading"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Tab is the tab of findings.
var Tab = &session.Tab{Name: "findings", Action: keymap.Findings, Table: true}

// Screen shows the check of the open table: its price, its progress, and its
// findings. A check continues while another screen is shown. Its findings stay
// until the table is checked again.
type Screen struct {
	*session.Session
	runs    map[target]*run // the last check of each table; at most one is running
	reading *reading.Known
}

// target identifies the table of a check: by the number of its connection, and by its name.
type target struct {
	conn  int
	table string
}

// New returns the screen.
func New(s *session.Session, reading *reading.Known) *Screen {
	return &Screen{Session: s, runs: map[target]*run{}, reading: reading}
}

// Info implements screen.Tab.
func (s *Screen) Info() *session.Tab { return Tab }

// WhyNot implements screen.Tab.
func (s *Screen) WhyNot() string {
	if s.Table != nil {
		return ""
	}
	return s.reading.NoTable()
}

// Leave implements screen.Tab. A running check continues.
func (s *Screen) Leave() {}

// Badge implements screen.Tab. It counts the confirmed findings of the open table. Until a check has read the whole
// table, it counts the sure problems of the lists instead, if they are more.
func (s *Screen) Badge() (n int, older bool) {
	r := s.run()
	if listed, before := s.reading.Sure(); listed > r.sure && !r.summary.Complete {
		return listed, before
	}
	return r.sure, r.older
}

// Waits implements screen.Waiting.
func (s *Screen) Waits() bool { return false }

// Calm implements screen.Waiting. A check shows its progress on this tab only.
func (s *Screen) Calm(k task.Kind, shown bool) bool { return k == task.Checking && !shown }

// Receive implements screen.Tab.
func (s *Screen) Receive(event any) tea.Cmd {
	switch m := event.(type) {
	case message.Opened: // a check by another layout may find something else
		if r := s.run(); !r.running && config.Hash(r.table.Layout) != config.Hash(s.Table.Layout) {
			delete(s.runs, s.open())
		}
	case message.Accepted: // findings are mended by the accepted layout from now on
		for _, r := range s.runs {
			if !r.running && r.table.Name == m.Was.Name && r.table.Connection() == m.Was.Connection() {
				r.table = m.Table
			}
		}
	case message.Changed:
		if s.Tab != Tab { // here each finding shows its own outcome
			for _, r := range s.runs {
				r.older = true
			}
		}
	}
	return nil
}

// Enter implements screen.Tab. It starts a check that costs no more than AutoReadUnits.
func (s *Screen) Enter() tea.Cmd {
	if s.Table == nil || s.run().begun() || s.elsewhere() != nil || !check.Checkable(s.Table) || !s.cheap() {
		return nil
	}
	return s.start(false)
}

// Starts implements screen.Started.
func (s *Screen) Starts() (name, words, why string) {
	return "check", "check the whole table", s.Commands().Why(keymap.Reload)
}

// Start implements screen.Started. It starts a check at once if that costs no more than
// AutoReadUnits; such a check also replaces one that started by itself. For a more expensive
// check, the screen first shows the price and the key that starts it.
func (s *Screen) Start() tea.Cmd {
	r := s.run()
	switch {
	case s.Table == nil || !check.Checkable(s.Table) || r.running && r.asked:
		return nil
	case s.cheap():
		return s.start(true)
	case r.begun() && !r.running:
		return s.sayPrice()
	}
	return nil
}

// Back implements screen.Tab. It removes the marks. If there are none, it stops the check. used is always true, so esc
// does not leave the findings.
func (s *Screen) Back() (cmd tea.Cmd, used bool) {
	r := s.run()
	switch {
	case len(r.marked) > 0:
		clear(r.marked)
	case r.running:
		return s.Stop(), true
	}
	return nil, true
}

// Stop implements screen.Stopper. It stops the running check, and keeps the findings.
// It returns nil if no check is running.
func (s *Screen) Stop() tea.Cmd {
	for _, r := range s.runs {
		if r.running && !r.stopping {
			r.stopping = true
			s.Tasks.Cancel(task.Checking)
			return s.Say("Stopped. The findings stay.")
		}
	}
	return nil
}

// Last returns the summary of a table's last check, and when the check ended. on is the number of the
// table's connection. The summary is nil if there was no check, or if it is still running.
func (s *Screen) Last(on int, table string) (*finding.Summary, time.Time) {
	r := s.runs[target{on, table}]
	if r == nil || r.running {
		return nil, time.Time{}
	}
	return &r.summary, r.ended
}

// Tables implements screen.Holder. It returns the tables that were checked.
func (s *Screen) Tables() []*dynamo.Table {
	var all []*dynamo.Table
	for _, r := range s.runs {
		all = append(all, r.table)
	}
	return all
}

// About implements screen.Screen.
func (s *Screen) About() string {
	x := s.run().selected()
	if x == nil {
		return "findings"
	}
	kind := string(x.f.Kind)
	return "findings, " + say.Article(kind) + " " + kind
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	r := s.run()
	rows, selected := r.lines(), r.selected()
	c := screen.Content{List: &r.list, Rows: rows, Cover: r.cover(), Hints: s.Commands().Hints(s.Session)}
	r.filter.Show(s.Session, &c, "a value, an account, a counter or a kind")
	if r.begun() {
		c.Intro = r.above
	}
	switch {
	case rows.Len() > 0:
		c.Heads, c.Depth = r.columns.Heads, 4
		c.DetailBelow = func(d *kit.Block) { r.beneath(d, selected) }
		if s.Size.Wide() {
			c.DetailSide = func(d *kit.Block) { s.beside(d, r, selected) }
			c.AfterRows = r.kindsMean
		}
	case r.offers():
		c.EmptyState, c.Cover.Left = s.offer, nil
		c.DetailBelow, c.Read = func(*kit.Block) {}, s.beyond
	case r.failed():
		c.Fail(s.Session, r.err)
		c.Intro = nil
	default:
		c.EmptyState = s.nothing
		if r.running && s.Size.Wide() { // keeps the list as narrow as it is with findings
			c.DetailSide = sought
		}
	}
	return c
}

// All implements screen.Filtered.
func (s *Screen) All() bool {
	r := s.run()
	if !r.filter.Clear() {
		return false
	}
	r.refilter()
	return true
}

// Typed implements screen.TextInput.
func (s *Screen) Typed(msg tea.Msg) tea.Cmd {
	if r := s.run(); r.filter.Typed(msg, &r.list, r.lines()) {
		r.refilter()
	}
	return nil
}

// Typing implements screen.TextInput.
func (s *Screen) Typing() bool { return s.run().filter.Typing() }

func (s *Screen) open() target { return target{s.On, s.Table.Name} }

// run returns the last check of the open table. If there was none, it returns a check that has not begun.
func (s *Screen) run() *run {
	if s.Table != nil {
		if r := s.runs[s.open()]; r != nil {
			return r
		}
	}
	return &run{Session: s.Session, found: found{table: s.Table}}
}

// elsewhere returns the running check of another table; nil if there is none.
func (s *Screen) elsewhere() *run {
	for at, r := range s.runs {
		if r.running && at != s.open() {
			return r
		}
	}
	return nil
}
