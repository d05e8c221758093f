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

// Commands implements screen.Screen: its field always has the cursor, and Typed takes
// every key in.
func (s *Screen) Commands() screen.Commands {
	return screen.Commands{{Action: keymap.Open, Run: s.open}}
}

// Command is what can be typed instead of a table's name.
type Command struct {
	Name  string
	Short string // another name for it; empty: none
	Words string // what it does
	Key   string // the key that does it without typing; empty where none does
	Why   string // why it does nothing now; empty where it does
	Takes string // what may follow the name, in capitals; empty: nothing
	// Offers are texts that may follow, for what was typed so far. Nil: there are none.
	Offers func(follows string) []Offer
	// About says more of it than Words; nil: there is no more.
	About func(d *kit.Block)
	Run   func(follows string) tea.Cmd
	with  Offer // what follows, of a line that offers it
}

// Offer is a text that may follow a command's name.
type Offer struct {
	Text string
	More bool // it is a part of what follows: there is more to be typed
}

// called reports whether a word is the command's name.
func (c Command) called(word string) bool {
	return word != "" && (strings.EqualFold(word, c.Name) || strings.EqualFold(word, c.Short))
}

// typed is what the field says: the words that tables are chosen by, and the commands that
// it may mean.
type typed struct {
	filter   string // in small letters
	named    string // the same, as it was typed
	on       string // which names alone are looked through, tableWord or connectionWord; empty: both
	alone    bool   // it is a command with what follows it: no table is meant
	follows  string
	commands []Command
}

// Before a table's or a connection's name it is said that it is one.
const (
	tableWord      = "table"
	connectionWord = "connection"
)

// parse takes the field's text apart.
func (s *Screen) parse() typed {
	text := strings.TrimLeft(s.field.Value(), " :") // the key that leads here, typed again
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
				t := typed{alone: true, follows: follows, commands: []Command{c}}
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

// usable are the commands that do something now, beneath the tables while nothing is typed: none
// before the first table is open, and while tables are on their way, which the cursor is to
// stand on.
func usable(s *Screen) []Command {
	if s.Table == nil || slices.ContainsFunc(s.of, func(c catalogue) bool { return c.names == nil && c.err == nil }) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.commands), func(c Command) bool { return c.Why != "" })
}

// meant are the commands whose names have a text's letters in that order, the likeliest
// first: the one of that name, and those that do something now.
func meant(all []Command, text string) []Command {
	var out []Command
	for _, c := range all {
		if c.called(text) {
			out = append(out, c)
		}
	}
	var refused []Command
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

// look finds the commands that may be typed now, of tables and of what was looked at, and
// what may follow the one that is typed.
func (s *Screen) look() {
	chooses := func(word, does string) Command {
		return Command{Name: word, Words: does, Takes: "NAME", Run: func(string) tea.Cmd { s.complete(); return nil }}
	}
	s.commands = append(
		[]Command{chooses(tableWord, "open a table"), chooses(connectionWord, "choose a table of a connection")},
		s.offers()...)
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

type names []Command

func (n names) String(i int) string { return n[i].Name }
func (n names) Len() int            { return len(n) }

// exact reports whether the text is the name of a command that does something now, and no table's.
func exact(s *Screen, t typed) bool {
	if len(t.commands) == 0 || !t.alone && (!t.commands[0].called(t.filter) || t.commands[0].Why != "") {
		return false
	}
	return t.alone || !slices.ContainsFunc(s.of, func(c catalogue) bool { return slices.Contains(c.names, t.filter) })
}

// noneCalled says that nothing is called as was typed, and what may have been meant.
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

// complete puts the name of the selected line into the field.
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

// drawCommand writes a command: its name, what it does, and the key that does the same.
func (t list) drawCommand(l *kit.Line, row line) {
	from := l.At
	does := from + 28 // no command and what it takes reaches it
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
