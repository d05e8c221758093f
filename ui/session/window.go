package session

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change/plan"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/say"
)

// Window holds the size, the styles and the keys for drawing.
type Window struct {
	Keys    *keymap.Map
	Styles  *kit.Styles
	Colours kit.Colours
	Size    kit.Size
	Covered bool      // a dialog covers the screen
	Shown   time.Time // when the dialog began to ask: keys pressed earlier do not answer it
}

// ListWidth returns the width of the screen's list.
func (w *Window) ListWidth() int {
	if w.Size.Wide() {
		return w.Size.Width - w.Size.BesideWidth() - 1
	}
	return w.Size.Width
}

// Block returns an empty block on a ground. quiet dims it, for data that is out of date.
func (w *Window) Block(width, height int, g kit.Ground, quiet bool) *kit.Block {
	d := kit.NewBlock(w.Styles, width, height)
	d.Ground, d.Quiet = g, quiet
	return d
}

// Ground returns the ground to draw on: darker while a dialog covers the screen.
func (w *Window) Ground() kit.Ground {
	if w.Covered {
		return kit.Backdrop
	}
	return kit.Base
}

// Question draws row 1 of a searched list. The row has the key of the action named by, and the text of the field in.
// While a person types, the row shows the field itself. Question also returns the column after the text.
func (w *Window) Question(by keymap.Action, in *kit.Field, typing bool, placeholder string) (string, int) {
	l := kit.NewLine(w.Styles, w.Size.Width, w.Ground())
	l.Put(kit.Text, " ")
	l.Put(kit.Key, w.Keys.Key(by))
	l.Put(kit.Text, " ")
	if typing {
		in.Draw(l, kit.Heading, w.Size.Width-l.At-1, placeholder, true)
	} else {
		l.Fit(kit.Heading, in.Value(), w.Size.Width-l.At-1)
	}
	return l.Done(), min(4+max(kit.ValueWidth(in.Value()), 1), w.Size.Width)
}

// Hint returns a hint for an action. Its key is empty if the action has no key.
func (w *Window) Hint(action keymap.Action, text string) kit.Hint {
	return kit.Hint{Key: w.Keys.Key(action), Words: text}
}

// DialogAction returns the action of a key in a dialog; empty for pasted text. leaves reports
// whether the key leaves a field instead of being typed into it.
func (w *Window) DialogAction(msg tea.Msg) (action keymap.Action, leaves bool) {
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
	action, _ = w.Keys.Action(keymap.Dialog, key.String())
	switch action {
	case keymap.Leave, keymap.NextField, keymap.PreviousField, keymap.Press: // a person may have given them other keys
		leaves = leaves || key.Text == ""
	}
	return action, leaves
}

// Messages shows one message at a time, above the hints.
type Messages struct {
	Status status
	work   *Work
}

// Say shows a message for a few seconds, or until a key is pressed.
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

// Tell shows a message until a key is pressed, since a person may not be looking when it appears.
func (m *Messages) Tell(text string) tea.Cmd {
	m.Status = status{Text: text, id: m.Status.id + 1}
	return nil
}

// Complain shows an error until a key is pressed.
func (m *Messages) Complain(text string) tea.Cmd {
	m.Status = status{Text: text, Error: true, id: m.Status.id + 1}
	return nil
}

// Fail shows why something failed, and what to do.
func (m *Messages) Fail(err error) tea.Cmd {
	return m.Complain(say.Explain(err).String())
}

// Copy puts a text into the clipboard of the terminal, unchanged. what names the text in the
// message.
func (m *Messages) Copy(what, text string) tea.Cmd {
	return tea.Batch(tea.SetClipboard(text), m.Say("Copied "+what+"."))
}

// CopyLine copies a command. It refuses a command with invisible characters: a person must see
// everything that goes into a shell.
func (m *Messages) CopyLine(line string) tea.Cmd { return m.CopyCommand("the command: "+line, line) }

// CopyCommand is CopyLine with a name for the command.
func (m *Messages) CopyCommand(what, line string) tea.Cmd {
	if safe.Text(line) != line {
		return m.Complain("Not copied: the value has invisible characters. Copy the key as JSON: it contains them.")
	}
	return m.Copy(what, line)
}

// CopyRequests copies a plan as DynamoDB JSON.
func (m *Messages) CopyRequests(p *plan.Plan) tea.Cmd {
	if p == nil {
		return m.Say("The journal does not say what was sent.")
	}
	text, err := say.Requests(p)
	if err != nil {
		return m.Complain("Copying the request: " + say.Error(err) + ".")
	}
	return m.Copy("the request as DynamoDB JSON", text)
}

// stays is the time that a message of Say stays above the hints.
const stays = 4 * time.Second

// status is a message above the hints.
type status struct {
	Text  string
	Error bool // an error stays until a key is pressed
	id    int
}

// Tab describes a tab: its name, its action, and the data that it shows.
type Tab struct {
	Name   string        // "accounts"
	Action keymap.Action // shows the tab
	// Table is true if the tab shows the open table. Lists is true if the tab lists values of this table, page by page.
	Table, Lists bool
	// Place is the text of the header in place of the open table; empty for the table.
	Place string
}
