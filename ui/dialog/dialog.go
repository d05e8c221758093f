// Package dialog defines dialogs, and has the parts that several dialogs share: the buttons, a change that is being
// applied, and the report of an outcome. Each dialog is a package below this one. It sends messages to the program
// to show or close itself. Start reading at Dialog.
package dialog

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/answers"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// Dialog is drawn over the screen and has the focus.
type Dialog interface {
	// Draw draws the dialog.
	Draw() *kit.Box
	// Key handles a key or pasted text.
	Key(msg tea.Msg) tea.Cmd
	// Press presses a button by its index, for the mouse.
	Press(n int) tea.Cmd
	// Leave asks the dialog to close. The dialog stays open if closing would hide the outcome of a write.
	Leave() tea.Cmd
}

// Worker is a dialog that applies changes.
type Worker interface {
	// Busy reports whether a change is being applied, Stopping whether it was asked to stop.
	Busy() bool
	Stopping() bool
}

// Act handles a key. It moves the focus between the stops, presses the focused stop, or leaves. on
// is the focused stop.
func Act(d Dialog, action keymap.Action, on *int, stops []int) tea.Cmd {
	switch action {
	case keymap.Leave:
		return d.Leave()
	case keymap.NextField:
		*on = Cycle(stops, *on, 1)
	case keymap.PreviousField:
		*on = Cycle(stops, *on, -1)
	case keymap.NextButton:
		*on = NextButton(stops, *on, 1)
	case keymap.PreviousButton:
		*on = NextButton(stops, *on, -1)
	case keymap.Press:
		return d.Press(*on)
	}
	return nil
}

// Cycle returns the next stop after from if by is 1, or the previous stop if by is -1. It wraps around at the ends. If
// from is not among the stops, it counts as the first.
func Cycle[T comparable](stops []T, from T, by int) T {
	at := max(slices.Index(stops, from), 0)
	return stops[(at+by+len(stops))%len(stops)]
}

// NextButton returns the next button after from if by is 1, or the previous button if by is -1. It stays at the first
// and the last button. A stop below 0 is a field.
func NextButton(stops []int, from, by int) int {
	buttons := slices.DeleteFunc(slices.Clone(stops), func(n int) bool { return n < 0 })
	if at := slices.Index(buttons, from) + by; at >= 0 && at < len(buttons) {
		return buttons[at]
	}
	return from
}

// Choice is the lower part of a dialog: the buttons and the key hints. A dialog may have a field above the buttons.
type Choice struct {
	Field   *kit.Field // nil for none
	Buttons []string
	On      int              // the button with the focus, or InField
	Off     func(n int) bool // reports whether button n is off; nil: all are on
	Enter   string           // the hint for pressing; empty: "press"
	Leave   string           // the hint for leaving
	Hints   []kit.Hint
	Err     error // why the pressed button failed; typing clears it
}

// InField is the index of the field among the buttons.
const InField = -1

// Draw draws the buttons and the key hints.
func (c *Choice) Draw(b *kit.Box, s *session.Session) {
	b.Buttons(c.Buttons, c.On, c.Off)
	b.Gap()
	hints := []kit.Hint{
		s.Hint(keymap.NextField, "next"), s.Hint(keymap.Press, cmp.Or(c.Enter, "press")), s.Hint(keymap.Leave, c.Leave),
	}
	b.Hints(append(hints, c.Hints...)...)
}

// Key handles a key. It types into the field, or acts: see Act.
func (c *Choice) Key(d Dialog, s *session.Session, msg tea.Msg) tea.Cmd {
	action, leaves := s.DialogAction(msg)
	if c.On == InField && !leaves {
		if c.Field.Update(msg) {
			c.Err = nil
		}
		return nil
	}
	var stops []int
	if c.Field != nil {
		stops = append(stops, InField)
	}
	for n := range c.Buttons {
		if c.Off == nil || !c.Off(n) {
			stops = append(stops, n)
		}
	}
	return Act(d, action, &c.On, stops)
}

// NewResult begins a dialog that reports an outcome. now is the state after it.
func NewResult(s *session.Session, sign kit.Sign, now string) *kit.Box {
	return kit.NewBox(s.Styles, s.Size.Width, sign.Style,
		(sign.Style | kit.Bold).Of(sign.Glyph+" "+sign.Word), kit.Muted.Of(" · "), kit.Heading.Of(now))
}

// WriteError draws why something failed, and what to do.
func WriteError(b *kit.Box, err error) {
	e := say.Explain(err)
	b.Para(kit.Must, kit.Warn, "! "+say.Sentence(e.Why))
	b.Para(kit.Must, kit.Text, say.Sentence(e.Do))
}

// WriteFailure draws why something could not be stored; nothing if err is nil. If only the config
// can store it, the lines for the config follow.
func WriteFailure(b *kit.Box, err error) {
	if err == nil {
		return
	}
	b.Fact(kit.Must, "but", kit.Warn, say.Explain(err).String())
	WriteConfigLines(b, err)
}

// WriteConfigLines draws the lines for the config if err says that only the config can give an
// answer.
func WriteConfigLines(b *kit.Box, err error) {
	only, ok := errors.AsType[*answers.ConfigLines](err)
	if !ok {
		return
	}
	for line := range strings.Lines(only.Lines) {
		b.Para(kit.Must, kit.Strong, strings.TrimSuffix(line, "\n"))
	}
}
