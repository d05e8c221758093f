package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/screen/tables"
	"tallylock/ui/session"
)

// app is the program: what keys do everywhere, what screens ask for, and the frame around them.
type app struct {
	*session.Session

	screens   *screens
	opener    *opener
	nav       *navigation
	frame     *frame
	watcher   *watcher
	tables    *tables.Screen // as it was opened last
	grace     time.Duration
	clicked   click // the last one
	animating bool
}

func newApp(ctx context.Context, o session.Options) *app {
	a := &app{grace: 250 * time.Millisecond}
	s := session.New(ctx, o, func(m any) tea.Cmd { return a.receive(m) })
	a.Session, a.screens = s, newScreens(s)
	a.opener = &opener{Session: s, screens: a.screens}
	a.nav = &navigation{Session: s, screens: a.screens, opener: a.opener}
	a.watcher = &watcher{Session: s, screens: a.screens}
	a.frame = &frame{Session: s, screens: a.screens, watcher: a.watcher, tip: o.Tip}
	return a
}

// start is the first thing to do.
func (a *app) start() tea.Cmd {
	if c := a.Connection(); c.NoJournal != nil && c.Write() {
		a.Complain("The journal cannot be kept, so nothing can be changed: " + a.Keys.Key(keymap.Journal) + " says why.")
	}
	if a.Options.Table == "" {
		return tea.Batch(a.screens.journal.Recall(), a.showTables())
	}
	return tea.Batch(a.screens.journal.Recall(), a.opener.open(0, a.Options.Table))
}
