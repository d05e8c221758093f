package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/ui/session"
)

// showLock goes to the lock of a relation on the locks screen.
func (a *app) showLock(r *dynamo.Relation) tea.Cmd {
	if !a.locks.Show(r) {
		return a.Say("This lock has not been read with the table yet.")
	}
	return a.cross(session.LocksTab)
}

// showAccount goes to the account of a relation on the accounts screen.
func (a *app) showAccount(r *dynamo.Relation) tea.Cmd {
	if !a.accounts.Show(r) {
		return nil
	}
	return a.cross(session.AccountsTab)
}

// cross goes to the tab of the other side; esc goes back from there.
func (a *app) cross(t session.Tab) tea.Cmd {
	from := a.Tab
	cmd := a.switchTo(t)
	a.crossed = &from
	return cmd
}
