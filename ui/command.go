package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
)

// command is one thing that can be done on a screen. Its keys, the hints, the help and
// what is said where it does nothing are all made from one table of them.
type command struct {
	action keymap.Action
	words  string        // two or three, for the hints
	why    func() string // why it does nothing now; empty where it does, nil: it always does
	run    func() tea.Cmd
}

// commander is a screen whose commands stand in one table.
type commander interface{ commands() []command }

// commandOf finds what an action does on a screen.
func commandOf(s commander, action keymap.Action) (command, bool) {
	for _, c := range s.commands() {
		if c.action == action {
			return c, true
		}
	}
	return command{}, false
}

// refuses says why the command does nothing now.
func (c command) refuses() string {
	if c.why == nil {
		return ""
	}
	return c.why()
}

// commandHints are those of what can be done now.
func (a *app) commandHints(s commander) []kit.Hint {
	var out []kit.Hint
	for _, c := range s.commands() {
		if c.refuses() == "" {
			out = append(out, a.Hint(c.action, c.words))
		}
	}
	return out
}
