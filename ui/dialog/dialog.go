// Package dialog says what a dialog is, and holds what several of them draw: a question about
// the layout with its replies, and how far a change has come. A dialog is a package below this
// one; it imports neither a screen nor the program, and asks the program in messages to be
// shown, or closed. Start reading at Dialog.
package dialog

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
)

// Dialog stands over the screen and has the focus.
type Dialog interface {
	// Draw writes the dialog.
	Draw() *kit.Box
	// Key takes a key or pasted text in.
	Key(msg tea.Msg) tea.Cmd
	// Press presses a button by its index: the mouse.
	Press(n int) tea.Cmd
	// Leave asks the dialog to go away; it stays where that would leave a write
	// unreported.
	Leave() tea.Cmd
}

// Worker is a dialog that makes changes.
type Worker interface {
	// AtWork reports whether a change is being made, ToldToStop whether it was
	// asked to stop.
	AtWork() bool
	ToldToStop() bool
}

// Act does what a key asks for: it moves the focus, on, from one stop to the next, presses what
// has it, or leaves.
func Act(d Dialog, action keymap.Action, on *int, stops []int) tea.Cmd {
	switch action {
	case keymap.Leave:
		return d.Leave()
	case keymap.NextField:
		*on = Cycle(stops, *on, 1)
	case keymap.PreviousField:
		*on = Cycle(stops, *on, -1)
	case keymap.Press:
		return d.Press(*on)
	}
	return nil
}

// Cycle is the stop that lies so many after another one, round and round. What is
// no stop any more counts as the first.
func Cycle[T comparable](stops []T, from T, by int) T {
	at := max(slices.Index(stops, from), 0)
	return stops[(at+by+len(stops))%len(stops)]
}
