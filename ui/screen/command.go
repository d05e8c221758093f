package screen

import (
	"cmp"
	"encoding/json"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// Command is one thing that can be done on a screen. Its keys, the hints, the help and
// what is said where it does nothing are all made from one table of them.
type Command struct {
	Action keymap.Action
	Words  string         // two or three, for the hints; empty: there is no hint
	Full   string         // in 22 cells, for the help and for what can be done; empty: Words
	Why    func() string  // why it does nothing now; empty where it does, nil: it always does
	Run    func() tea.Cmd // nil where the program does it
	Marked bool           // it is about what is marked, and not about the selected row
	Other  bool           // its action's name says something else: it is not typed
	// With share its row in the help where they do something, too, and Both is what stands there then.
	With []keymap.Action
	Both string
}

// Refuses says why the command does nothing now.
func (c Command) Refuses() string {
	if c.Why == nil {
		return ""
	}
	return c.Why()
}

// WhyIf says why a command does nothing now, if it does not.
func WhyIf(not bool, why string) func() string {
	return func() string {
		if not {
			return why
		}
		return ""
	}
}

// Commands are all that can be done on a screen, the likeliest first.
type Commands []Command

// Of finds what an action does.
func (t Commands) Of(action keymap.Action) (Command, bool) {
	for _, c := range t {
		if c.Action == action {
			return c, true
		}
	}
	return Command{}, false
}

// Says is what an action does: its name, where no command says more.
func (t Commands) Says(action keymap.Action) string {
	c, _ := t.Of(action)
	return cmp.Or(c.Full, c.Words, Name(action))
}

// Name is an action's name in words.
func Name(action keymap.Action) string { return strings.ReplaceAll(string(action), "-", " ") }

// Elsewhere is why what is not in a screen's table does nothing there.
const Elsewhere = "not on this screen"

// Why says why an action does nothing now: what is not in the table does nothing here.
func (t Commands) Why(action keymap.Action) string {
	if c, ok := t.Of(action); ok {
		return c.Refuses()
	}
	return Elsewhere
}

// Act does what an action asks for, where it does something.
func (t Commands) Act(action keymap.Action) tea.Cmd {
	if c, ok := t.Of(action); ok && c.Run != nil && c.Refuses() == "" {
		return c.Run()
	}
	return nil
}

// MarkFrom begins a range of marked rows, where none is marked yet: it marks the selected one.
func MarkFrom(s *session.Session, none bool, why func() string, mark func()) Command {
	c := Command{Action: keymap.MarkTo, Full: "mark from here on", Why: why, Run: func() tea.Cmd {
		mark()
		return s.Say("Marked. Move, then " + s.Keys.Key(keymap.MarkTo) + " marks all up to there.")
	}}
	if none {
		c.Why = WhyIf(true, "mark one first: "+s.Keys.Key(keymap.Mark))
	}
	return c
}

// MarkTo marks the rows from the nearest marked one to the selected one, whichever is above.
func MarkTo(s *session.Session, l *kit.List, rows kit.Markable, mark func(from, to int) tea.Cmd) Command {
	return Command{Action: keymap.MarkTo, Words: "mark to here", Full: "mark all up to here", Run: func() tea.Cmd {
		for far := 1; rows != nil && far < rows.Len(); far++ {
			for _, n := range [2]int{l.Cursor - far, l.Cursor + far} {
				if n >= 0 && n < rows.Len() && rows.Marked(n) {
					return mark(min(n, l.Cursor), max(n, l.Cursor))
				}
			}
		}
		return s.Say("No other row is marked: move, then " + s.Keys.Key(keymap.MarkTo) + " marks all up to there.")
	}}
}

// Hints are those of what can be done now.
func (t Commands) Hints(s *session.Session) []kit.Hint {
	var out []kit.Hint
	for _, c := range t {
		if c.Words != "" && c.Refuses() == "" {
			out = append(out, s.Hint(c.Action, c.Words))
		}
	}
	return out
}

// YouCan lists what can be done now.
func (t Commands) YouCan(s *session.Session, d *kit.Block, col int) {
	var can []kit.Hint
	for _, c := range t {
		if says := cmp.Or(c.Full, c.Words); says != "" && c.Run != nil && c.Refuses() == "" {
			can = append(can, s.Hint(c.Action, says))
		}
	}
	d.Head(col, "YOU CAN")
	d.Keys(col, can...)
}

// Selected is what is selected on a screen, in the forms that it can be copied in. Every screen's
// commands that copy are made of it by Copies.
type Selected struct {
	// None is why there is nothing of what is left empty; empty: it is not for this screen.
	None    string
	Cell    Form                              // what people speak of: a value, a number, a name
	Whole   Form                              // all of it
	Of      string                            // what its key is called; empty: the key
	Key     func() (key attr.Key, why string) // its key, or why it has none
	Command func() (line, why string)         // the command about it, or why there is none
}

// Form is one form of what is selected.
type Form struct {
	Hint  string // as Words of a Command
	Words string // what is copied: "the value"
	Name  string // what was copied, where that takes more words; empty: Words
	Why   string // why it is not copied; empty where it is
	Text  func() (string, error)
}

// JSON is an item as DynamoDB JSON.
func JSON(name string, item attr.Item) Form {
	return Form{Words: "the item as JSON", Name: name + " as DynamoDB JSON", Text: func() (string, error) {
		text, err := json.MarshalIndent(item, "", "  ")
		return string(text), err
	}}
}

// Plain is a text as it is.
func Plain(text string) func() (string, error) {
	return func() (string, error) { return text, nil }
}

// keyLine is a key as a line of DynamoDB JSON, as the AWS CLI and `release --key` take it.
func keyLine(name string, key attr.Key) Form {
	return Form{Name: name + " as DynamoDB JSON", Text: func() (string, error) {
		line, err := attr.Line(key, "")
		return strings.TrimSpace(string(line)), err
	}}
}

// Copies are the commands that copy what is selected.
func Copies(s *session.Session, of Selected) Commands {
	var out Commands
	add := func(there bool, c Command) {
		if !there {
			c = Command{Action: c.Action, Why: WhyIf(true, of.None)}
		}
		if there || of.None != "" {
			out = append(out, c)
		}
	}
	add(of.Cell.Text != nil, of.Cell.command(s, keymap.Copy))
	add(of.Whole.Text != nil, of.Whole.command(s, keymap.CopyItem))
	add(of.Key != nil, Command{
		Action: keymap.CopyKey, Full: "copy the key as JSON", With: []keymap.Action{keymap.CopyLine},
		Both: "copy the key, a command",
		Why:  func() string { _, why := of.Key(); return why },
		Run:  func() tea.Cmd { key, _ := of.Key(); return keyLine(cmp.Or(of.Of, "the key"), key).copy(s) },
	})
	add(of.Command != nil, Command{
		Action: keymap.CopyLine, Full: "copy it as a command",
		Why: func() string { _, why := of.Command(); return why },
		Run: func() tea.Cmd { line, _ := of.Command(); return s.CopyLine(line) },
	})
	return out
}

func (f Form) command(s *session.Session, action keymap.Action) Command {
	return Command{
		Action: action,
		Words:  f.Hint,
		Full:   "copy " + f.Words,
		Why:    WhyIf(f.Why != "", f.Why),
		Run:    func() tea.Cmd { return f.copy(s) },
	}
}

func (f Form) copy(s *session.Session) tea.Cmd {
	name := cmp.Or(f.Name, f.Words)
	text, err := f.Text()
	if err != nil {
		return s.Complain("Copying " + name + ": " + words.Sentence(words.Error(err)))
	}
	return s.Copy(name, text)
}
