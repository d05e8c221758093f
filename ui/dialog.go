package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/ui/kit"
)

// dialog is what stands over the screen and has the focus.
type dialog interface {
	// draw writes the dialog.
	draw() *kit.Box
	// key takes a key or pasted text in.
	key(msg tea.Msg) tea.Cmd
	// press presses a button by its index: the mouse.
	press(n int) tea.Cmd
	// leave asks the dialog to go away; it stays where that would leave a write
	// unreported.
	leave() tea.Cmd
}

// worker is a dialog that makes changes.
type worker interface {
	// atWork reports whether a change is being made, toldToStop whether it was
	// asked to stop.
	atWork() bool
	toldToStop() bool
}

// along is the stop that lies so many after another one, round and round. What is
// no stop any more counts as the first.
func along[T comparable](stops []T, from T, by int) T {
	at := max(slices.Index(stops, from), 0)
	return stops[(at+by+len(stops))%len(stops)]
}

// show opens a dialog.
func (a *app) show(d dialog) {
	a.dialog, a.shown, a.Covered = d, a.Now(), true
}

// hide closes it.
func (a *app) hide() { a.dialog, a.Covered = nil, false }

// inGrace reports whether the dialog has only just opened: a key that was on its
// way to the screen must not answer it.
func (a *app) inGrace() bool { return a.Now().Sub(a.shown) < a.grace }
