package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/ui/screen"
	"tallylock/ui/words"
)

// showLayout shows the layout of the open table, or goes back to it.
func (o *opening) showLayout() tea.Cmd {
	if o.Table == nil {
		return o.Say(words.Sentence(o.browse.NoTable()))
	}
	o.unlooked = false
	if n := slices.Index(o.stack, screen.Screen(o.layout)); n >= 0 {
		o.stack, o.pane = o.stack[:n+1], pane{}
		return nil
	}
	o.push(o.layout)
	return o.layout.Show(o.Table)
}

// lookFirst shows the layout of the open table where nothing can be known before that is
// right: by itself over the table's own rows only, and once.
func (o *opening) lookFirst() tea.Cmd {
	if !o.unlooked || len(o.stack) > 0 || o.dialog != nil || !o.Tab.Browses() {
		return nil
	}
	return o.showLayout()
}
