// Package dialog defines dialogs, and draws what several of them share: a question about the
// layout with its replies, and the progress of a change. Each dialog is a package below this
// one, and sends messages to be shown or closed. Start reading at Dialog.
package dialog

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
)

// Dialog is drawn over the screen and has the focus.
type Dialog interface {
	// Draw draws the dialog.
	Draw() *kit.Box
	// Key handles a key or pasted text.
	Key(msg tea.Msg) tea.Cmd
	// Press presses a button by its index, for the mouse.
	Press(n int) tea.Cmd
	// Leave asks the dialog to close. It stays open if a write would go unreported.
	Leave() tea.Cmd
}

// Worker is a dialog that applies changes.
type Worker interface {
	// Busy reports whether a change is being applied, Stopping whether it was asked to stop.
	Busy() bool
	Stopping() bool
}

// Act handles a key: it moves the focus, on, between the stops, presses the focused one, or
// leaves.
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

// Cycle returns the stop that is by places after another, cyclically. An unknown stop counts
// as the first.
func Cycle[T comparable](stops []T, from T, by int) T {
	at := max(slices.Index(stops, from), 0)
	return stops[(at+by+len(stops))%len(stops)]
}
