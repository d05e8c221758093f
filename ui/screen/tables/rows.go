package tables

import (
	"cmp"
	"slices"
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
	opened  *dynamo.Opened // nil if the table has not been opened
	command *command
	gap     bool

	on  *session.Connection
	err error // why the tables of the connection are not listed
}

// choosable reports whether the line has a table to open or a command to run.
func (l line) choosable() bool { return l.table != "" || l.command != nil }

// ofTable reports whether the line is about a connection or a table.
func (l line) ofTable() bool { return l.command == nil && !l.gap }

// tells reports whether the line has a command that works now and has an About.
func (l line) tells() bool { return l.command != nil && l.command.Why == "" && l.command.About != nil }

// same reports whether both lines are about the same table or the same command.
func (l line) same(as line) bool {
	if l.command != nil && as.command != nil {
		return l.command.Name == as.command.Name && l.command.with == as.command.with
	}
	return l.command == nil && as.command == nil && l.conn == as.conn && l.table == as.table
}

// preferred reports whether the line is the table that the config names, if the typed text chooses a connection.
func (s *Screen) preferred(l line) bool {
	return s.typed.on == connectionWord && l.table != "" && l.table == l.on.Table
}

type list struct {
	lines []line
	s     *Screen
}

// lines returns the matching tables, grouped by connection, and the matching commands, with empty lines between the
// groups.
func (s *Screen) lines() list {
	var commands []line
	for n := range s.typed.commands {
		commands = append(commands, line{label: n, command: &s.typed.commands[n]})
	}
	groups := s.groups()
	if s.leads() {
		groups = append([][]line{commands}, groups...)
	} else {
		groups = append(groups, commands)
	}
	out := list{s: s}
	for _, group := range groups {
		if len(group) > 0 && len(out.lines) > 0 {
			out.lines = append(out.lines, line{gap: true})
		}
		out.lines = append(out.lines, group...)
	}
	return out
}

// groups returns the lines of each connection: its matching tables beside the three lines of its label.
func (s *Screen) groups() (out [][]line) {
	fits, typed := s.fitting(), s.typed
	for n, c := range s.of {
		names := slices.DeleteFunc(slices.Clone(c.names), func(name string) bool { return !fits(n, name) })
		unlisted := s.unlisted(n)
		called := typed.on == connectionWord && s.called(n)
		if typed.alone || len(names) == 0 && unlisted == "" && typed.filter != "" && !called &&
			(c.err == nil || typed.on == connectionWord) {
			continue
		}
		if len(names) == 0 {
			names = []string{"", unlisted}
		}
		group := make([]line, max(len(names), 3))
		for i := range group {
			l := line{conn: n, label: i, on: &s.Connections[n], err: c.err}
			if i < len(names) {
				l.table = names[i]
			}
			if o, known := c.opened[l.table]; known {
				l.opened = &o
			}
			group[i] = l
		}
		out = append(out, group)
	}
	return out
}

// unlisted returns a table that can be opened although its connection is not listed, or not yet:
// the typed table, or the table from the config. It is empty if there is none.
func (s *Screen) unlisted(conn int) string {
	t, of, c := s.typed, s.of[conn], s.Connections[conn]
	switch {
	case t.on == connectionWord && s.called(conn) && of.names == nil:
		return c.Table
	case of.err != nil && t.on != connectionWord:
		return cmp.Or(t.named, c.Table)
	}
	return ""
}

// called reports whether the name of a connection contains the text.
func (s *Screen) called(conn int) bool {
	return strings.Contains(strings.ToLower(s.Connections[conn].Name()), s.typed.filter)
}

