// Package journal is the screen of what was changed from here, and of a single receipt. It
// speaks to the program in messages; start reading at Screen.
package journal

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	record "tallylock/dynamo/change/journal"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// Screen is what was changed from here: what is open first, then the newest.
type Screen struct {
	*session.Session
	receipts receipts
	list     kit.List
	field    kit.Field
	typing   bool
	// onlyProblems leaves out what was applied.
	onlyProblems bool
	changed      bool                     // a change was made from here, and is to be seen
	rows         []row                    // what the filter left
	open         int                      // of rows
	loaded       map[string]*change.Entry // what was read of single changes, by receipt
}

// New is the screen; Recall fills it.
func New(s *session.Session) *Screen {
	return &Screen{Session: s, field: kit.NewField(""), loaded: map[string]*change.Entry{}}
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
		s.list.Put(s.lines(80).line(0))
	}
}

// regroup makes the rows anew. The cursor stays on its change.
func (s *Screen) regroup() {
	newest := len(s.rows) == 0
	if s.changed || s.Tab != session.JournalTab { // at the newest, it stays at the newest
		newest = newest || s.list.Top == 0 && s.selected() == s.rows[0].Record
	}
	s.changed = false
	s.list.Hold(s.lines(80))
	all := s.receipts.rows
	want := strings.ToLower(strings.TrimSpace(s.field.Value()))
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
		s.list.Put(s.lines(80).line(0))
	}
	s.list.Follow(s.lines(80))
}

func (s *Screen) lines(width int) list {
	return list{s.rows, s.open, columnsOf(width), s.Now()}
}

func (s *Screen) selected() *record.Record {
	if at := s.lines(80).at(s.list.Cursor); !s.list.Lost && at >= 0 && at < len(s.rows) {
		return s.rows[at].Record
	}
	return nil
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	rows := s.lines(s.ListWidth())
	rec := s.selected()
	c := screen.Content{List: &s.list, Rows: rows, Depth: 4, Hints: s.hints(rec), Blurred: s.typing}
	if s.typing || s.field.Value() != "" {
		top, end := s.Question(&s.field, s.typing, "a value, a counter, a name, a reason or a receipt")
		c.Top = &screen.Heading{Line: top, From: 1, To: end}
	}
	c.Cover = s.cover()
	c.Heads = func(l *kit.Line) {
		cols := columnsOf(l.Width)
		kit.Heads(l, kit.Cell{Column: cols.when, Text: "WHEN"}, kit.Cell{Column: cols.what, Text: "WHAT"})
		if cols.reason > 0 {
			kit.Heads(l, kit.Cell{Column: cols.reason, Text: "WHY"})
		}
		if cols.table > 0 {
			kit.Heads(l, kit.Cell{Column: cols.table, Text: "TABLE"})
		}
		if cols.by > 0 {
			kit.Heads(l, kit.Cell{Column: cols.by, Text: "BY"})
		}
		kit.Heads(l, kit.Cell{Column: cols.outcome, Text: "OUTCOME"})
	}
	c.Beneath = func(d *kit.Block) { s.beneath(d, rec) }
	c.Beside = func(d *kit.Block) { s.beside(d, rec) }
	if len(s.rows) == 0 {
		c.Instead, c.Heads, c.Beneath, c.Beside = s.state, nil, nil, nil
	}
	return c
}

