package tables

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/sahilm/fuzzy"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// line is one line of the list: a table, a command, or part of a connection's label.
type line struct {
	conn    int
	label   int // the index of the label's line to show
	table   string
	command *command
	gap     bool
}

// choosable reports whether the line has a table to open or a command to run.
func (l line) choosable() bool { return l.table != "" || l.command != nil }

// same reports whether both lines are about the same table or the same command.
func (l line) same(as line) bool {
	if l.command != nil && as.command != nil {
		return l.command.Name == as.command.Name && l.command.with == as.command.with
	}
	return l.command == nil && as.command == nil && l.conn == as.conn && l.table == as.table
}

type list struct {
	lines  []line
	tables bool // the list includes tables
	s      *Screen
	typed  typed
}

// lines returns the matching tables, grouped by connection, and the matching commands. The commands
// come first only if the text is the exact name of a command and of no table.
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
		unlisted := t.unlisted(n)
		if len(names) == 0 && unlisted == "" && t.typed.filter != "" && (c.err == nil || t.typed.on == connectionWord) {
			continue
		}
		t.gap()
		t.tables = true
		for i := range max(len(names), 3) {
			l := line{conn: n, label: i}
			if i < len(names) {
				l.table = names[i]
			}
			if i == 1 && len(names) == 0 {
				l.table = unlisted
			}
			t.lines = append(t.lines, l)
		}
	}
}

// unlisted returns a table that can be opened although its connection is not listed, or not yet:
// the typed table, or the table from the config. It is empty if there is none.
func (t *list) unlisted(conn int) string {
	of, c := t.s.of[conn], t.s.Connections[conn]
	switch {
	case t.typed.on == connectionWord && strings.Contains(strings.ToLower(c.Name()), t.typed.filter) && of.names == nil:
		return c.Table
	case of.err != nil && t.typed.on != connectionWord:
		return cmp.Or(t.typed.named, c.Table)
	}
	return ""
}

// gap adds an empty line between groups.
func (t *list) gap() {
	if len(t.lines) > 0 {
		t.lines = append(t.lines, line{gap: true})
	}
}

// fitting returns the function that says whether a table matches the text. A table matches if its
// name contains the text. If no name does, it matches if its name has the text's letters in that
// order.
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

// preferred returns the line of the table that the config names, if the typed text chooses a
// connection. If there is none, it returns the line given as otherwise.
func (t list) preferred(all []session.Connection, otherwise int) int {
	for n, l := range t.lines {
		if t.typed.on == connectionWord && l.table != "" && l.table == all[l.conn].Table {
			return n
		}
	}
	return otherwise
}

func (t list) Len() int { return len(t.lines) }
func (t list) Row(n int) (int, int, bool) {
	return n, n, t.lines[n].choosable()
}

// shown is a line with its connection and its opened table, for drawing.
type shown struct {
	line
	on     session.Connection
	opened dynamo.Opened
	known  bool // the table has been opened
	listed bool // listing the connection's tables has not failed
}

// columns are the columns of the list. To add a column, add one line here.
var columns = []kit.Column[shown]{
	{Head: "CONNECTION", Cells: 14, Max: 24, Grow: 1, Draw: drawConnection},
	{
		Head:  "TABLE",
		Cells: 16,
		Min:   11,
		Max:   36,
		Grow:  2,
		Draw:  func(l *kit.Line, r shown, w int) { l.Fit(kit.Strong, r.table, w) },
	},
	{Head: "ITEMS, ABOUT", Cells: 12, Gap: 2, Right: true, Draw: drawItems},
	{Head: "SIZE", Cells: 8, Spare: 1, Right: true, Draw: drawSize},
	{Head: "KEEPS", Cells: 21, Min: 15, Grow: 3, Gap: 3, Draw: drawKeeps},
}

// Draw draws a line. Commands, and texts for a connection without tables, begin at the column of
// the table's name.
func (t list) Draw(l *kit.Line, n int, _ bool) {
	row := t.lines[n]
	if row.gap {
		return
	}
	c := &t.s.of[row.conn]
	r := shown{line: row, on: t.s.Connections[row.conn], listed: c.err == nil}
	switch {
	case row.command != nil:
		t.s.table.Begin(l, r)
		t.drawCommand(l, row)
	case row.table == "":
		t.s.table.Begin(l, r)
		t.instead(l, row)
	default:
		r.opened, r.known = c.opened[row.table]
		t.s.table.Draw(l, r)
	}
}

func drawConnection(l *kit.Line, r shown, w int) {
	if r.command != nil {
		if r.label == 0 {
			l.Put(kit.Muted, "command")
		}
		return
	}
	end := l.At + w
	l.Put(r.on.Style(), kit.ColourBar)
	word, k := r.on.Label(r.label)
	if r.label == 1 {
		word = say.ShortPlace(end-l.At, safe.Text(word))
	}
	l.Fit(k, word, end-l.At)
}

func drawItems(l *kit.Line, r shown, w int) {
	from, end := l.At, l.At+w
	switch {
	case !r.listed:
		l.Words(kit.Absent, "not listed; enter opens it", l.Width-from-1)
	case !r.known:
		l.EndsIn(kit.Faint, "…", from, end)
	case r.opened.Err != nil:
		l.EndsIn(kit.Absent, say.Explain(r.opened.Err).Kind, from, end)
	default:
		l.EndsIn(kit.Text, phrase.Group(strconv.FormatInt(r.opened.Table.Items, 10)), from, end)
	}
}

func drawSize(l *kit.Line, r shown, w int) {
	if r.listed && r.known && r.opened.Err == nil {
		l.EndsIn(kit.Muted, say.Size(r.opened.Table.Bytes), l.At, l.At+w)
	}
}

func drawKeeps(l *kit.Line, r shown, w int) {
	switch {
	case !r.listed || !r.known:
	case r.opened.Err != nil:
		l.Words(kit.Absent, say.Explain(r.opened.Err).Why, w-1)
	case r.opened.Table.Layout.Empty():
		l.Words(kit.Absent, dynamo.Keeps(r.opened.Table), w-1)
	default:
		l.Words(kit.Muted, dynamo.Keeps(r.opened.Table), w-1)
	}
}

// instead draws the label of a connection without tables: why it has none, and what to do.
func (t list) instead(l *kit.Line, row line) {
	switch row.label {
	case 0:
		t.nothing(l, row.conn)
	case 2:
		l.Words(kit.Muted, t.s.of[row.conn].instead(), l.Width-l.At-1)
	}
}

// nothing draws why a connection has no tables.
func (t list) nothing(l *kit.Line, conn int) {
	c := t.s.of[conn]
	switch {
	case c.err != nil:
		e := say.Explain(c.err)
		l.Put(kit.Warn, e.Kind+": ")
		l.Words(kit.Text, e.Why, l.Width-l.At-1)
	case c.names == nil:
		l.Put(kit.Muted, "asking for its tables")
	default:
		l.Put(kit.Absent, "no tables in "+t.s.Connections[conn].Where())
	}
}
