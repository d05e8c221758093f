package ui

import (
	tea "charm.land/bubbletea/v2"
)

// dialog is what stands over the screen and has the focus.
type dialog interface {
	// draw writes the dialog.
	draw() *box
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

// show opens a dialog.
func (a *app) show(d dialog) {
	a.dialog, a.shown = d, a.now()
}

// hide closes it.
func (a *app) hide() { a.dialog = nil }

// inGrace reports whether the dialog has only just opened: a key that was on its
// way to the screen must not answer it.
func (a *app) inGrace() bool { return a.now().Sub(a.shown) < a.grace }
