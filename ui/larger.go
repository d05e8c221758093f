package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/keymap"
)

// compare has a larger sample recognise the table, if the one that it was opened with was too small.
func (o *opener) compare(t *dynamo.Table) tea.Cmd {
	grow := o.screens.layout.Grow(t, o.useLarger)
	if text := t.Connection().AnswersUnreadable(); text != "" {
		return tea.Batch(o.Complain(text), grow)
	}
	return grow
}

// useLarger reads the table by what a larger sample shows, unless somebody is at work on
// what the smaller one showed.
func (o *opener) useLarger(t *dynamo.Table) tea.Cmd {
	const said = "A larger sample shows another layout"
	onlyLayout := len(o.screens.stack) == 1 && o.screens.top() == o.screens.layout && !o.screens.layout.Corrected()
	if !o.Tab.Browses() || o.screens.dialog != nil || len(o.Marks.All()) > 0 || len(o.screens.stack) > 0 && !onlyLayout {
		return o.Say(
			said + ": " + o.Keys.Key(keymap.Reload) + " on the layout (" + o.Keys.Key(keymap.Layout) + ") switches to it.",
		)
	}
	return tea.Batch(o.show(o.On, t, o.Tab),
		o.Say(said+": the table is read by it now. "+o.Keys.Key(keymap.Layout)+" shows it."))
}
