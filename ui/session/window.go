package session

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
)

// Window is what is drawn on, and the keys that are pressed in it.
type Window struct {
	Keys    *keymap.Map
	Styles  *kit.Styles
	Colours kit.Colours
	Size    kit.Size
	Covered bool      // a dialog stands over the screen
	Shown   time.Time // when it began to ask what it asks: a key pressed before does not answer it
}

// ListWidth is the width of the list of the screen.
func (w *Window) ListWidth() int {
	if w.Size.Wide() {
		return w.Size.Width - w.Size.BesideWidth() - 1
	}
	return w.Size.Width
}

// Block begins a block on a ground; a quiet one shows what is old.
func (w *Window) Block(width, height int, g kit.Ground, quiet bool) *kit.Block {
	d := kit.NewBlock(w.Styles, width, height)
	d.Ground, d.Quiet = g, quiet
	return d
}

// Ground is the ground of what is drawn: darker while a dialog stands over it.
func (w *Window) Ground() kit.Ground {
	if w.Covered {
		return kit.Backdrop
	}
	return kit.Base
}

// Question is row 1 of a list that is looked through: the key that it was asked with, and the
// field, or what is looked for. It answers where the words end, too.
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

// Hint makes a hint for an action, or none where it has no key.
func (w *Window) Hint(action keymap.Action, text string) kit.Hint {
	return kit.Hint{Key: w.Keys.Key(action), Words: text}
}

// DialogAction is what a key does in a dialog; pasted text does nothing. leaves: it
// leaves a field, and is not typed into it.
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
	return action, leaves
}
