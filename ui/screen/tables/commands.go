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
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

// Commands implements screen.Screen. There is only one, since Typed handles every key.
func (s *Screen) Commands() screen.Commands {
	return screen.Commands{{Action: keymap.Open, Run: s.open}}
}

// again is the key that lists the tables again, for example after a person has logged in. It is
// fixed, because the key for Reload may be a letter, which this screen would type.
const again = "ctrl+r"

// Typed handles a key in the field. Keys that move act on the list.
func (s *Screen) Typed(msg tea.Msg) tea.Cmd {
	key := ""
	if press, ok := msg.(tea.KeyPressMsg); ok {
		key = press.String()
	}
	empty := s.field.Value() == ""
	action, _ := s.Keys.Action(keymap.Screen, key)
	by := map[string]int{
		"up": -1, "ctrl+p": -1, "down": 1, "ctrl+n": 1, "pgup": -s.cursor.Height, "pgdown": s.cursor.Height,
	}[key]
	switch {
	case action == keymap.Quit && empty && s.of.unlisted():
		return tea.Quit
	case by != 0:
		s.cursor.Jump(s.lines(), by)
		s.kept, _ = s.selected()
	case key == "enter":
		return s.open()
	case key == "tab":
		s.complete()
	case key == again:
		return s.Reading(0, s.lookAgain, s.Connections...)
	case key == "esc" && s.Tasks.Cancel(task.Connecting):
		return s.Say("Stopped. The connection is still " + s.Connection().Name() + ".")
	case key == "esc" && empty:
		return s.Send(message.Leave{})
	case key == "esc":
		s.put("")
	case s.field.Update(msg):
		s.changed()
	}
	return nil
}

// put replaces the text of the field.
func (s *Screen) put(text string) {
	s.field = kit.NewField("")
	s.field.Put(text)
	s.changed()
}

// changed reads the changed text of the field, and selects the first line.
func (s *Screen) changed() {
	s.kept = line{}
	s.look()
	s.stay()
}

// open opens the selected table, or runs the selected command.
func (s *Screen) open() tea.Cmd {
	s.look() // a table may have been opened or closed since the last key
	row, ok := s.selected()
	switch c := row.command; {
	case !ok:
		return nil
	case c != nil && c.with.More:
		s.complete()
		return nil
	case c != nil && c.Why != "":
		return s.Say(say.Sentence(c.Why))
	case c != nil && c.Needs && s.follows(c) == "":
		s.complete()
		return nil
	case c != nil:
		return c.Run(s.follows(c))
	}
	s.opened = row
	if s.again {
		row.opened = nil
	}
	switch o := row.opened; {
	case o == nil:
		return s.Send(message.Place{On: row.conn, Name: row.table})
	case o.Err != nil:
		return s.Complain(say.Explain(o.Err).String())
	default:
		return s.Send(message.Place{On: row.conn, Table: o.Table})
	}
}

