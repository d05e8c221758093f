// Package findings has the screen for the check of a table, with the price of the check, its
// progress and its findings, and the screen of a single finding. It sends messages to the
// program. Start reading at Screen.
package findings

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
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
	reading *reading.Reading
}

// target identifies the table of a check: by the number of its connection, and by its name.
type target struct {
	conn  int
	table string
}

// New returns the screen.
func New(s *session.Session, reading *reading.Reading) *Screen {
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

// Badge implements screen.Tab. It counts the confirmed findings of the open table, or the problems that the
// lists show for sure, until a check has read the whole table.
func (s *Screen) Badge() (n int, older bool) {
	r := s.run()
	if r != nil {
		n, older = r.sure, r.older
	}
	if r != nil && !r.running && r.summary.Complete {
		return n, older
	}
	if listed, before := s.reading.Sure(); listed > n {
		return listed, before
	}
	return n, older
}

// Waits implements screen.Waiting.
func (s *Screen) Waits() bool { return false }

// Calm implements screen.Waiting. A check shows its progress on this tab only.
func (s *Screen) Calm(k task.Kind, shown bool) bool { return k == task.Checking && !shown }

// Receive implements screen.Tab.
func (s *Screen) Receive(event any) tea.Cmd {
	switch m := event.(type) {
	case message.Opened:
		s.opened()
	case message.Accepted:
		s.accepted(m.Was, m.Table)
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
	t := s.Table
	if t == nil || s.run() != nil || s.elsewhere() != nil || !check.Checkable(t) || !s.cheap() {
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
	case s.Table == nil || !check.Checkable(s.Table) || r != nil && r.running && r.asked:
		return nil
	case s.cheap():
		return s.start(true)
	case r != nil && !r.running:
		return s.sayPrice()
	}
	return nil
}

// Back implements screen.Tab. It removes the marks, or else stops the check. The key is always used up: esc
// does not leave the findings.
func (s *Screen) Back() (cmd tea.Cmd, used bool) {
	r := s.run()
	switch {
	case r == nil:
	case len(r.marked) > 0:
		clear(r.marked)
	case r.running:
		return s.Stop(), true
	}
	return nil, true
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	r := s.run()
	if r == nil {
		return screen.Content{
			List:    &kit.List{},
			Rows:    list{},
			Instead: s.before,
			Beneath: func(*kit.Block) {},
			Read:    func(d *kit.Block) { beyond(s, d) },
			Cover:   &kit.Coverage{Part: 1, Working: -1, Right: []kit.Span{kit.Muted.Of("nothing was read for this")}},
			Hints:   s.hints(),
		}
	}
	rows := r.lines()
	c := screen.Content{List: &r.list, Rows: rows, Depth: 4, Hints: s.hints(), Blurred: r.look.Typing(), Cover: r.cover()}
	c.Top = r.look.Heading(s.Session, "a value, an account, a counter or a kind")
	c.Above = checkReport{s.Session, r}.above
	c.Heads = r.columns.Heads
	selected := r.selected()
	c.Beneath = func(d *kit.Block) { r.beneath(d, selected) }
	if s.Size.Wide() {
		c.Beside = func(d *kit.Block) { s.beside(d, r, selected) }
		c.Below = r.kindsMean
	}
	if rows.Len() == 0 {
		c.Instead, c.Heads, c.Beneath, c.Beside = checkReport{s.Session, r}.nothing, nil, nil, nil
		if r.running && s.Size.Wide() { // keeps the list as narrow as it is with findings
			c.Beside = sought
		}
		if s.offers() {
			c.Instead, c.Cover.Left = s.offer, nil
		}
		if r.failed() {
			c.Above, c.Beside = nil, screen.Permits(s.Session, r.err) // Failed describes the error in full
		}
	}
	return c
}

// All implements screen.Filtered.
func (s *Screen) All() bool {
	r := s.run()
	if r == nil || !r.look.Clear() {
		return false
	}
	r.filter()
	return true
}

// Typed implements screen.TextInput.
func (s *Screen) Typed(msg tea.Msg) tea.Cmd {
	if r := s.run(); r.look.Typed(msg, &r.list, r.lines()) {
		r.filter()
	}
	return nil
}

// Typing implements screen.TextInput.
func (s *Screen) Typing() bool {
	r := s.run()
	return r != nil && r.look.Typing()
}

func (s *Screen) open() target { return target{s.On, s.Table.Name} }

// run returns the last check of the open table; nil if there was none.
func (s *Screen) run() *run {
	if s.Table == nil {
		return nil
	}
	return s.runs[s.open()]
}

// opened forgets the open table's check if the table has a different layout now, because a check with the
// new layout may have different findings.
func (s *Screen) opened() {
	if r := s.run(); r != nil && !r.running && config.Hash(r.table.Layout) != config.Hash(s.Table.Layout) {
		delete(s.runs, s.open())
	}
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

// Stop implements screen.Stopper. It stops the running check, and keeps the findings.
// It returns nil if no check is running.
func (s *Screen) Stop() tea.Cmd {
	for _, r := range s.runs {
		if r.running && !r.stopping {
			r.stopping = true
			s.Tasks.Cancel(task.Checking)
			return s.Say("Stopped. What was found stays.")
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

// accepted makes changes that mend earlier findings use t, the table with the layout that a person has
// just accepted.
func (s *Screen) accepted(was, t *dynamo.Table) {
	for _, r := range s.runs {
		if !r.running && r.table.Name == was.Name && r.table.Connection() == was.Connection() {
			r.table = t
		}
	}
}

// Tables implements screen.Holder. It returns the tables that were checked.
func (s *Screen) Tables() []*dynamo.Table {
	var all []*dynamo.Table
	for _, r := range s.runs {
		all = append(all, r.table)
	}
	return all
}

// A check that costs more than AutoReadUnits starts only after the screen has shown its price.

// sayPrice says what another check costs, and which key starts it.
func (s *Screen) sayPrice() tea.Cmd {
	key, cost := s.Keys.Key(keymap.Reload), setting.Estimate(s.Table, s.Options.Check)
	s.run().priced = true
	if cost.Uncounted {
		return s.Say(key + " checks again. What that costs is not known.")
	}
	return s.Say(key + " checks again, for about " + say.ReadUnits(say.RoundUnits(cost.Units())) + ".")
}

// offers reports whether the screen shows the price of a check: because there was no check yet,
// or because it was stopped before its first finding.
func (s *Screen) offers() bool {
	r := s.run()
	return r == nil || !r.running && !r.summary.Complete && len(r.all) == 0 && !r.failed()
}

// cheap reports whether a check of the open table costs no more than AutoReadUnits.
func (s *Screen) cheap() bool {
	cost := setting.Estimate(s.Table, s.Options.Check)
	return !cost.Uncounted && cost.Units() <= s.Table.Connection().AutoReadUnits()
}

// whyCheck returns the reason why no check can start; empty if it can.
func (s *Screen) whyCheck() string {
	switch r := s.run(); {
	case r != nil && r.running:
		return "it is being checked"
	case s.Table != nil && !check.Checkable(s.Table):
		return "no layout tells what to check it by"
	}
	return ""
}

// check starts a check that a person asked for. If the session would exceed its limit of read units, it asks
// first.
func (s *Screen) check() tea.Cmd {
	return s.Reading(setting.Estimate(s.Table, s.Options.Check).Units(), func() tea.Cmd { return s.start(true) })
}

// again starts a check, if it is cheap or its price was shown. Otherwise it says the price.
func (s *Screen) again() tea.Cmd {
	if r := s.run(); r == nil || s.offers() || r.priced || s.cheap() {
		return s.check()
	}
	return s.sayPrice()
}

// mostWhole is the number of findings whose items are kept as the check read them. The items of
// further findings are read when a person opens the finding.
const mostWhole = 20_000

// checked is the result of a check.
type checked struct {
	summary finding.Summary
	rows    []*row
	ceiling bool // it started by itself, and has reached its limit of read units
}

// errCeiling ends a check that started by itself, at its limit of read units.
var errCeiling = errors.New("it has read what may be read unasked")

// start starts a new check of the open table. If no person asked for it, it reads at
// most AutoReadUnits.
func (s *Screen) start(asked bool) tea.Cmd {
	t := s.Table
	if other := s.elsewhere(); other != nil {
		return s.Say(other.table.Name + " is being checked: stop that first, or wait for it.")
	}
	o, most := s.Options.Check, t.Connection().AutoReadUnits()
	r := &run{found: newFound(t), options: o, cost: setting.Estimate(t, o), began: s.Now()}
	r.pace, r.asked = r.cost.Pace, asked
	if !asked { // DynamoDB's count of the items may be hours old, and the estimate too low
		o.MaxReadUnits = most
		if r.pace > 0 {
			o.MaxReadUnits = min(most, r.pace)
		}
		r.pace = o.MaxReadUnits
	}
	o.Gate, o.Say = &r.gate, say.Do
	if old := s.run(); old != nil {
		if at := old.spot(); at.row != nil || !at.top { // the new check may find the selected finding again
			r.kept, r.list.Lost = at, true
		}
	}
	s.runs[s.open()] = r
	return task.Stream(s.Tasks, task.Checking, func(ctx context.Context, report func(progress.State)) (checked, error) {
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		sum, err := check.Run(ctx, t, o, func(f finding.Finding) { r.inbox.put(newRow(f)) }, func(now progress.State) {
			if !asked && now.Units > most {
				stop(errCeiling)
			}
			report(now)
		})
		return checked{sum, r.inbox.sorted(), errors.Is(err, errCeiling) || errors.Is(context.Cause(ctx), errCeiling)}, err
	}, r.news, func(done checked, err error) tea.Cmd {
		r.over(done, err, s.Now())
		return nil
	})
}
