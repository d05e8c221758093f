package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/keymap"
)

// compare looks whether a sample shows another layout than the one that was accepted for the
// table, or a larger one more than the one that it was opened with.
func (o *opener) compare(t *dynamo.Table) tea.Cmd {
	cmd := o.screens.layout.Compare(t, func() tea.Cmd {
		if o.screens.top() == o.screens.layout {
			return nil
		}
		return o.Say("The sample suggests another layout. The accepted one stays in use: " + o.Keys.Key(keymap.Layout) + ".")
	})
	if t.KeptBroken != nil {
		cmd = tea.Batch(
			cmd,
			o.Complain(
				"The accepted layout cannot be read: not used. "+o.Keys.Key(
					keymap.Layout,
				)+", then "+o.Keys.Key(keymap.OtherSide)+" forgets it.",
			),
		)
	}
	return tea.Batch(cmd, o.screens.layout.Grow(t, o.useLarger))
}

// useLarger reads the table by what a larger sample shows, unless somebody is at work on
// what the smaller one showed.
func (o *opener) useLarger(t *dynamo.Table, another bool) tea.Cmd {
	said := "A larger sample tells more of how well the layout fits"
	if another {
		said = "A larger sample shows another layout"
	}
	onlyLayout := len(o.screens.stack) == 1 && o.screens.top() == o.screens.layout && !o.screens.layout.Corrected()
	if !o.Tab.Browses() || o.screens.dialog != nil || len(o.Marks.All()) > 0 || len(o.screens.stack) > 0 && !onlyLayout {
		return o.Say(
			said + ": " + o.Keys.Key(keymap.Reload) + " on the layout (" + o.Keys.Key(keymap.Layout) + ") switches to it.",
		)
	}
	return tea.Batch(o.show(o.On, t, o.Tab),
		o.Say(said+": the table is read by it now. "+o.Keys.Key(keymap.Layout)+" shows it."))
}