// complete puts the selected line's name into the field.
func (s *Screen) complete() {
	row, ok := s.selected()
	if !ok {
		return
	}
	if row.command == nil {
		s.put(row.table)
		s.kept = row
		s.stay()
		return
	}
	c := *row.command
	if offers := s.typed.commands; c.with.Text == "" && s.typed.alone && len(offers) > 1 {
		c.with = offers[1].with
	}
	text := c.Name
	if c.Takes != "" {
		text += " " + s.follows(&c)
	}
	if c.with.More {
		text += " "
	}
	s.put(text)
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

// follows returns the argument that the line of a command offers, or else the typed argument.
func (s *Screen) follows(c *command) string { return cmp.Or(c.with.Text, s.typed.follows) }

// typed is the parsed text of the field: the filter for tables, and the matching commands.
type typed struct {
	filter   string // the text to filter by, in lower case
	named    string // the filter as typed
	on       string // the names to filter: tableWord, connectionWord, or empty for both
	alone    bool   // the text is a command with an argument, so it matches no table
	follows  string // that argument
	commands []command
}

// The words that a person may put before a table's or a connection's name.
const (
	tableWord      = "table"
	connectionWord = "connection"
)

// look reads the text of the field, and the commands that can be typed now.
func (s *Screen) look() {
	chooses := func(word, does string) command {
		return command{Typed: screen.Typed{Name: word, Words: does, Takes: "NAME", Needs: true}}
	}
	s.commands = []command{chooses(tableWord, "open a table"), chooses(connectionWord, "choose a table of a connection")}
	for _, c := range s.offers() {
		s.commands = append(s.commands, command{Typed: c})
	}
	text := strings.TrimLeft(s.field.Value(), " :") // ":" opened this screen, and may be typed again
	word, follows, more := strings.Cut(text, " ")
	t := typed{named: strings.TrimSpace(text)}
	if on := strings.ToLower(word); more && (on == tableWord || on == connectionWord) {
		t.on, t.named = on, strings.TrimSpace(follows)
	}
	t.filter = strings.ToLower(t.named)
	n := slices.IndexFunc(s.commands, func(c command) bool { return more && c.Takes != "" && c.called(word) })
	switch {
	case t.on != "":
	case t.filter == "":
		t.commands = s.usable()
	case n >= 0:
		t.alone, t.follows, t.commands = true, follows, s.commands[n].offering(follows)
	default:
		t.commands = meant(s.commands, t.filter)
	}
	s.typed = t
}

// offering returns the command with the typed argument, and once more with each argument that it offers.
func (c command) offering(follows string) []command {
	all := []command{c}
	if c.Offers == nil {
		return all
	}
	for _, c.with = range c.Offers(follows) {
		if c.with.Text != follows {
			all = append(all, c)
		}
	}
	return all
}

// usable returns the commands that work now, for the list below the tables while the field is
// empty. There are none before the first table is open. There are none either while tables are
// being listed, so that the cursor can go to a table.
func (s *Screen) usable() []command {
	if s.Table == nil || s.of.listing() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.commands), func(c command) bool { return c.Why != "" })
}

// meant returns the commands whose names have the text's letters in that order. First comes a command
// of exactly that name, then working commands whose name begins with the text, then other working
// commands, then the rest.
func meant(all []command, text string) []command {
	var out []command
	for _, m := range fuzzy.Find(text, names(all)) {
		out = append(out, all[m.Index])
	}
	rank := func(c command) int {
		switch {
		case c.called(text):
			return 0
		case c.Why != "":
			return 3
		case strings.HasPrefix(c.Name, text):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(out, func(a, b command) int { return rank(a) - rank(b) })
	return out
}

func names(all []command) (out []string) {
	for _, c := range all {
		out = append(out, c.Name)
	}
	return out
}

// leads reports whether the commands come before the tables: the text is a working command that is not the name of
// a table, or it begins a working command and no table's name contains it.
func (s *Screen) leads() bool {
	t := s.typed
	if t.alone || t.filter == "" || len(t.commands) == 0 || t.commands[0].Why != "" {
		return t.alone
	}
	first, same := t.commands[0], func(name string) bool { return strings.EqualFold(name, t.filter) }
	if !first.called(t.filter) {
		same = func(name string) bool { return strings.Contains(strings.ToLower(name), t.filter) }
		if !strings.HasPrefix(first.Name, t.filter) {
			return false
		}
	}
	return !slices.ContainsFunc(s.of, func(c catalogue) bool { return slices.ContainsFunc(c.names, same) })
}

// noneCalled says that nothing has the typed name, and suggests a similar name.
func (s *Screen) noneCalled() string {
	t := s.typed
	word, what := t.named, cmp.Or(t.on, "table and no command")
	var known []string
	if t.on == "" {
		word, _, _ = strings.Cut(word, " ")
		known = names(s.commands)
	}
	for n, c := range s.of {
		if t.on == connectionWord {
			known = append(known, s.Connections[n].Name())
		} else {
			known = append(known, c.names...)
		}
	}
	no := "No"
	if t.on != connectionWord && s.of.listing() {
		no = "Still listing tables. So far, no"
	}
	return fmt.Sprintf("%s %s is called \"%s\"", no, what, t.named) + cmp.Or(mistake.Meant(word, known...), ".")
}
