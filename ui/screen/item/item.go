// Package item is the screen of one item: every attribute, with its type. It speaks to the
// program in messages; start reading at Screen.
package item

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// Screen shows every attribute of one item, with its type.
type Screen struct {
	*session.Session
	owner *dynamo.Table // the table that it was opened through
	table string
	key   attr.Key
	rows  kit.List
	// seen are the relations that were read with the table it was opened through.
	seen  func() []*dynamo.Relation
	in    *dynamo.Inspection
	lines []line
	width int             // that the lines were made for
	open  map[string]bool // rows whose whole value is shown, by path
	err   error
}

// New is the screen of an item of a table, or of one of its lock tables; Refresh fills it.
// seen answers what is known already of the values in the table that it is opened through.
func New(s *session.Session, owner *dynamo.Table, table string, key attr.Key, seen func() []*dynamo.Relation) *Screen {
	return &Screen{Session: s, owner: owner, table: table, key: key, seen: seen, open: map[string]bool{}}
}

func (s *Screen) read() tea.Cmd {
	seen := s.seen()
	return task.Start(s.Tasks, task.Fetching, func(ctx context.Context) (*dynamo.Inspection, error) {
		return s.owner.Inspect(ctx, s.table, s.key, seen...)
	}, func(in *dynamo.Inspection, err error) tea.Cmd {
		s.err = err
		if err == nil {
			s.in = in
			s.lay()
		}
		return nil
	})
}

// lay makes the lines.
func (s *Screen) lay() {
	s.width = s.Size.Width
	s.lines = linesOf(s.in, s.Now(), s.width, s.open)
}

// fold shows the whole of the selected value, or its one line again.
func (s *Screen) fold() {
	row, ok := s.selected()
	if !ok {
		return
	}
	s.open[row.path] = !s.open[row.path]
	s.lay()
	for n, l := range s.lines {
		if l.path == row.path && l.means == "" {
			s.rows.Cursor = n
			return
		}
	}
}

func (s *Screen) selected() (line, bool) {
	if s.rows.Cursor < len(s.lines) {
		return s.lines[s.rows.Cursor], true
	}
	return line{}, false
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	if s.in != nil && s.width != s.Size.Width {
		s.lay()
	}
	c := screen.Content{List: &s.rows, Rows: list{s.lines, s.Size.Width}, Hints: s.hints()}
	l := kit.NewLine(s.Styles, s.Size.Width, s.Ground())
	l.Put(kit.Text, " ")
	l.Middle(kit.Muted, s.table, 24)
	l.Put(kit.Faint, " "+kit.GlyphPath+" ")
	right := ""
	if s.in != nil {
		right = "read " + words.Clock(s.in.At) + ", consistent"
	}
	l.Middle(kit.Heading, s.key.String(), s.Size.Width-l.At-len(right)-3)
	l.Ends(kit.Muted, right, s.Size.Width-1)
	c.Top = &screen.Heading{Line: l.Done(), From: 0, To: 0}
	c.Heads = func(l *kit.Line) {
		kind, value := columnsOf(l.Width)
		kit.Heads(l, kit.Cell{Column: 2, Text: "ATTRIBUTE"}, kit.Cell{Column: kind, Text: "TYPE"}, kit.Cell{Column: value, Text: "VALUE"})
	}
	c.Cover = &kit.Coverage{Part: 1, Working: -1}
	switch {
	case s.err != nil:
		c.Instead = func(d *kit.Block) { screen.Failed(s.Session, d, s.err) }
		c.Heads = nil
	case s.in == nil:
		if since, busy := s.Tasks.Since(task.Fetching); busy {
			c.Cover.Working = s.Phase(since)
		}
		c.Instead = func(d *kit.Block) { d.Gap() }
	case s.in.Item == nil:
		c.Heads = nil
		c.Instead = func(d *kit.Block) {
			d.Gap()
			d.Para(2, kit.Heading, "This item does not exist any more.")
			d.Gap()
			s.Advice(d, keymap.Reload, "read it again")
		}
	default:
		at, of := s.place()
		c.Cover.Left = []kit.Span{kit.Muted.Of(words.Position(at, of, false) + " attributes")}
		c.Cover.Right = []kit.Span{kit.Muted.Of(phrase.Count(s.in.Item.Size(), "byte") + " · " + words.Units(s.in.Units) + " RU")}
	}
	return c
}