func (s *Screen) cover() *kit.Coverage {
	c := &kit.Coverage{Part: 1, Working: -1}
	if since, busy := s.Tasks.Since(task.Recalling); busy {
		c.Working = s.Phase(since)
		if c.Working >= 0 {
			c.Right = []kit.Span{kit.Muted.Of("reading the journal, " + words.Lasts(s.Now().Sub(since)))}
		}
	}
	if !s.receipts.read {
		return c
	}
	at := 0
	if i := s.lines(80).at(s.list.Cursor); !s.list.Lost && i >= 0 && i < len(s.rows) {
		at = i + 1
	}
	c.Left = []kit.Span{kit.Muted.Of(words.Position(at, len(s.rows), false))}
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

func (s *Screen) hints(rec *record.Record) []kit.Hint {
	if s.typing {
		return []kit.Hint{{Key: "enter", Words: "done"}, {Key: "ctrl+u", Words: "clear"}, {Key: "esc", Words: "show all"}}
	}
	var h []kit.Hint
	if rec != nil {
		if s.Why(keymap.Mend) == "" {
			h = append(h, s.Hint(keymap.Mend, "settle"))
		}
		if s.Why(keymap.Undo) == "" {
			h = append(h, s.Hint(keymap.Undo, "undo"))
		}
		h = append(h, s.Hint(keymap.Open, "whole receipt"))
	}
	if len(s.receipts.rows) > 0 {
		h = append(h, s.Hint(keymap.Find, "find"))
	}
	if rec != nil {
		h = append(h, s.Hint(keymap.Copy, "copy receipt"))
	}
	if s.field.Value() != "" {
		h = append(h, s.Hint(keymap.Back, "show all"))
	}
	if len(s.receipts.rows) > 0 {
		h = append(h, s.Hint(keymap.OnlyProblems, "not applied"))
	}
	return append(h, s.Hint(keymap.Reload, "read again"))
}

// About implements screen.Screen.
func (s *Screen) About() string {
	if rec := s.selected(); rec != nil {
		return "journal, " + words.Outcome(rec).Word
	}
	return "journal"
}

// Why implements screen.Screen.
func (s *Screen) Why(action keymap.Action) string {
	switch action {
	case keymap.Open, keymap.Copy, keymap.CopyItem:
		if s.selected() == nil {
			return "no change is selected"
		}
	case keymap.Find, keymap.OnlyProblems, keymap.NextProblem, keymap.PreviousProblem:
		if len(s.receipts.rows) == 0 {
			return "there is no change yet"
		}
	case keymap.Undo:
		if s.selected() == nil {
			return "no change is selected"
		}
		return s.whyUndo(s.selected())
	case keymap.Mend:
		if s.selected() == nil {
			return "no change is selected"
		}
		return s.WhySettle(s.selected())
	case keymap.Reload:
	default:
		return "not in the journal"
	}
	return ""
}

// Act implements screen.Screen.
func (s *Screen) Act(action keymap.Action) tea.Cmd {
	rec := s.selected()
	switch action {
	case keymap.Find:
		s.typing = true
	case keymap.OnlyProblems:
		s.onlyProblems = !s.onlyProblems
		s.filter()
		return s.Load()
	case keymap.Open:
		return s.openReceipt(rec)
	case keymap.Mend:
		return s.Send(message.Settle{Record: rec})
	case keymap.Undo:
		return s.Send(message.Undo{Record: rec})
	case keymap.Copy:
		return s.Copy("the receipt's name", rec.Receipt)
	case keymap.CopyItem:
		return s.CopyRequests(s.planOf(rec))
	case keymap.Reload:
		return s.Recall()
	}
	return nil
}

// All shows all changes again, and reports whether some were left out.
func (s *Screen) All() bool {
	if s.field.Value() == "" && !s.onlyProblems {
		return false
	}
	s.field, s.onlyProblems = kit.NewField(""), false
	s.filter()
	return true
}

// Typed takes a key of the field in.
func (s *Screen) Typed(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			s.typing = false
			return nil
		case "esc":
			s.typing = false
			s.All()
			return nil
		case "up":
			s.list.Move(s.lines(80), -1)
			return nil
		case "down":
			s.list.Move(s.lines(80), 1)
			return nil
		}
	}
	if s.field.Update(msg) {
		s.filter()
		return s.Load()
	}
	return nil
}

// Typing implements screen.Typist.
func (s *Screen) Typing() bool { return s.typing }
