package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"tallylock/dynamo/mistake"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
)

// Commands implements screen.Screen. There is only one, since Typed handles every key.
func (s *Screen) Commands() screen.Commands {
	return screen.Commands{{Action: keymap.Open, Run: s.open}}
}

// command is a command that can be typed here, with the argument that its line offers.
type command struct {
	screen.Typed
	with screen.Offer
}

// called reports whether word is a name of the command.
func (c command) called(word string) bool {
	return word != "" && (strings.EqualFold(word, c.Name) || strings.EqualFold(word, c.Short))
}

// typed is the parsed text of the field: the filter for tables, and the matching commands.
type typed struct {
	filter   string // the text to filter by, in lower case
	named    string // the filter as typed
	on       string // the names to filter: tableWord, connectionWord, or empty for both
	alone    bool   // the text is a command with an argument, so it matches no table
	follows  string
	commands []command
}

// The words that a person may put before a table's or a connection's name.
const (
	tableWord      = "table"
	connectionWord = "connection"
)

// parse parses the field's text.
func (s *Screen) parse() typed {
	text := strings.TrimLeft(s.field.Value(), " :") // ":" opened this screen, and may be typed again
	word, follows, more := strings.Cut(text, " ")
	chosen := func(on, text string) typed {
		text = strings.TrimSpace(text)
		return typed{filter: strings.ToLower(text), named: text, on: on}
	}
	t := chosen("", text)
	if t.filter == "" {
		t.commands = usable(s)
		return t
	}
	if more {
		switch strings.ToLower(word) {
		case tableWord, connectionWord:
			return chosen(strings.ToLower(word), follows)
		}
		for _, c := range s.commands {
			if c.Takes != "" && c.called(word) {
				t := typed{alone: true, follows: follows, commands: []command{c}}
				for _, offer := range s.offered {
					c.with = offer
					t.commands = append(t.commands, c)
				}
				return t
			}
		}
	}
	t.commands = meant(s.commands, t.filter)
	return t
}

// usable returns the commands that work now, for the list below the tables while the field is
// empty. There are none before the first table is open. There are none either while tables are
// being listed, so that the cursor can go to a table.
func usable(s *Screen) []command {
	if s.Table == nil || slices.ContainsFunc(s.of, func(c catalogue) bool { return c.names == nil && c.err == nil }) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.commands), func(c command) bool { return c.Why != "" })
}

// meant returns the commands whose names have the text's letters in that order. A command of
// exactly that name comes first, then the commands that work now.
func meant(all []command, text string) []command {
	var out []command
	for _, c := range all {
		if c.called(text) {
			out = append(out, c)
		}
	}
	var refused []command
	for _, m := range fuzzy.FindFrom(text, names(all)) {
		switch c := all[m.Index]; {
		case c.called(text):
		case c.Why != "":
			refused = append(refused, c)
		default:
			out = append(out, c)
		}
	}
	return append(out, refused...)
}

// look updates the commands that can be typed now, and the possible arguments of the typed command.
func (s *Screen) look() {
	chooses := func(word, does string) command {
		run := func(string) tea.Cmd { s.complete(); return nil }
		return command{Typed: screen.Typed{Name: word, Words: does, Takes: "NAME", Run: run}}
	}
	s.commands = []command{chooses(tableWord, "open a table"), chooses(connectionWord, "choose a table of a connection")}
	for _, c := range s.offers() {
		s.commands = append(s.commands, command{Typed: c})
	}
	s.offered = nil
	t := s.parse()
	if !t.alone || t.commands[0].Offers == nil {
		return
	}
	for _, offer := range t.commands[0].Offers(t.follows) {
		if offer.Text != t.follows {
			s.offered = append(s.offered, offer)
		}
	}
}

type names []command

func (n names) String(i int) string { return n[i].Name }
func (n names) Len() int            { return len(n) }

// exact reports whether the text is a working command and not the name of a table.
func exact(s *Screen, t typed) bool {
	if len(t.commands) == 0 || !t.alone && (!t.commands[0].called(t.filter) || t.commands[0].Why != "") {
		return false
	}
	return t.alone || !slices.ContainsFunc(s.of, func(c catalogue) bool {
		return slices.ContainsFunc(c.names, func(name string) bool { return strings.EqualFold(name, t.filter) })
	})
}

// noneCalled says that nothing has the typed name, and suggests a similar name.
func noneCalled(s *Screen) string {
	t := s.parse()
	word, what := t.named, cmp.Or(t.on, "table and no command")
	var known []string
	if t.on == "" {
		word, _, _ = strings.Cut(word, " ")
		for _, c := range s.commands {
			known = append(known, c.Name)
		}
	}
	for n, c := range s.of {
		if t.on == connectionWord {
			known = append(known, s.Connections[n].Name())
		} else {
			known = append(known, c.names...)
		}
	}
	said := fmt.Sprintf("No %s is called \"%s\"", what, t.named)
	if meant := mistake.Meant(word, known...); meant != "" {
		return said + meant
	}
	return said + "."
}

// complete puts the selected line's name into the field.
func (s *Screen) complete() {
	row, ok := s.selected()
	if !ok {
		return
	}
	text := row.table
	if c := row.command; c != nil {
		text = c.Name
		with := c.with
		if with.Text == "" && len(s.offered) > 0 {
			with = s.offered[0]
		}
		if c.Takes != "" {
			text += " " + cmp.Or(with.Text, s.parse().follows)
		}
		if with.More {
			text += " "
		}
	}
	s.field = kit.NewField(text)
	s.cursor, s.kept = kit.List{}, line{}
	s.look()
	if row.command == nil {
		s.kept = row
		s.stay()
	}
}

// drawCommand draws a command: its name, what it does, and its key.
func (t list) drawCommand(l *kit.Line, row line) {
	from := l.At
	does := from + 28 // wider than any command with its placeholder
	if l.Width < 70 {
		does = from + 18
	}
	name, look := kit.Strong, kit.Text
	if row.command.Why != "" {
		name, look = kit.Muted, kit.Absent
	}
	l.Put(name, row.command.Name)
	switch {
	case t.typed.alone && row.command.with.Text+t.typed.follows != "":
		l.Put(kit.Text, " ")
		l.Fit(kit.Strong, cmp.Or(row.command.with.Text, t.typed.follows), from+28-l.At)
	case row.command.Takes != "":
		l.Words(kit.Muted, " "+row.command.Takes, does-l.At-2)
	}
	l.To(max(does, l.At+2))
	what := row.command.Words
	if row.command.Why != "" {
		what = row.command.Why
	}
	room := l.Width - l.At - 1
	if key := row.command.Key; key != "" {
		room -= kit.Width(key) + 2
	}
	l.Words(look, what, room)
	l.Ends(kit.Key, row.command.Key, l.Width-2)
}
