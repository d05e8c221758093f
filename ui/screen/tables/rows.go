package tables

import (
	"strconv"
	"strings"

	"github.com/sahilm/fuzzy"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/words"
)

// line is one line of the list: a table, a command, or only a connection's label.
type line struct {
	conn    int
	label   int // which line of the connection's label stands here
	table   string
	command *Command
	gap     bool
}

// choosable reports whether there is something to open or to do.
func (l line) choosable() bool { return l.table != "" || l.command != nil }

// same reports whether it is the line of the same table, or of the same command.
func (l line) same(as line) bool {
	if l.command != nil && as.command != nil {
		return l.command.Name == as.command.Name && l.command.with == as.command.with
	}
	return l.command == nil && as.command == nil && l.conn == as.conn && l.table == as.table
}

type list struct {
	lines  []line
	tables bool // there are some among them
	s      *Screen
	typed  typed
}

// lines are the tables that fit what was typed, grouped by connection, and the commands that
// it may mean: before the tables only where it is a command's name, and no table's.
func (s *Screen) lines() list {
	out := list{s: s, typed: s.parse()}
	first := exact(s, out.typed)
	if first {
		out.addCommands()
	}
	if !out.typed.alone {
		out.addTables()
	}
	if !first {
		out.addCommands()
	}
	return out
}

func (t *list) addCommands() {
	if len(t.typed.commands) == 0 {
		return
	}
	t.gap()
	for n := range t.typed.commands {
		t.lines = append(t.lines, line{label: n, command: &t.typed.commands[n]})
	}
}

func (t *list) addTables() {
	fits := t.s.fitting(t.typed)
	for n, c := range t.s.of {
		var names []string
		for _, name := range c.names {
			if fits(n, name) {
				names = append(names, name)
			}
		}
		if len(names) == 0 && t.typed.filter != "" && c.err == nil {
			continue
		}
		t.gap()
		t.tables = true
		for i := range max(len(names), 3) {
			l := line{conn: n, label: i}
			if i < len(names) {
				l.table = names[i]
			}
			if i == 1 && c.err != nil { // a table that is not listed may still be opened
				l.table = strings.TrimSpace(t.s.field.Value())
			}
			t.lines = append(t.lines, l)
		}
	}
}

// gap keeps groups apart.
func (t *list) gap() {
	if len(t.lines) > 0 {
		t.lines = append(t.lines, line{gap: true})
	}
}

// fitting tells which tables are meant: those whose names contain what was typed, and where
// none does, those that have its letters in that order.
func (s *Screen) fitting(t typed) func(conn int, table string) bool {
	name := func(conn int, table string) string {
		switch called := s.Connections[conn].Name(); t.on {
		case tableWord:
			return strings.ToLower(table)
		case connectionWord:
			return strings.ToLower(called)
		default:
			return strings.ToLower(called + " " + table)
		}
	}
	contains := func(conn int, table string) bool { return strings.Contains(name(conn, table), t.filter) }
	for n, c := range s.of {
		for _, table := range c.names {
			if contains(n, table) {
				return contains
			}
		}
	}
	return func(conn int, table string) bool {
		return len(fuzzy.Find(t.filter, []string{name(conn, table)})) > 0
	}
}

func (t list) Len() int { return len(t.lines) }
func (t list) Row(n int) (int, int, bool) {
	return n, n, t.lines[n].choosable()
}

func (t list) Draw(l *kit.Line, n int, _ bool) {
	row := t.lines[n]
	switch {
	case row.gap:
		return
	case row.command != nil:
		t.drawCommand(l, row)
		return
	}
	a := t.s.Session
	c := a.Connections[row.conn]
	l.Put(c.Style(), kit.ColourBar)
	cols := columnsOf(l.Width)
	word, k := c.Label(row.label)
	room := cols.table - 1 - l.At
	if row.label == 1 {
		word = words.ShortPlace(room, safe.Text(word))
	}
	l.Fit(k, word, room)
	l.To(cols.table)
	if row.table == "" {
		switch row.label {
		case 0:
			t.nothing(l, row.conn)
		case 2:
			l.Words(kit.Muted, t.s.of[row.conn].instead(), l.Width-l.At-1)
		}
		return
	}
	l.Fit(kit.Strong, row.table, cols.items-cols.table-14)
	o, known := t.s.of[row.conn].opened[row.table]
	l.To(cols.items - 12)
	switch {
	case t.s.of[row.conn].err != nil:
		l.To(cols.items - 7)
		l.Words(kit.Absent, "not listed; enter opens it by its name", l.Width-l.At-1)
	case !known:
		l.EndsIn(kit.Faint, "…", cols.items-12, cols.items)
	case o.Err != nil:
		kind, _, why, _ := words.Explain(o.Err)
		l.EndsIn(kit.Absent, kind, cols.items-12, cols.items)
		l.To(cols.keeps)
		l.Words(kit.Absent, why, l.Width-l.At-1)
	default:
		l.EndsIn(kit.Text, phrase.Group(strconv.FormatInt(o.Table.Items, 10)), cols.items-12, cols.items)
		if cols.size > 0 {
			l.EndsIn(kit.Muted, words.Size(o.Table.Bytes), cols.items+1, cols.size)
		}
		l.To(cols.keeps)
		keeps := dynamo.Keeps(o.Table)
		look := kit.Muted
		if o.Table.Layout.Empty() {
			look = kit.Absent
		}
		l.Words(look, keeps, l.Width-l.At-1)
	}
}

// nothing says why a connection shows no tables.
func (t list) nothing(l *kit.Line, conn int) {
	c := t.s.of[conn]
	switch {
	case c.err != nil:
		kind, _, why, _ := words.Explain(c.err)
		l.Put(kit.Warn, kind+": ")
		l.Words(kit.Text, why, l.Width-l.At-1)
	case c.names == nil:
		l.Put(kit.Muted, "asking for its tables")
	default:
		l.Put(kit.Absent, "no tables in "+t.s.Connections[conn].Where())
	}
}

type columns struct{ table, items, size, keeps int }

func columnsOf(width int) columns {
	c := columns{table: 17, items: 47, size: 56, keeps: 59}
	switch {
	case width < 70: // no sizes
		c = columns{table: 17, items: width - 18, keeps: width - 16}
	case width < 76:
		c = columns{table: 17, items: 40, size: 49, keeps: 52}
	}
	if extra := width - 80; extra > 0 {
		grow := min(extra/2, 30)
		c.table += grow / 3
		c.items, c.size, c.keeps = c.items+grow, c.size+grow, c.keeps+grow
	}
	return c
}
