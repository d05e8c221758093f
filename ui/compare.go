package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/keymap"
)

// compare looks whether a sample shows another layout than the one that was accepted for the
// table, or a larger one more than the one that it was opened with.
func (a *app) compare(t *dynamo.Table) tea.Cmd {
	cmd := a.layout.Compare(t, func() tea.Cmd {
		if a.top() == a.layout {
			return nil
		}
		return a.Say("A sample shows another layout than the accepted one, which is used: " + a.Keys.Key(keymap.Layout) + ".")
	})
	if t.KeptBroken != nil {
		cmd = tea.Batch(cmd, a.Complain("The accepted layout cannot be read: not used. "+a.Keys.Key(keymap.Layout)+", then "+a.Keys.Key(keymap.OtherSide)+" forgets it."))
	}
	return tea.Batch(cmd, a.layout.Grow(t, a.readByMore))
}

// readByMore reads the table by what a larger sample shows, unless somebody is at work on
// what the smaller one showed.
func (a *app) readByMore(t *dynamo.Table, another bool) tea.Cmd {
	said := "A larger sample tells more of how well the layout fits"
	if another {
		said = "A larger sample shows another layout"
	}
	onlyLayout := len(a.stack) == 1 && a.top() == a.layout && !a.layout.Corrected()
	if !a.Tab.Browses() || a.dialog != nil || len(a.Marks.All()) > 0 || len(a.stack) > 0 && !onlyLayout {
		return a.Say(said + ": " + a.Keys.Key(keymap.Reload) + " on the layout (" + a.Keys.Key(keymap.Layout) + ") reads the table by one.")
	}
	return tea.Batch(a.opened(a.On, t, a.Tab), a.Say(said+": the table is read by it now. "+a.Keys.Key(keymap.Layout)+" shows it."))
}

// forget has what may have changed be asked for again: roles, and what other tables hold.
func (a *app) forget() {
	clear(a.Denied)
	if c := a.Connection().Connection; c != nil {
		c.DropSamples()
	}
}
