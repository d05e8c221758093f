package ui

import (
	"encoding/json"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/words"
)

// whyRelation says why an action does nothing on a relation; empty where it
// does something.
func (a *app) whyRelation(action keymap.Action, r *dynamo.Relation) string {
	if r == nil {
		switch action {
		case keymap.Undo:
			return a.whyUndoLast()
		case keymap.Release, keymap.Mend, keymap.Mark, keymap.ChangeValue, keymap.DeleteAccount, keymap.Open, keymap.OtherSide, keymap.Copy, keymap.CopyItem:
			return "nothing is selected"
		case keymap.Bump:
			return "counters are bumped on their own screen"
		}
		return ""
	}
	switch action {
	case keymap.Undo:
		return a.whyUndoLast()
	case keymap.Release:
		return a.whyRelease(r)
	case keymap.Mend:
		return a.whyMend(r)
	case keymap.Mark:
		return a.whyMark(r)
	case keymap.ChangeValue:
		return a.whyAccount(r, client.Update, client.Put, client.Delete)
	case keymap.DeleteAccount:
		return a.whyAccount(r, client.Delete)
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
		case a.tab == accountsTab && !r.Lock.Exists:
			return "no lock keeps \"" + r.Value + "\""
		case a.tab == locksTab && r.Account == nil && r.OwnerAccount == nil:
			return nobody(r)
		}
	case keymap.Open, keymap.CopyItem:
		if r.Account == nil && !r.Lock.Exists {
			return "there is neither an account nor a lock"
		}
	}
	return ""
}

// whyRelease says why a lock is not released from here.
func (a *app) whyRelease(r *dynamo.Relation) string {
	switch {
	case !r.Lock.Exists:
		return "there is no lock to release"
	case r.Verdict == dynamo.Held:
		return "an account holds \"" + r.Value + "\""
	case r.Verdict == dynamo.Duplicate, r.Verdict == dynamo.Foreign:
		return "an account holds \"" + r.Value + "\": its lock is not released"
	}
	return a.whyWrite(r.Lock.Table, client.Delete)
}

// whyWrite says why nothing is written in a table of this connection, in one of
// these ways.
func (a *app) whyWrite(table string, verbs ...client.Verb) string {
	if a.table != nil && a.table.DescriptionOf(table).Name != "" {
		if why := a.table.Regions().Refuses(verbs...); why != "" {
			return why
		}
	}
	return a.whyWriteOn(a.connection(), table, verbs...)
}

// whyWriteOn is whyWrite for any connection.
func (a *app) whyWriteOn(c Connection, table string, verbs ...client.Verb) string {
	switch {
	case a.offline != nil:
		return "the endpoint cannot be reached"
	case c.NoJournal != nil:
		_, _, why, _ := words.Explain(c.NoJournal)
		return "the journal cannot be kept: " + why
	case !c.Write() || c.Changer == nil:
		return "this connection is read-only; start with --write"
	case c.GuardOf(table) == client.GuardDeny:
		return "the config has guard = \"deny\" for " + table + ", which no flag lifts"
	}
	return a.whyDenied(c, table, verbs...)
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
		return a.askRelease(a.table, r)
	case keymap.Mend:
		return a.askMend(a.table, r)
	case keymap.Mark:
		return a.mark(a.top().content(), r)
	case keymap.ChangeValue:
		return a.askValue(a.table, r)
	case keymap.DeleteAccount:
		return a.askDelete(a.table, r)
	case keymap.Copy:
		return a.copy("the value", r.Value)
	case keymap.CopyItem:
		if a.tab == locksTab || r.Account == nil {
			return a.copyJSON("the lock", r.Lock.Item)
		}
		return a.copyJSON("the account", r.Account.Item)
	}
	return nil
}

// itemOf is the item that enter opens: the account on the accounts screen, the
// lock on that of the locks, whichever there is.
func (a *app) itemOf(r *dynamo.Relation) (string, attr.Key) {
	if r.Account != nil && (a.tab == accountsTab || !r.Lock.Exists) {
		return a.table.Name, r.Account.Key
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
		return a.say("This lock has not been read with the table yet.")
	}
	a.switchTo(locksTab)
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
	a.switchTo(accountsTab)
	return nil
}

// copy puts a text into the clipboard of the terminal, exactly as it is.
func (a *app) copy(what, text string) tea.Cmd {
	return tea.Batch(tea.SetClipboard(text), a.say("Copied "+what+"."))
}

// copyJSON copies an item as DynamoDB JSON.
func (a *app) copyJSON(what string, item attr.Item) tea.Cmd {
	data, err := json.MarshalIndent(item, "", "  ")
	if err != nil {
		return a.complain("Copying " + what + ": " + err.Error() + ".")
	}
	return a.copy(what+" as DynamoDB JSON", string(data))
}
