package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
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
	a.frame = &frame{screens: all, tip: o.Tip}
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

// why says why an action does nothing here; empty where it does something.
func (a *app) why(s screen.Screen, action keymap.Action) string {
	switch action {
	case keymap.Back, keymap.Quit, keymap.Help, keymap.Tables, keymap.Counters, keymap.Journal:
		return ""
	case keymap.Down, keymap.Up, keymap.First, keymap.Last, keymap.HalfPageDown, keymap.HalfPageUp, keymap.PageDown, keymap.PageUp:
		if c := s.Content(); c.Instead != nil || c.Rows == nil || c.Rows.Len() == 0 {
			return "there is nothing to move through"
		}
		return ""
	case keymap.Detail:
		return whyDetail(s.Content(), a.Size)
	case keymap.Layout, keymap.Locks, keymap.Accounts, keymap.Findings:
		if a.Table == nil {
			return a.browse.NoTable()
		}
		own, _ := s.Commands().Of(action)
		return own.Refuses()
	case keymap.Find:
		if !looksThrough(s) {
			return a.whyFind()
		}
	case keymap.NextProblem, keymap.PreviousProblem:
		if _, ok := s.Content().Rows.(kit.Problems); !ok {
			return "there are no problems to step through"
		}
	}
	return s.Commands().Why(action)
}
