// Package journal has the screen that lists the changes made from this machine, and the screen of
// a single receipt. It sends messages to the program. Start reading at Screen.
package journal

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	record "tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Tab is the tab of the journal.
var Tab = &session.Tab{Name: "journal", Action: keymap.Journal}

// Screen lists the changes made from this machine: open changes first, then the others, the newest first.
type Screen struct {
	*session.Session
	receipts receipts
	list     kit.List
	rows     []row
	table    kit.Table[line]
	look     screen.Filter
	// onlyProblems hides the changes that were applied.
	onlyProblems bool
	changed      bool                   // a change was just made, and the list must show it
	loaded       map[string]*plan.Entry // the entries that were read with their plans, by receipt
	marked       map[string]bool        // the receipts of the changes that a person marked to undo them together
}

// New returns the screen without changes. Enter reads them.
func New(s *session.Session) *Screen {
	return &Screen{
		Session: s, table: kit.Table[line]{Columns: columns}, loaded: map[string]*plan.Entry{}, marked: map[string]bool{},
	}
}

// Info implements screen.Tab.
func (s *Screen) Info() *session.Tab { return Tab }

// WhyNot implements screen.Tab.
func (s *Screen) WhyNot() string { return "" }

// Leave implements screen.Tab.
func (s *Screen) Leave() {}

// Back implements screen.Tab. It removes the marks.
func (s *Screen) Back() (tea.Cmd, bool) {
	if len(s.marked) == 0 {
		return nil, false
	}
	clear(s.marked)
	return nil, true
}

// Badge implements screen.Tab. It counts the open changes.
func (s *Screen) Badge() (int, bool) { return s.receipts.open, false }

// Receive implements screen.Tab. It reads the journal at the start and after each change.
func (s *Screen) Receive(event any) tea.Cmd {
	switch event.(type) {
	case message.Changed:
		s.changed = true // the cursor may go to the change; see regroup
	case message.Started:
	default:
		return nil
	}
	return s.Enter()
}

// filter lists the changes again after the filter has changed. The cursor stays on
// its change, or goes to the first one.
func (s *Screen) filter() {
	s.regroup()
	if s.list.Lost { // the person has filtered out the selected change
		s.list.Put(s.lines().first())
	}
}

// regroup lists the changes again. The cursor stays on its change. But if a change was just made, or another tab
// is shown, a cursor on the first change goes to the new first change.
func (s *Screen) regroup() {
	newest := len(s.rows) == 0 ||
		(s.changed || s.Tab != Tab) && s.list.Top == 0 && s.selected().number == 1
	s.changed = false
	s.list.Hold(s.lines())
	s.rows = rowsOf(slices.DeleteFunc(slices.Clone(s.receipts.rows), func(r row) bool {
		return !strings.Contains(r.find, s.look.Want()) || s.onlyProblems && say.Outcome(r.Record).Quiet
	}))
	if newest {
		s.list.Put(s.lines().first())
	}
	s.list.Follow(s.lines())
}

func (s *Screen) lines() lines { return lines{s.rows, &s.table, s.Now(), s.marked} }

// markedRecords returns the marked changes in the order of the list, including changes that the filter hides.
func (s *Screen) markedRecords() []*record.Record {
	var out []*record.Record
	for _, r := range s.receipts.rows {
		if s.marked[r.Receipt] {
			out = append(out, r.Record)
		}
	}
	return out
}

// selected returns the selected change; an empty row if no change is selected.
func (s *Screen) selected() row {
	if s.list.Lost || s.list.Cursor >= len(s.rows) {
		return row{}
	}
	return s.rows[s.list.Cursor]
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	c := screen.Content{List: &s.list, Rows: s.lines(), Depth: 4, Hints: s.Commands().Hints(s.Session)}
	s.look.Show(s.Session, &c, "a value, a counter, a name, a reason or a receipt")
	c.Cover = s.cover()
	if len(s.rows) == 0 {
		c.EmptyState = s.state
		return c
	}
	c.Heads = s.table.Heads
	c.DetailBelow, c.DetailSide = s.beneath, s.beside
	return c
}

