package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/session"
)

// app is the program: what keys do everywhere, what screens ask for, and the frame around
// them. Which screen is looked at, navigation says.
type app struct {
	*navigation

	frame     *frame
	watched   *watching
	grace     time.Duration
	clicked   click // the last one
	animating bool
}

func newApp(ctx context.Context, o session.Options) *app {
	a := &app{grace: 250 * time.Millisecond}
	all := newScreens(session.New(ctx, o, func(m any) tea.Cmd { return a.receive(m) }))
	a.navigation = &navigation{opening: &opening{screens: all}}
	a.watched = &watching{screens: all}
	a.frame = &frame{screens: all, watched: a.watched, tip: o.Tip}
	return a
}

// begin is the first thing to do.
func (a *app) begin() tea.Cmd {
	if c := a.Connection(); c.NoJournal != nil && c.Write() {
		a.Complain("The journal cannot be kept, so nothing can be changed: " + a.Keys.Key(keymap.Journal) + " says why.")
	}
	if a.Options.Table == "" {
		return tea.Batch(a.journal.Recall(), a.showTables())
	}
	return tea.Batch(a.journal.Recall(), a.open(0, a.Options.Table))
}
