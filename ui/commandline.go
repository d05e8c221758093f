package ui

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/screen"
	"tallylock/ui/screen/find"
	"tallylock/ui/screen/tables"
	"tallylock/ui/session"
)

// showTables lets a table be chosen, or a command be typed.
func (a *app) showTables() tea.Cmd {
	if _, ok := a.top().(*tables.Screen); ok {
		return nil
	}
	under := a.top()
	s := tables.New(a.Session, func() []tables.Command { return a.typed(under) })
	a.push(s)
	return s.Look()
}

// nothingBeneath reports whether there is nothing to go back to from the choice of a table.
func (a *app) nothingBeneath() bool { return a.Table == nil && a.Wanted == "" && a.Tab.Browses() }

// typed are the commands that can be typed over a screen: all that keys do on it, by their
// names, and what takes words.
func (a *app) typed(s screen.Screen) []tables.Command {
	own := s.Commands()
	out := []tables.Command{{Name: "check", Words: "check the whole table", Why: a.whyCheck(), Run: func(string) tea.Cmd { return a.checkTable() }}}
	for _, info := range a.Keys.Of(keymap.Screen) {
		if moves(info.Action) {
			continue
		}
		does, _ := own.Of(info.Action)
		c := tables.Command{
			Name: string(info.Action), Words: cmp.Or(does.Full, does.Words, info.Help), Key: a.Keys.Key(info.Action), Why: a.why(s, info.Action),
			Run: func(string) tea.Cmd { return a.actBeneath(info.Action) },
		}
		switch info.Action {
		case keymap.Quit:
			c.Short = "q"
		case keymap.Find:
			c.Takes, c.Words, c.Why, c.Run = "VALUE", info.Help, a.whyFind(), a.findTyped
		}
		out = append(out, c)
	}
	return out
}

// moves reports whether an action is one that nobody types: it moves the cursor, or is how
// commands are typed.
func moves(action keymap.Action) bool {
	switch action {
	case keymap.Down, keymap.Up, keymap.First, keymap.Last, keymap.HalfPageDown, keymap.HalfPageUp, keymap.PageDown, keymap.PageUp, keymap.Back, keymap.Tables:
		return true
	}
	return false
}

// actBeneath does what an action asks for on the screen beneath the line that it was typed in.
func (a *app) actBeneath(action keymap.Action) tea.Cmd {
	a.unpick()
	return a.act(action)
}

// unpick closes the choice of a table, where there is something beneath it.
func (a *app) unpick() {
	if _, picking := a.top().(*tables.Screen); picking && !a.nothingBeneath() {
		a.stack, a.reading = a.stack[:len(a.stack)-1], reading{}
	}
}

// findTyped asks who holds a value, or for the value.
func (a *app) findTyped(value string) tea.Cmd {
	a.unpick()
	cmd := a.ask()
	if s, ok := a.top().(*find.Screen); ok && value != "" {
		return s.For(value)
	}
	return cmd
}

// whyCheck says why the table cannot be checked; empty where it can.
func (a *app) whyCheck() string {
	if a.Table == nil {
		return a.browse.NoTable()
	}
	return a.findings.Commands().Why(keymap.Reload)
}

// checkTable shows the findings, and has the table checked where that is not under way.
func (a *app) checkTable() tea.Cmd {
	show := a.switchToOpen(session.FindingsTab)
	if a.Tab != session.FindingsTab || a.whyCheck() != "" { // corrections are asked about first, or it is under way already
		return show
	}
	return tea.Batch(show, a.findings.Commands().Act(keymap.Reload))
}
