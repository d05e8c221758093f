package session

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/ui/safe"
	"tallylock/ui/words"
)

// Messages are what is said above the hints, one at a time.
type Messages struct {
	Status status
	work   *Work
}

// Say shows a message for a while, until a key is pressed.
func (m *Messages) Say(text string) tea.Cmd {
	m.Status = status{Text: text, id: m.Status.id + 1}
	id := m.Status.id
	return m.work.Tasks.After(stays, func() tea.Cmd {
		if m.Status.id == id {
			m.Status.Text = ""
		}
		return nil
	})
}

// Tell shows a message until a key is pressed: nobody may be looking when it comes.
func (m *Messages) Tell(text string) tea.Cmd {
	m.Status = status{Text: text, id: m.Status.id + 1}
	return nil
}

// Complain shows an error until a key is pressed.
func (m *Messages) Complain(text string) tea.Cmd {
	m.Status = status{Text: text, Error: true, id: m.Status.id + 1}
	return nil
}

// Fail says why something failed, and what to do.
func (m *Messages) Fail(err error) tea.Cmd {
	_, _, why, do := words.Explain(err)
	return m.Complain(words.Sentence(why) + " " + words.Sentence(do))
}

// Copy puts a text into the clipboard of the terminal, exactly as it is.
func (m *Messages) Copy(what, text string) tea.Cmd {
	return tea.Batch(tea.SetClipboard(text), m.Say("Copied "+what+"."))
}

// CopyLine copies a command, unless it has characters that cannot be seen: what is pasted into
// a shell is what was read before.
func (m *Messages) CopyLine(line string) tea.Cmd {
	if safe.Text(line) != line {
		return m.Complain("Not copied: the value has characters that cannot be seen. The key as JSON has them.")
	}
	return m.Copy("the command: "+line, line)
}

// CopyRequests copies a plan as DynamoDB JSON.
func (m *Messages) CopyRequests(p *change.Plan) tea.Cmd {
	if p == nil {
		return m.Say("The journal does not say what was sent.")
	}
	text, err := words.Requests(p)
	if err != nil {
		return m.Complain("Copying the request: " + err.Error() + ".")
	}
	return m.Copy("the request as DynamoDB JSON", text)
}

// stays is how long a message stands above the hints.
const stays = 4 * time.Second

// status is a message above the hints.
type status struct {
	Text  string
	Error bool // stays until a key is pressed
	id    int
}
