// Package item is the screen of one item: all its attributes, with their types. It sends messages
// to the program. Start reading at Screen.
package item

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Screen shows all attributes of one item, with their types.
type Screen struct {
	*session.Session
	owner *dynamo.Table // the table whose layout led to the item
	table string
	key   attr.Key
	rows  kit.List
	// seen returns the relations that were read with the owner table.
	seen    func() []*verdict.Relation
	lockOf  *verdict.Relation // the relation that was read for the item, if the item is a lock; else nil
	in      *browse.Inspection
	lines   []line
	width   int              // the width that the lines fit
	open    map[string]bool  // the paths of the rows that show their whole value
	counter *counter.Counter // nil unless the item was opened as a counter
	past    *screen.History  // the journal's records of the lock
	err     error
}

// New returns the screen of an item of a table, or of one of its lock tables. Refresh reads the
// item. seen returns the relations that were read with the owner table.
func New(s *session.Session, m screen.Item, seen func() []*verdict.Relation) *Screen {
	return &Screen{
		Session: s, owner: m.Owner, table: m.Table, key: m.Key, counter: m.Counter, seen: seen, open: map[string]bool{},
	}
}

// TableName implements screen.Placed.
func (s *Screen) TableName() string { return s.table }

// lay makes the lines for the current width.
func (s *Screen) lay() {
	s.width = s.ListWidth()
	s.lines = linesOf(s.in, s.Now(), s.width, s.open)
}

// fold shows the whole selected value, or one line of it again.
func (s *Screen) fold() tea.Cmd {
	row, ok := s.selected()
	if !ok {
		return nil
	}
	s.open[row.path] = !s.open[row.path]
	s.lay()
	for n, l := range s.lines {
		if l.path == row.path {
			s.rows.Cursor = n
			return nil
		}
	}
	return nil
}

func (s *Screen) selected() (line, bool) {
	if s.rows.Cursor < len(s.lines) {
		return s.lines[s.rows.Cursor], true
	}
	return line{}, false
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	if s.in != nil && s.width != s.ListWidth() {
		s.lay()
	}
	c := screen.Content{List: &s.rows, Rows: list{s.lines, s.ListWidth()}, Hints: s.Commands().Hints(s.Session)}
	read := ""
	if s.in != nil {
		read = "read " + phrase.Clock(s.in.At) + ", consistent"
	}
	c.Top = screen.Path(s.Session, s.table, s.key.String(), read)
	c.Heads = func(l *kit.Line) {
		kind, value := columnsOf(l.Width)
		kit.Heads(l, kit.Cell{Column: 2, Text: "ATTRIBUTE"}, kit.Cell{Column: kind, Text: "TYPE"},
			kit.Cell{Column: value, Text: "VALUE"})
	}
	c.Cover = screen.Cover(s.Session)
	switch {
	case s.err != nil:
		c.Fail(s.Session, s.err)
		return c
	case s.in == nil:
		c.Cover = screen.Cover(s.Session, task.Fetching)
		c.EmptyState = func(d *kit.Block) { screen.Reading(s.Session, d, s.key.String(), task.Fetching) }
	case s.in.Item == nil:
		c.Heads = nil
		c.EmptyState = func(d *kit.Block) {
			screen.Nothing(d, "This item no longer exists.", "", s.Hint(keymap.Reload, "read it again"))
		}
	default:
		at, of := place(s)
		c.Cover.Left = []kit.Span{kit.Muted.Of(say.Position(at, of, false) + " attributes")}
		c.Cover.Right = []kit.Span{
			kit.Muted.Of(phrase.Count(s.in.Item.Size(), "byte") + " · " + say.Units(s.in.Units) + " RU"),
		}
	}
	s.details(&c)
	return c
}

// place returns the number of the selected attribute and the number of attributes. It does not
// count the other lines.
func place(s *Screen) (at, of int) {
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
