package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/session"
)

// whyRelation says why an action does nothing on a relation; empty where it
// does something.
func (a *app) whyRelation(action keymap.Action, r *dynamo.Relation) string {
	if r == nil {
		switch action {
		case keymap.Undo:
			return a.WhyUndoLast()
		case keymap.Release, keymap.Mend, keymap.Mark, keymap.ChangeValue, keymap.DeleteAccount, keymap.Open, keymap.OtherSide, keymap.Copy, keymap.CopyItem:
			return "nothing is selected"
		case keymap.Bump:
			return "counters are bumped on their own screen"
		}
		return ""
	}
	switch action {
	case keymap.Undo:
		return a.WhyUndoLast()
	case keymap.Release:
		return a.WhyRelease(r)
	case keymap.Mend:
		return a.WhyMend(r)
	case keymap.Mark:
		return a.WhyMark(r)
	case keymap.ChangeValue:
		if r.Constraint.Lockless() {
			return session.NoLocks(r) + ": only the application can see to it"
		}
		return a.WhyAccount(r, client.Update, client.Put, client.Delete)
	case keymap.DeleteAccount:
		return a.WhyAccount(r, client.Delete)
	case keymap.Bump:
		return "counters are bumped on their own screen"
	case keymap.Pause, keymap.Stop:
		if a.browse != nil && a.browse.view.Complete {
			return "the whole table is read"
		}
	case keymap.Fold:
		return "only locks are grouped"
	case keymap.OtherSide:
		switch {
		case r.Constraint.Lockless():
			return session.NoLocks(r)
		case a.Tab == session.AccountsTab && !r.Lock.Exists:
			return "no lock keeps \"" + r.Value + "\""
		case a.Tab == session.LocksTab && r.Account == nil && r.OwnerAccount == nil:
			return session.NoAccount(r)
		}
	case keymap.Open, keymap.CopyItem:
		if r.Account == nil && !r.Lock.Exists {
			return "there is neither an account nor a lock"
		}
	}
	return ""
}

// actRelation does what a key asks for on a relation.
func (a *app) actRelation(action keymap.Action, r *dynamo.Relation) tea.Cmd {
	if action == keymap.Undo {
		return a.askUndoLast()
	}
	if r == nil {
		return nil
	}
	switch action {
	case keymap.Open:
		table, key := a.itemOf(r)
		return a.openItem(table, key)
	case keymap.Release:
		return a.askRelease(a.Table, r)
	case keymap.Mend:
		return a.askMend(a.Table, r)
	case keymap.Mark:
		return a.mark(a.top().Content(), r)
	case keymap.ChangeValue:
		return a.askValue(a.Table, r)
	case keymap.DeleteAccount:
		return a.askDelete(a.Table, r)
	case keymap.Copy:
		return a.Copy("the value", r.Value)
	case keymap.CopyItem:
		if a.Tab == session.LocksTab || r.Account == nil {
			return a.CopyJSON("the lock", r.Lock.Item)
		}
		return a.CopyJSON("the account", r.Account.Item)
	}
	return nil
}

// itemOf is the item that enter opens: the account on the accounts screen, the
// lock on that of the locks, whichever there is.
func (a *app) itemOf(r *dynamo.Relation) (string, attr.Key) {
	if r.Account != nil && (a.Tab == session.AccountsTab || !r.Lock.Exists) {
		return a.Table.Name, r.Account.Key
	}
	return r.Lock.Table, r.Lock.Key
}

// showLock goes to the lock of a relation on the locks screen.
func (a *app) showLock(r *dynamo.Relation) tea.Cmd {
	if r == nil {
		return nil
	}
	a.locks.onlyProblems = false
	if !a.locks.find(r) {
		return a.Say("This lock has not been read with the table yet.")
	}
	a.switchTo(session.LocksTab)
	return nil
}

// showAccount goes to the account of a relation on the accounts screen.
func (a *app) showAccount(r *dynamo.Relation) tea.Cmd {
	if r == nil {
		return nil
	}
	who := r.Account
	if who == nil {
		who = r.OwnerAccount
	}
	if who == nil {
		return nil
	}
	a.accounts.onlyProblems = false
	for n, row := range a.accounts.rows(80).(relationList).rows {
		if row.rel == r || (row.rel.Account != nil && row.rel.Account.Key.Equal(who.Key)) {
			a.accounts.list.Put(n)
			if row.rel == r || row.rel.Lock.Key.Equal(r.Lock.Key) {
				break
			}
			if r.Account == nil {
				break
			}
		}
	}
	a.switchTo(session.AccountsTab)
	return nil
}
