package screen

import (
	"cmp"
	"encoding/json"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/keymap"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

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
		return s.Complain("Copying " + name + ": " + words.Sentence(err.Error()))
	}
	return s.Copy(name, text)
}
