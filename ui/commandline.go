package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/screen/tables"
)

// showTables lets a table be chosen, or a command be typed.
func (a *app) showTables() tea.Cmd {
	if _, ok := a.screens.top().(*tables.Screen); ok {
		return nil
	}
	under := a.screens.top()
	offered := func() []tables.Command { return a.typedCommands(under) }
	if a.tables != nil && a.tables.Reopen(offered) {
		a.screens.push(a.tables)
		return nil
	}
	a.tables = tables.New(a.Session, offered)
	a.screens.push(a.tables)
	return a.tables.Look()
}

// typedCommands are the commands that can be typed over a screen: all that keys do on it, by their
// names, and what takes words.
func (a *app) typedCommands(s screen.Screen) []tables.Command {
	all := a.commands(s)
	out := []tables.Command{{
		Name: "query", Words: "items by key or index", Takes: "[INDEX] KEY [PREFIX]", Why: whyQuery(a),
		Offers: func(text string) []tables.Offer { return offerIndexes(a, text) },
		About:  func(d *kit.Block) { queryable(a, d) },
		Run:    func(text string) tea.Cmd { return queryTyped(a, text) },
	}, {
		Name: "check", Words: "check the whole table", Why: a.nav.whyCheck(),
		Run: func(string) tea.Cmd { return a.nav.checkTable() },
	}}
	for _, info := range a.Keys.Of(keymap.Screen) {
		if here, _ := all.Of(info.Action); info.Use == keymap.ByKey || here.Other {
			continue
		}
		c := tables.Command{
			Name: string(info.Action), Words: besides(info.Action, all.Says(info.Action)),
			Key: a.Keys.Key(info.Action), Why: refuses(a.Session, all, info.Action),
			Run: func(string) tea.Cmd { return a.actBeneath(info.Action) },
		}
		switch info.Action {
		case keymap.Quit:
			c.Short = "q"
		case keymap.Find:
			every := everywhere{a}
			c.Takes, c.Words, c.Why, c.Run = "VALUE", every.finding().Full, a.screens.whyFind(), every.find
			c.Offers = func(text string) []tables.Offer { return offerValues(a, text) }
		case keymap.Filter:
			c.Takes, c.Run = "[LETTERS]", func(letters string) tea.Cmd { return filterTyped(a, letters) }
		}
		out = append(out, c)
	}
	return out
}

// besides is what an action does, as far as its name does not say so.
func besides(action keymap.Action, does string) string {
	if does == screen.Name(action) {
		return ""
	}
	return does
}

// actBeneath does what an action asks for on the screen beneath the line that it was typed in.
func (a *app) actBeneath(action keymap.Action) tea.Cmd {
	a.nav.closeTables()
	return a.act(action)
}

// filterTyped narrows the list beneath to the rows that hold letters, or asks for those.
func filterTyped(a *app, letters string) tea.Cmd {
	cmd := a.actBeneath(keymap.Filter)
	s, ok := a.screens.typing()
	if !ok || letters == "" {
		return cmd
	}
	clear, _ := keymap.Pressed("ctrl+u") // of what was looked for before
	done, _ := keymap.Pressed("enter")
	return tea.Batch(cmd, s.Typed(clear), s.Typed(tea.PasteMsg{Content: letters}), s.Typed(done))
}