func (s *Screen) cover() *kit.Coverage {
	c := screen.Cover(s.Session, task.Recalling)
	if since, _ := s.Tasks.Since(task.Recalling); c.Working >= 0 {
		c.Right = []kit.Span{kit.Muted.Of("reading the journal, " + say.Lasts(s.Now().Sub(since)))}
	}
	if !s.receipts.read {
		return c
	}
	shown := 0
	if len(s.rows) > 0 {
		shown = s.rows[len(s.rows)-1].number
	}
	c.Left = []kit.Span{kit.Muted.Of(say.Position(s.selected().number, shown, false))}
	if shown < len(s.receipts.rows) {
		c.Left = append(c.Left, kit.Muted.Of(" found, "+phrase.Count(len(s.receipts.rows), "change")+" in all"))
	}
	if s.onlyProblems {
		c.Left = append(c.Left, kit.Muted.Of(" · "), kit.Text.Of("not applied"))
	}
	if n := len(s.marked); n > 0 {
		c.Left = append(c.Left, kit.Muted.Of(" · "), kit.Accent.Of(phrase.Number(n)+" marked"))
	}
	if c.Right == nil {
		c.Right = kept(s.Session)
		if n := s.receipts.unread; n > 0 {
			c.Right = []kit.Span{kit.Warn.Of(phrase.Count(n, "line") + " cannot be read")}
		}
		if s.receipts.err != nil {
			c.Right = []kit.Span{kit.Warn.Of("reading the journal failed")}
		}
	}
	return c
}

// All implements screen.Filtered. It also shows the applied changes again.
func (s *Screen) All() bool {
	if !s.look.Clear() && !s.onlyProblems {
		return false
	}
	s.onlyProblems = false
	s.filter()
	return true
}

// Typed implements screen.TextInput.
func (s *Screen) Typed(msg tea.Msg) tea.Cmd {
	if s.look.Typed(msg, &s.list, s.lines()) {
		s.filter()
		return s.Follow()
	}
	return nil
}

// Typing implements screen.TextInput.
func (s *Screen) Typing() bool { return s.look.Typing() }

// state says, in place of an empty list, why it has no changes.
func (s *Screen) state(d *kit.Block) {
	switch {
	case s.Journal() == nil:
		screen.Failed(s.Session, d, s.WhyNoJournal())
	case !s.receipts.read && s.receipts.err != nil:
		screen.Failed(s.Session, d, s.receipts.err)
	case !s.receipts.read:
		d.Gap()
		d.Row(func(l *kit.Line) {
			l.Put(kit.Muted, " Reading the journal ")
			l.Words(kit.Text, s.path(), l.Width-l.At-1)
		})
	case len(s.receipts.rows) > 0:
		screen.Nothing(d, "No matching change.", "")
		if s.look.On() {
			d.Keys(4, s.Hint(keymap.Back, "show all again"))
		}
		if s.onlyProblems {
			d.Keys(4, s.Hint(keymap.OnlyProblems, "show applied changes, too"))
		}
	case s.Connection().NoJournal != nil:
		screen.Failed(s.Session, d, s.WhyNoJournal())
	default:
		screen.Nothing(d, "No changes yet.", "")
		d.Para(4, kit.Text, "Every change is written here before it is sent:")
		d.Para(4, kit.Muted, s.path())
		d.Gap()
		s.begins(d)
	}
}

// path returns the path of the journal. An SSH session does not show paths of the server.
func (s *Screen) path() string {
	if s.Options.Guest != nil {
		return "the journal of the server"
	}
	return s.Journal().Path()
}

// kept says where the journal is.
func kept(s *session.Session) []kit.Span {
	if s.Options.Guest != nil {
		return []kit.Span{kit.Muted.Of("kept on the server")}
	}
	return []kit.Span{kit.Muted.Of("kept on this machine")}
}

// begins lists the tabs where a person can make changes, with their keys.
func (s *Screen) begins(d *kit.Block) {
	d.Para(4, kit.Text, "Changes are made on:")
	mend := s.Hint(keymap.Mend, "mend")
	for _, from := range []struct {
		tab   kit.Hint
		makes []kit.Hint
	}{
		{s.Hint(keymap.Accounts, "accounts"), []kit.Hint{mend, s.Hint(keymap.ChangeValue, "change a value"), s.Hint(keymap.DeleteAccount, "delete")}},
		{s.Hint(keymap.Locks, "locks"), []kit.Hint{s.Hint(keymap.Release, "release"), mend}},
		{s.Hint(keymap.Counters, "counters"), []kit.Hint{s.Hint(keymap.Bump, "bump"), mend}},
		{s.Hint(keymap.Findings, "findings"), []kit.Hint{mend, s.Hint(keymap.Mark, "mark to mend several")}},
	} {
		d.Row(func(l *kit.Line) {
			l.To(4)
			l.Put(kit.Key, from.tab.Key)
			l.Put(kit.Text, " "+from.tab.Words)
			l.To(18)
			kit.WriteHints(l, kit.WithKeys(from.makes))
		})
	}
}
