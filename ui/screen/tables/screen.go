// Package tables is the screen on which a person chooses a table of any connection, or types a
// command. It sends messages to the program. Start reading at Screen.
package tables

import (
	"slices"
	"time"

	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Screen is the list of tables and commands. Its field always has the cursor; typed text filters
// the list.
type Screen struct {
	*session.Session
	cursor kit.List
	table  kit.Table[line]
	field  kit.Field
	kept   line // the line that the person moved to; empty before that
	opened line // the table that was opened last; empty before that

	offers   func() []screen.Typed
	commands []command
	typed    typed // the text of the field, and the commands that it means

	of    catalogues // one for each connection
	began time.Time  // when the listing of tables began
	done  bool       // that listing has ended
	again bool       // the list may be out of date: this session has listed tables before
}

func (s *Screen) selected() (line, bool) {
	rows := s.lines()
	s.cursor.Cursor = kit.Nearest(rows, s.cursor.Cursor, 1)
	if s.cursor.Cursor >= rows.Len() {
		return line{}, false
	}
	row := rows.lines[s.cursor.Cursor]
	return row, row.choosable()
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	rows := s.lines()
	tables := 0
	for _, c := range s.of {
		tables += len(c.names)
	}
	l := kit.NewLine(s.Styles, s.Size.Width, s.Ground())
	l.Put(kit.Text, " ")
	l.Put(kit.Key, s.Keys.Key(keymap.Tables))
	l.Put(kit.Text, " ")
	right := phrase.Count(tables, "table")
	if len(s.Connections) > 1 {
		right = phrase.Count(len(s.Connections), "connection") + ", " + right
	}
	placeholder := "type a table, or a command"
	if s.of.unlisted() {
		placeholder = "type a table's name"
	}
	s.field.Draw(l, kit.Strong, s.Size.Width-l.At-2-len(right), placeholder, true)
	l.Ends(kit.Muted, right, s.Size.Width-1)
	c := screen.Content{List: &s.cursor, Rows: rows, Depth: 2, Hints: s.hints()}
	end := 4 + max(kit.Width(safe.Text(s.field.Value())), 1)
	c.Top = &screen.Heading{Line: l.Done(), From: 1, To: end}
	c.Heads = func(l *kit.Line) {
		if slices.ContainsFunc(rows.lines, line.ofTable) {
			s.table.Heads(l)
		}
	}
	c.DetailBelow = func(d *kit.Block) {
		if _, ok := s.selected(); !ok && s.of.failed() {
			d.Para(1, kit.Muted, "Run tallylock doctor in a shell: it shows what works here and what does not.")
		}
		s.detail(d)
	}
	if row, _ := s.selected(); !s.Size.Wide() && row.tells() {
		c.AfterRows = func(d *kit.Block) { d.Gap(); row.command.About(d) }
	}
	c.Cover, c.More = &kit.Coverage{Part: 1, Working: -1}, screen.More
	c.DetailSide = func(d *kit.Block) {
		c.DetailBelow(d)
		s.beside(d)
	}
	if rows.Len() == 0 {
		c.EmptyState = func(d *kit.Block) {
			d.Gap()
			d.Para(2, kit.Text, s.noneCalled())
		}
	}
	return c
}

func (s *Screen) hints() []kit.Hint {
	h := []kit.Hint{{Key: "↑↓", Words: "choose"}, {Key: "enter", Words: "open"}}
	if row, _ := s.selected(); row.command != nil {
		h[1].Words = "run"
	}
	if s.field.Value() != "" {
		h = append(h, kit.Hint{Key: "tab", Words: "complete"}, kit.Hint{Key: "esc", Words: "clear"})
	} else if s.Table != nil || s.Wanted != "" || !s.Tab.Lists {
		h = append(h, kit.Hint{Key: "esc", Words: "back"})
	}
	switch {
	case s.of.failed():
		h = append(h, kit.Hint{Key: again, Words: "try again"})
	case s.again:
		h = append(h, kit.Hint{Key: again, Words: "read again"})
	}
	if s.field.Value() == "" && s.of.unlisted() {
		return append(h[1:], s.Hint(keymap.Quit, "quit"))
	}
	return append(h, kit.Hint{Key: keymap.Interrupt, Words: "quit"})
}

// About implements screen.Screen.
func (s *Screen) About() string { return "tables" }

// Typing implements screen.TextInput: its field always has the cursor.
func (s *Screen) Typing() bool { return true }
