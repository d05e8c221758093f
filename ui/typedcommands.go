package ui

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/screen"
)

// showTables shows the screen where a person chooses a table or types a command.
func (a *app) showTables() tea.Cmd {
	under := a.top()
	if under == a.tables {
		return nil
	}
	a.refused = nil
	cmd := a.show(screen.Tables{Commands: func() []screen.Typed { return a.typedCommands(under) }})
	a.tables = a.top()
	a.choices++
	return tea.Batch(cmd, a.readProfiles())
}

// typedCommands returns the commands that a person can type over the screen s. These are the names of all actions with
// a key there, and the commands with arguments.
func (a *app) typedCommands(s screen.Screen) []screen.Typed {
	all := a.commands(s)
	var out []screen.Typed
	typed := map[keymap.Action]screen.Typed{}
	for _, o := range a.openers {
		if o.Typed == nil {
			continue
		}
		c := o.Typed()
		if o.Command == nil {
			out = append(out, c)
		} else {
			typed[o.Command().Action] = c
		}
	}
	for _, t := range a.tabs {
		if work, ok := t.(screen.Started); ok {
			name, words, why := work.Starts()
			out = append(out, screen.Typed{
				Name: name, Words: words, Why: cmp.Or(t.WhyNot(), why),
				Run: func(string) tea.Cmd { return a.startOn(t, work) },
			})
		}
	}
	for _, info := range a.Keys.Of(keymap.Screen) {
		own, takes := typed[info.Action]
		if info.Action == keymap.Queue && a.Options.Guest == nil { // only SSH sessions have the screen
			continue
		}
		if info.Use == keymap.ByKey || info.Instead != "" && !all.Has(info.Action) {
			continue
		}
		does := all.Says(info.Action)
		if does == screen.Name(info.Action) { // the words only repeat the name
			does = ""
		}
		c := screen.Typed{
			Name: string(info.Action), Words: does,
			Key: a.keyHere(info.Action, all), Why: refuses(a.Session, all, info.Action),
			Run: func(string) tea.Cmd { return a.actBeneath(info.Action) },
		}
		switch info.Action {
		case keymap.Quit:
			c.Short = "q"
		case keymap.Filter:
			c.Takes, c.Run = "[LETTERS]", a.filterTyped
		}
		if takes {
			own.Key = c.Key
			c = own
		}
		out = append(out, c)
	}
	return append(out, a.awsCommands()...)
}

// keyHere returns the key of an action; empty if the key does another action on the screen with these commands.
func (a *app) keyHere(action keymap.Action, all screen.Commands) string {
	key := a.Keys.Key(action)
	if does, ok := a.Keys.On(keymap.Screen, key, all.Has); ok && does != action {
		return ""
	}
	return key
}

// actBeneath closes the command line and runs an action on the screen beneath it.
func (a *app) actBeneath(action keymap.Action) tea.Cmd {
	a.closeTables()
	return a.act(action)
}

// filterTyped shows only the rows with these letters on the screen beneath the command line. Without
// letters, it opens the field of the filter.
func (a *app) filterTyped(letters string) tea.Cmd {
	cmd := a.actBeneath(keymap.Filter)
	s, ok := a.typing()
	if !ok || letters == "" {
		return cmd
	}
	clear, _ := keymap.Pressed("ctrl+u") // clears the earlier letters
	done, _ := keymap.Pressed("enter")
	return tea.Batch(cmd, s.Typed(clear), s.Typed(tea.PasteMsg{Content: letters}), s.Typed(done))
}

// startOn shows a tab and starts its work, such as a check.
func (a *app) startOn(t screen.Tab, work screen.Started) tea.Cmd {
	show := a.switchTo(t)
	if a.shownTab() != t { // switchTo only warned about unsaved input
		return show
	}
	return tea.Batch(show, work.Start())
}
