package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/ui/screen"
	"tallylock/ui/words"
)

// showLayout shows the layout of the open table, or goes back to it.
func (o *opener) showLayout() tea.Cmd {
	if o.Table == nil {
		return o.Say(words.Sentence(o.screens.browse.NoTable()))
	}
	o.layoutUnseen = false
	if n := slices.Index(o.screens.stack, screen.Screen(o.screens.layout)); n >= 0 {
		o.screens.stack, o.screens.pane = o.screens.stack[:n+1], pane{}
		return nil
	}
	o.screens.push(o.screens.layout)
	return o.screens.layout.Show(o.Table)
}

// showUnseenLayout shows the layout of the open table where nothing can be known before that is
// right: by itself over the table's own rows only, and once.
func (o *opener) showUnseenLayout() tea.Cmd {
	if !o.layoutUnseen || len(o.screens.stack) > 0 || o.screens.dialog != nil || !o.Tab.Browses() {
		return nil
	}
	return o.showLayout()
}
