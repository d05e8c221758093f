package ui

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
	"tallylock/ui/screen"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// itemScreen shows every attribute of one item, with its type.
type itemScreen struct {
	app   *app
	owner *dynamo.Table // the table that it was opened through
	table string
	key   attr.Key
	list  kit.List
	in    *dynamo.Inspection
	lines []itemLine
	width int             // that the lines were made for
	open  map[string]bool // rows whose whole value is shown, by path
	err   error
}

// openItem opens an item of the open table, or of one of its locks.
func (a *app) openItem(table string, key attr.Key) tea.Cmd { return a.openItemOf(a.Table, table, key) }

func (a *app) openItemOf(owner *dynamo.Table, table string, key attr.Key) tea.Cmd {
	s := &itemScreen{app: a, owner: owner, table: table, key: key, open: map[string]bool{}}
	a.push(s)
	return s.read()
}

func (s *itemScreen) read() tea.Cmd {
	a := s.app
	var seen []*dynamo.Relation
	if a.browse != nil && a.Table == s.owner {
		seen = a.browse.view.Relations
	}
	return task.Start(a.Tasks, task.Fetching, func(ctx context.Context) (*dynamo.Inspection, error) {
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
func (s *itemScreen) lay() {
	s.width = s.app.Size.Width
	s.lines = itemLines(s.in, s.app.Now(), s.width, s.open)
}

// fold shows the whole of the selected value, or its one line again.
func (s *itemScreen) fold() {
	row, ok := s.selected()
	if !ok {
		return
	}
	s.open[row.path] = !s.open[row.path]
	s.lay()
	for n, l := range s.lines {
		if l.path == row.path && l.means == "" {
			s.list.Cursor = n
			return
		}
	}
}

func (s *itemScreen) selected() (itemLine, bool) {
	if s.list.Cursor < len(s.lines) {
		return s.lines[s.list.Cursor], true
	}
	return itemLine{}, false
}

func (s *itemScreen) Content() screen.Content {
	a := s.app
	if s.in != nil && s.width != a.Size.Width {
		s.lay()
	}
	c := screen.Content{List: &s.list, Rows: itemList{s.lines, a.Size.Width}, Hints: s.hints()}
	l := kit.NewLine(a.Styles, a.Size.Width, a.Ground())
	l.Put(kit.Text, " ")
	l.Middle(kit.Muted, s.table, 24)
	l.Put(kit.Faint, " "+kit.GlyphPath+" ")
	right := ""
	if s.in != nil {
		right = "read " + words.Clock(s.in.At) + ", consistent"
	}
	l.Middle(kit.Heading, s.key.String(), a.Size.Width-l.At-len(right)-3)
	l.Ends(kit.Muted, right, a.Size.Width-1)
	c.Top = &screen.Heading{Line: l.Done(), From: 0, To: 0}
	c.Heads = func(l *kit.Line) {
		kind, value := itemColumns(l.Width)
		kit.Heads(l, kit.Cell{Column: 2, Text: "ATTRIBUTE"}, kit.Cell{Column: kind, Text: "TYPE"}, kit.Cell{Column: value, Text: "VALUE"})
	}
	c.Cover = &kit.Coverage{Part: 1, Working: -1}
	switch {
	case s.err != nil:
		c.Instead = func(d *kit.Block) { screen.Failed(a.Session, d, s.err) }
		c.Heads = nil
	case s.in == nil:
		if since, busy := a.Tasks.Since(task.Fetching); busy {
			c.Cover.Working = a.Phase(since)
		}
		c.Instead = func(d *kit.Block) { d.Gap() }
	case s.in.Item == nil:
		c.Heads = nil
		c.Instead = func(d *kit.Block) {
			d.Gap()
			d.Para(2, kit.Heading, "This item does not exist any more.")
			d.Gap()
			a.Advice(d, keymap.Reload, "read it again")
		}
	default:
		at, of := s.place()
		c.Cover.Left = []kit.Span{kit.Muted.Of(words.Position(at, of, false) + " attributes")}
		c.Cover.Right = []kit.Span{kit.Muted.Of(phrase.Count(s.in.Item.Size(), "byte") + " · " + words.Units(s.in.Units) + " RU")}
	}
	return c
}

// place counts attributes, not lines.
func (s *itemScreen) place() (at, of int) {
	for n, l := range s.lines {
		if l.means == "" && l.tree == "" && l.text == "" {
			of++
			if n <= s.list.Cursor {
				at = of
			}
		}
	}
	return at, of
}

func (s *itemScreen) hints() []kit.Hint {
	a := s.app
	h := []kit.Hint{a.Hint(keymap.Copy, "copy value"), a.Hint(keymap.CopyItem, "copy item")}
	if s.Why(keymap.OtherSide) == "" {
		h = append(h, a.Hint(keymap.OtherSide, "its lock"))
	}
	if row, ok := s.selected(); ok && s.Why(keymap.Open) == "" {
		word := "show all"
		if s.open[row.path] {
			word = "fold"
		}
		h = append([]kit.Hint{a.Hint(keymap.Open, word)}, h...)
	}
	if s.Why(keymap.Mend) == "" {
		h = append(h, a.Hint(keymap.Mend, "mend"))
	}
	if s.Why(keymap.ChangeValue) == "" {
		h = append(h, a.Hint(keymap.ChangeValue, "change value"))
	}
	return append(h, a.Hint(keymap.Reload, "read again"), a.Hint(keymap.Back, "back"))
}

func (s *itemScreen) About() string { return "an item" }

func (s *itemScreen) Why(action keymap.Action) string {
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
		return s.app.WhyMend(row.rel)
	case keymap.ChangeValue, keymap.DeleteAccount:
		return s.whyAccount()
	case keymap.Undo:
		return s.app.WhyUndoLast()
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
func (s *itemScreen) values() []*dynamo.Relation {
	if row, ok := s.selected(); ok && row.rel != nil {
		return []*dynamo.Relation{row.rel}
	}
	if s.in == nil {
		return nil
	}
	return s.in.Values
}

// whyAccount says why the item is not changed as an account.
func (s *itemScreen) whyAccount() string {
	if len(s.values()) == 0 {
		return "this is no account with a protected value"
	}
	return s.app.WhyWrite(s.table, client.Update, client.Put, client.Delete)
}

func (s *itemScreen) Act(action keymap.Action) tea.Cmd {
	a := s.app
	row, ok := s.selected()
	switch action {
	case keymap.Copy:
		if ok {
			return a.Copy(fmt.Sprintf("the value of %s", row.name), row.value.Display())
		}
	case keymap.CopyItem:
		return a.CopyJSON("the item", s.in.Item)
	case keymap.Open:
		s.fold()
	case keymap.Reload:
		return s.read()
	case keymap.Mend:
		return a.askMend(s.owner, row.rel)
	case keymap.ChangeValue:
		return a.askValue(s.owner, s.values()...)
	case keymap.Undo:
		return a.askUndoLast()
	case keymap.DeleteAccount:
		return a.askDelete(s.owner, s.values()[0])
	case keymap.OtherSide:
		if !row.rel.Lock.Exists {
			return a.Say("No lock keeps this value.")
		}
		return a.openItemOf(s.owner, row.rel.Lock.Table, row.rel.Lock.Key)
	}
	return nil
}

// Refresh reads the item again.
func (s *itemScreen) Refresh() tea.Cmd { return s.read() }
