// Package journal is the screen of what was changed from here, and of a single receipt. It
// speaks to the program in messages; start reading at Screen.
package journal

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// Screen is what was changed from here: what is open first, then the newest.
type Screen struct {
	*session.Session
	receipts receipts
	shown
	table kit.Table[line]
	look  screen.Filter
	// onlyProblems leaves out what was applied.
	onlyProblems bool
	changed      bool                     // a change was made from here, and is to be seen
	loaded       map[string]*change.Entry // what was read of single changes, by receipt
}

// New is the screen; Recall fills it.
func New(s *session.Session) *Screen {
	return &Screen{Session: s, table: kit.Table[line]{Columns: columns}, loaded: map[string]*change.Entry{}}
}

// Open is how many changes are open.
func (s *Screen) Open() int { return s.receipts.open }

// Changed notes that a change was made, which is to be seen, and reads the journal.
func (s *Screen) Changed() tea.Cmd {
	s.changed = true
	return s.Recall()
}

// filter makes the rows anew, since what is looked for has changed. The cursor stays on
// its change, or goes to the newest.
func (s *Screen) filter() {
	s.regroup()
	if s.list.Lost { // it is the person who left it out
		s.list.Put(s.lines().first())
	}
}

// regroup makes the rows anew. The cursor stays on its change.
func (s *Screen) regroup() {
	newest := len(s.rows) == 0
	if s.changed || s.Tab != session.JournalTab { // at the newest, it stays at the newest
		newest = newest || s.list.Top == 0 && s.selected() == s.rows[0].Record
	}
	s.changed = false
	s.list.Hold(s.lines())
	all := s.receipts.rows
	want := s.look.Want()
	s.rows, s.open = all, s.receipts.open
	if want != "" || s.onlyProblems {
		s.rows, s.open = nil, 0
		for n, r := range all {
			if strings.Contains(r.find, want) && !(s.onlyProblems && words.Outcome(r.Record).Quiet) {
				s.rows = append(s.rows, r)
				if n < s.receipts.open {
					s.open++
				}
			}
		}
	}
	if newest {
		s.list.Put(s.lines().first())
	}
	s.list.Follow(s.lines())
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	rows := s.lines()
	rows.table, rows.now = &s.table, s.Now()
	c := screen.Content{List: &s.list, Rows: rows, Depth: 4, Hints: s.hints(), Blurred: s.look.Typing()}
	c.Top = s.look.Heading(s.Session, "a value, a counter, a name, a reason or a receipt")
	c.Cover = s.cover()
	if len(s.rows) == 0 {
		c.Instead = s.state
		return c
	}
	c.Heads = s.table.Heads
	of := &detail{s.Session, s.selected(), s.planOf(s.selected())}
	c.Beneath, c.Beside = of.beneath, of.beside
	return c
}

func (s *Screen) cover() *kit.Coverage {
	c := screen.Cover(s.Session, task.Recalling)
	if since, _ := s.Tasks.Since(task.Recalling); c.Working >= 0 {
		c.Right = []kit.Span{kit.Muted.Of("reading the journal, " + words.Lasts(s.Now().Sub(since)))}
	}
	if !s.receipts.read {
		return c
	}
	c.Left = []kit.Span{kit.Muted.Of(words.Position(s.at()+1, len(s.rows), false))}
	if len(s.rows) < len(s.receipts.rows) {
		c.Left = append(c.Left, kit.Muted.Of(" found, "+phrase.Count(len(s.receipts.rows), "change")+" in all"))
	}
	if s.onlyProblems {
		c.Left = append(c.Left, kit.Muted.Of(" · "), kit.Text.Of("not applied"))
	}
	if c.Right == nil {
		c.Right = []kit.Span{kit.Muted.Of("kept on this machine")}
		if n := s.receipts.unread; n > 0 {
			c.Right = []kit.Span{kit.Warn.Of(phrase.Count(n, "line") + " cannot be read")}
		}
		if s.receipts.err != nil {
			c.Right = []kit.Span{kit.Warn.Of("the journal could not be read again")}
		}
	}
	return c
}

// All shows all changes again, and reports whether some were left out.
func (s *Screen) All() bool {
	if !s.look.Clear() && !s.onlyProblems {
		return false
	}
	s.onlyProblems = false
	s.filter()
	return true
}

// Typed takes a key of the field in.
func (s *Screen) Typed(msg tea.Msg) tea.Cmd {
	if s.look.Typed(msg, &s.list, s.lines()) {
		s.filter()
		return s.Load()
	}
	return nil
}

// Typing implements screen.TextInput.
func (s *Screen) Typing() bool { return s.look.Typing() }