// fitting returns the function that says whether a table matches the text. A table matches if its name contains the
// text. If no name does, a table matches if its name has the text's letters in that order. Here a name is the
// connection's name and the table's name, unless the text chooses one of them.
func (s *Screen) fitting() func(conn int, table string) bool {
	t := s.typed
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

// columns are the columns of the list. To add a column, add one line here.
var columns = []kit.Column[line]{
	{Head: "CONNECTION", Cells: 14, Max: 24, Grow: 1, Draw: drawConnection},
	{
		Head:  "TABLE",
		Cells: 16,
		Min:   11,
		Max:   36,
		Grow:  2,
		Draw:  func(l *kit.Line, r line, w int) { l.Fit(kit.Strong, r.table, w) },
	},
	{Head: "ITEMS, ABOUT", Cells: 12, Gap: 2, Right: true, Draw: drawItems},
	{Head: "SIZE", Cells: 8, Spare: 1, Right: true, Draw: drawSize},
	{Head: "KEEPS", Cells: 21, Min: 15, Grow: 3, Gap: 3, Draw: drawKeeps},
}

// Draw draws a line. Commands, and texts for a connection without tables, begin at the column of
// the table's name.
func (t list) Draw(l *kit.Line, n int, _ bool) {
	row := t.lines[n]
	switch {
	case row.gap:
	case row.command != nil:
		t.s.table.Begin(l, row)
		t.drawCommand(l, row.command)
	case row.table == "":
		t.s.table.Begin(l, row)
		t.instead(l, row)
	default:
		t.s.table.Draw(l, row)
	}
}

func drawConnection(l *kit.Line, r line, w int) {
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

func drawItems(l *kit.Line, r line, w int) {
	from, end := l.At, l.At+w
	switch {
	case r.err != nil:
		l.Words(kit.Absent, "not listed; enter opens it", l.Width-from-1)
	case r.opened == nil:
		l.EndsIn(kit.Faint, "…", from, end)
	case r.opened.Err != nil:
		l.EndsIn(kit.Absent, say.Explain(r.opened.Err).Kind, from, end)
	default:
		l.EndsIn(kit.Text, phrase.Number(r.opened.Table.Items), from, end)
	}
}

func drawSize(l *kit.Line, r line, w int) {
	if r.err == nil && r.opened != nil && r.opened.Err == nil {
		l.EndsIn(kit.Muted, say.Size(r.opened.Table.Bytes), l.At, l.At+w)
	}
}

func drawKeeps(l *kit.Line, r line, w int) {
	switch {
	case r.err != nil || r.opened == nil:
	case r.opened.Err != nil:
		l.Words(kit.Absent, say.Explain(r.opened.Err).Why, w-1)
	default:
		look := kit.Muted
		if r.opened.Table.Layout.Empty() {
			look = kit.Absent
		}
		l.Words(look, dynamo.Keeps(r.opened.Table), w-1)
	}
}

// instead draws a line for a connection without tables: why it has none, and what to do.
func (t list) instead(l *kit.Line, row line) {
	names, e := t.s.of[row.conn].names, say.Explanation{}
	if row.err != nil {
		e = say.Explain(row.err)
	}
	switch {
	case row.label == 0 && row.err != nil:
		l.Put(kit.Warn, e.Kind+": ")
		l.Words(kit.Text, e.Why, l.Width-l.At-1)
	case row.label == 0 && names == nil:
		l.Put(kit.Muted, "asking for its tables")
	case row.label == 0:
		l.Put(kit.Absent, "no tables in "+row.on.Where())
	case row.label == 2 && row.err != nil:
		l.Words(kit.Muted, say.Sentence(e.Do), l.Width-l.At-1)
	case row.label == 2 && names != nil && len(names) == 0:
		l.Words(kit.Muted, "Is the Region right? Start with another --region or --profile.", l.Width-l.At-1)
	}
}

// drawCommand draws a command: its name, what it does, and its key.
func (t list) drawCommand(l *kit.Line, c *command) {
	from := l.At
	does := from + 28 // wider than any command with its placeholder
	if l.Width < 70 {
		does = from + 18
	}
	name, look, what := kit.Strong, kit.Text, c.Words
	if c.Why != "" {
		name, look, what = kit.Muted, kit.Absent, c.Why
	}
	l.Put(name, c.Name)
	if follows := t.s.follows(c); t.s.typed.alone && follows != "" {
		l.Put(kit.Text, " ")
		l.Fit(kit.Strong, follows, from+28-l.At)
	} else if c.Takes != "" {
		l.Words(kit.Muted, " "+c.Takes, does-l.At-2)
	}
	l.To(max(does, l.At+2))
	end := min(l.Width-2, does+widestCommand)
	room := l.Width - l.At - 1
	if c.Key != "" {
		room = end - l.At - kit.Width(c.Key) - 2
	}
	l.Words(look, what, room)
	l.Ends(kit.Key, c.Key, end)
}

// widestCommand is the number of columns for the words of a command and its key.
const widestCommand = 48
