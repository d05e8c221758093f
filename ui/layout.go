package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/ui/screen"
	"tallylock/ui/words"
)

// showLayout shows the layout of the open table, or goes back to it.
func (a *app) showLayout() tea.Cmd {
	if a.Table == nil {
		return a.Say(words.Sentence(a.browse.NoTable()))
	}
	a.unlooked = false
	if n := slices.Index(a.stack, screen.Screen(a.layout)); n >= 0 {
		a.stack, a.reading = a.stack[:n+1], reading{}
		return nil
	}
	a.push(a.layout)
	return a.layout.Show(a.Table)
}

// lookFirst shows the layout of the open table where nothing can be known before that is
// right: by itself over the table's own rows only, and once.
func (a *app) lookFirst() tea.Cmd {
	if !a.unlooked || len(a.stack) > 0 || a.dialog != nil || !a.Tab.Browses() {
		return nil
	}
	return a.showLayout()
}
