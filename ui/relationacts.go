package ui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/relation"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// relationCommands are those that accounts and locks share about a relation.
func (a *app) relationCommands(r *dynamo.Relation) screen.Commands {
	return append(relation.Repairs(a.Session, r), relation.Changes(a.Session, r)...)
}

// whyRelation says why an action does nothing on a relation; empty where it
// does something.
func (a *app) whyRelation(action keymap.Action, r *dynamo.Relation) string {
	if c, ok := a.relationCommands(r).Of(action); ok {
		return c.Refuses()
	}
	if action == keymap.Bump {
		return "counters are bumped on their own screen"
	}
	if r == nil {
		switch action {
		case keymap.Mark, keymap.Open, keymap.OtherSide, keymap.Copy:
			return "nothing is selected"
		}
		return ""
	}
	switch action {
	case keymap.Mark:
		return a.WhyMark(r)
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
	case keymap.Open:
		return relation.WhyItem(r)
	}
	return ""
}

// actRelation does what a key asks for on a relation.
func (a *app) actRelation(action keymap.Action, r *dynamo.Relation) tea.Cmd {
	if c, ok := a.relationCommands(r).Of(action); ok {
		return c.Run()
	}
	if r == nil {
		return nil
	}
	switch action {
	case keymap.Open:
		table, key := a.itemOf(r)
		return a.openItem(table, key)
	case keymap.Mark:
		return a.mark(a.top().Content(), r)
	case keymap.Copy:
		return a.Copy("the value", r.Value)
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

// relationCan is what can be done with a relation, which may be nil.
func (a *app) relationCan(r *dynamo.Relation) []screen.Can {
	release := "release the lock"
	if n := len(a.Marks.Order); n > 0 {
		release = "release the marked locks, " + phrase.Group(strconv.Itoa(n))
	}
	return []screen.Can{
		{Action: keymap.Release, Words: release},
		{Action: keymap.Mend, Words: a.MendWord(r) + " it"},
		{Action: keymap.ChangeValue, Words: "change the value"},
		{Action: keymap.DeleteAccount, Words: "delete the account with its locks"},
		{Action: keymap.Mark, Words: "mark the lock, to release several"},
		{Action: keymap.OtherSide, Words: "look at the other side"},
		{Action: keymap.Open, Words: "open the item"},
		{Action: keymap.Copy, Words: "copy the value or the key"},
		{Action: keymap.CopyItem, Words: "copy the item as JSON"},
	}
}