// place counts attributes, not lines.
func (s *Screen) place() (at, of int) {
	for n, l := range s.lines {
		if l.means == "" && l.tree == "" && l.text == "" {
			of++
			if n <= s.rows.Cursor {
				at = of
			}
		}
	}
	return at, of
}

func (s *Screen) hints() []kit.Hint {
	h := []kit.Hint{s.Hint(keymap.Copy, "copy value"), s.Hint(keymap.CopyItem, "copy item")}
	if s.Why(keymap.OtherSide) == "" {
		h = append(h, s.Hint(keymap.OtherSide, "its lock"))
	}
	if row, ok := s.selected(); ok && s.Why(keymap.Open) == "" {
		word := "show all"
		if s.open[row.path] {
			word = "fold"
		}
		h = append([]kit.Hint{s.Hint(keymap.Open, word)}, h...)
	}
	if s.Why(keymap.Mend) == "" {
		h = append(h, s.Hint(keymap.Mend, "mend"))
	}
	if s.Why(keymap.ChangeValue) == "" {
		h = append(h, s.Hint(keymap.ChangeValue, "change value"))
	}
	return append(h, s.Hint(keymap.Reload, "read again"), s.Hint(keymap.Back, "back"))
}

// About implements screen.Screen.
func (s *Screen) About() string { return "an item" }

// Why implements screen.Screen.
func (s *Screen) Why(action keymap.Action) string {
	switch action {
	case keymap.OtherSide:
		if row, ok := s.selected(); !ok || row.rel == nil {
			return "no lock protects this attribute"
		}
	case keymap.Copy, keymap.CopyItem:
		if s.in == nil || s.in.Item == nil {
			return "there is nothing to copy"
		}
	case keymap.Mend:
		row, ok := s.selected()
		if !ok || row.rel == nil {
			return "no lock protects this attribute"
		}
		return s.WhyMend(row.rel)
	case keymap.ChangeValue, keymap.DeleteAccount:
		return s.whyAccount()
	case keymap.Undo:
		return s.WhyUndoLast()
	case keymap.Release, keymap.Mark, keymap.Bump, keymap.OnlyProblems, keymap.Fold, keymap.Pause, keymap.Stop, keymap.NextProblem, keymap.PreviousProblem:
		return "not on an item"
	case keymap.Open:
		if row, ok := s.selected(); !ok || row.text == "" && !row.cut(s.width) {
			return "all of this value is shown"
		}
	}
	return ""
}

// values are the protected values that a change could be about: the selected one,
// or all of the account's.
func (s *Screen) values() []*dynamo.Relation {
	if row, ok := s.selected(); ok && row.rel != nil {
		return []*dynamo.Relation{row.rel}
	}
	if s.in == nil {
		return nil
	}
	return s.in.Values
}

// whyAccount says why the item is not changed as an account.
func (s *Screen) whyAccount() string {
	if len(s.values()) == 0 {
		return "this is no account with a protected value"
	}
	return s.WhyWrite(s.table, client.Update, client.Put, client.Delete)
}

// Act implements screen.Screen.
func (s *Screen) Act(action keymap.Action) tea.Cmd {
	row, ok := s.selected()
	switch action {
	case keymap.Copy:
		if ok {
			return s.Copy(fmt.Sprintf("the value of %s", row.name), row.value.Display())
		}
	case keymap.CopyItem:
		return s.CopyJSON("the item", s.in.Item)
	case keymap.Open:
		s.fold()
	case keymap.Reload:
		return s.read()
	case keymap.Mend:
		return s.Send(message.Mend{Table: s.owner, Relation: row.rel})
	case keymap.ChangeValue:
		return s.Send(message.ChangeValue{Table: s.owner, Values: s.values()})
	case keymap.Undo:
		return s.Send(message.UndoLast{})
	case keymap.DeleteAccount:
		return s.Send(message.DeleteAccount{Table: s.owner, Relation: s.values()[0]})
	case keymap.OtherSide:
		if !row.rel.Lock.Exists {
			return s.Say("No lock keeps this value.")
		}
		return s.Send(message.OpenItem{Owner: s.owner, Table: row.rel.Lock.Table, Key: row.rel.Lock.Key})
	}
	return nil
}

// Refresh reads the item again.
func (s *Screen) Refresh() tea.Cmd { return s.read() }
