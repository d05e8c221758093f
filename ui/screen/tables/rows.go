package tables

import (
	"cmp"
	"strings"

	"tallylock/ui/session"

	"github.com/sahilm/fuzzy"
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

// unlisted is the table of a connection that can be opened, although its tables are not listed, or
// not yet: the one that was typed, or that the config names. It is empty where there is none.
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

// preferred is the line of the table that the config names, where a connection is chosen;
// otherwise the given one.
func (t list) preferred(all []session.Connection, otherwise int) int {
	for n, l := range t.lines {
		if t.typed.on == connectionWord && l.table != "" && l.table == all[l.conn].Table {
			return n
		}
	}
	return otherwise
}
