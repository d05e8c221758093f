package session

import (
	"encoding/json"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// Say shows a message for a while, until a key is pressed.
func (s *Session) Say(text string) tea.Cmd {
	s.Status = status{Text: text, id: s.Status.id + 1}
	id := s.Status.id
	return s.Tasks.After(stays, func() tea.Cmd {
		if s.Status.id == id {
			s.Status.Text = ""
		}
		return nil
	})
}

// Tell shows a message until a key is pressed: nobody may be looking when it comes.
func (s *Session) Tell(text string) tea.Cmd {
	s.Status = status{Text: text, id: s.Status.id + 1}
	return nil
}

// Complain shows an error until a key is pressed.
func (s *Session) Complain(text string) tea.Cmd {
	s.Status = status{Text: text, Error: true, id: s.Status.id + 1}
	return nil
}

// Fail says why something failed, and what to do.
func (s *Session) Fail(err error) tea.Cmd {
	_, _, why, do := words.Explain(err)
	return s.Complain(words.Sentence(why) + " " + words.Sentence(do))
}

// Copy puts a text into the clipboard of the terminal, exactly as it is.
func (s *Session) Copy(what, text string) tea.Cmd {
	return tea.Batch(tea.SetClipboard(text), s.Say("Copied "+what+"."))
}

// CopyJSON copies an item as DynamoDB JSON.
func (s *Session) CopyJSON(what string, item attr.Item) tea.Cmd {
	data, err := json.MarshalIndent(item, "", "  ")
	if err != nil {
		return s.Complain("Copying " + what + ": " + err.Error() + ".")
	}
	return s.Copy(what+" as DynamoDB JSON", string(data))
}

// CopyRequests copies a plan as DynamoDB JSON.
func (s *Session) CopyRequests(p *change.Plan) tea.Cmd {
	if p == nil {
		return s.Say("The journal does not say what was sent.")
	}
	text, err := words.Requests(p)
	if err != nil {
		return s.Complain("Copying the request: " + err.Error() + ".")
	}
	return s.Copy("the request as DynamoDB JSON", text)
}

// Hint makes a hint for an action, or none where it has no key.
func (s *Session) Hint(action keymap.Action, text string) kit.Hint {
	return kit.Hint{Key: s.Keys.Key(action), Words: text}
}

// Advice writes a key and what it does.
func (s *Session) Advice(d *kit.Block, action keymap.Action, text string) {
	if key := s.Keys.Key(action); key != "" {
		d.Row(func(l *kit.Line) {
			l.To(4)
			l.Put(kit.Key, key)
			l.Words(kit.Text, " "+text, l.Width-l.At-1)
		})
	}
}

// DialogAction is what a key does in a dialog; pasted text does nothing. leaves: it
// leaves a field, and is not typed into it.
func (s *Session) DialogAction(msg tea.Msg) (action keymap.Action, leaves bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return "", false
	}
	switch key.String() {
	case "up":
		return keymap.PreviousField, true
	case "down":
		return keymap.NextField, true
	case "tab", "shift+tab", "enter", "esc":
		leaves = true
	}
	action, _ = s.Keys.Action(keymap.Dialog, key.String())
	return action, leaves
}

// stays is how long a message stands above the hints.
const stays = 4 * time.Second

// status is a message above the hints.
type status struct {
	Text  string
	Error bool // stays until a key is pressed
	id    int
}
