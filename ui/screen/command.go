package screen

import (
	"cmp"
	"encoding/json"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// Command is an action on a screen. One table of Commands provides the keys, the hints,
// the help, and the reasons why keys do nothing.
type Command struct {
	Action keymap.Action
	Words  string         // two or three words for the hint; empty: no hint
	Full   string         // at most 22 cells, for the help and for YouCan; empty: Words is used
	Why    func() string  // why it does nothing now; empty if it works; nil if it always works
	Run    func() tea.Cmd // nil: the program runs the action
	Marked bool           // it works on the marked rows, not on the selected one
	// With lists other actions. In the help, the actions that work now share the command's row. Both is the text of that
	// row.
	With []keymap.Action
	Both string
}

// Refuses returns the reason why the command does nothing now; empty if it works.
func (c Command) Refuses() string {
	if c.Why == nil {
		return ""
	}
	return c.Why()
}

// WhyIf returns a function for Command.Why. If the parameter not is true, the function returns why; otherwise it
// returns an empty text.
func WhyIf(not bool, why string) func() string {
	return func() string {
		if not {
			return why
		}
		return ""
	}
}

// Commands are all commands of a screen, the likeliest first.
type Commands []Command

// Of returns the command of an action.
func (t Commands) Of(action keymap.Action) (Command, bool) {
	for _, c := range t {
		if c.Action == action {
			return c, true
		}
	}
	return Command{}, false
}

// Has reports whether there is a command of an action.
func (t Commands) Has(action keymap.Action) bool {
	_, ok := t.Of(action)
	return ok
}

// Change passes the command of an action to change, which may alter it. It does nothing if there is no such command.
func (t Commands) Change(action keymap.Action, change func(c *Command)) {
	for n := range t {
		if t[n].Action == action {
			change(&t[n])
		}
	}
}

// Says describes an action: by the text of its command, or else by the action's name.
func (t Commands) Says(action keymap.Action) string {
	c, _ := t.Of(action)
	return cmp.Or(c.Full, c.Words, Name(action))
}

// Name returns an action's name with spaces in place of hyphens.
func Name(action keymap.Action) string { return strings.ReplaceAll(string(action), "-", " ") }

// Elsewhere is the reason why an action without a command does nothing on a screen.
const Elsewhere = "not on this screen"

// Why returns the reason why an action does nothing now; empty if it works. Without a command, the reason is
// Elsewhere.
func (t Commands) Why(action keymap.Action) string {
	if c, ok := t.Of(action); ok {
		return c.Refuses()
	}
	return Elsewhere
}

// Act runs the command of an action, unless the command refuses.
func (t Commands) Act(action keymap.Action) tea.Cmd {
	if c, ok := t.Of(action); ok && c.Run != nil && c.Refuses() == "" {
		return c.Run()
	}
	return nil
}

// Hints returns the hints of the commands that work now.
func (t Commands) Hints(s *session.Session) []kit.Hint {
	var out []kit.Hint
	for _, c := range t {
		if c.Words != "" && c.Refuses() == "" {
			out = append(out, s.Hint(c.Action, c.Words))
		}
	}
	return out
}

// YouCan draws a list of the commands that work now.
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

// Selected describes the selected row of a screen in all forms that can be copied. Copies turns it
// into the commands that copy.
type Selected struct {
	// None is the reason why the forms that are not set cannot be copied. If None is empty, the screen has
	// no commands for those forms.
	None    string
	Cell    Form                              // the short form: a value, a number, a name
	Whole   Form                              // everything about the row
	Of      string                            // the name of the key in messages; empty: "the key"
	Key     func() (key attr.Key, why string) // the row's key, or the reason why it has none
	Command func() (line, why string)         // the shell command for the row, or the reason why it has none
}

// Form is one form in which the selected row can be copied.
type Form struct {
	Hint  string // the text of the hint; empty: no hint
	Words string // the name of the form: "the value"
	Name  string // a longer name for the message after copying; empty: Words
	Why   string // the reason why it cannot be copied; empty if it can
	Text  func() (string, error)
}

// JSON returns the Form of an item as DynamoDB JSON.
func JSON(name string, item attr.Item) Form {
	return Form{Words: "the item as JSON", Name: name + " as DynamoDB JSON", Text: func() (string, error) {
		text, err := json.MarshalIndent(item, "", "  ")
		return string(text), err
	}}
}

// Plain returns a function for Form.Text that returns the text unchanged.
func Plain(text string) func() (string, error) {
	return func() (string, error) { return text, nil }
}

// keyLine returns the Form of a key as one line of DynamoDB JSON. The AWS CLI and `release --key` accept it.
func keyLine(name string, key attr.Key) Form {
	return Form{Name: name + " as DynamoDB JSON", Text: func() (string, error) {
		line, err := attr.Line(key, "")
		return strings.TrimSpace(string(line)), err
	}}
}

// Copies returns the commands that copy the selected row.
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
		return s.Complain("Copying " + name + ": " + say.Sentence(say.Error(err)))
	}
	return s.Copy(name, text)
}
