package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/relation"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// aboutRelation are what can be done with the selected relation, which may be nil, on
// accounts and locks alike. other goes to its other side.
func (a *app) aboutRelation(r *dynamo.Relation, other screen.Command) screen.Commands {
	repairs := relation.Repairs(a.Session, r)
	if n := len(a.Marks.Order); n > 0 {
		repairs[0] = screen.Command{
			Action: keymap.Release, Words: a.ReleaseHint(), Full: "release " + phrase.Count(n, "marked lock"),
			Why: a.WhyReleases, Run: func() tea.Cmd { return a.Send(message.Release{}) },
		}
	}
	return slices.Concat(repairs, screen.Commands{
		{
			Action: keymap.Open, Words: "open", Full: "open the item", Why: func() string { return relation.WhyItem(r) },
			Run: func() tea.Cmd { return a.openItem(a.itemOf(r)) },
		},
		other,
	}, a.marking(r), screen.Commands{{
		Action: keymap.Copy, Words: "copy", Full: "copy the value", Why: screen.WhyIf(r == nil, noneSelected),
		Run: func() tea.Cmd { return a.Copy("the value", r.Value) },
	}})
}

const noneSelected = "nothing is selected"

// changes are what else can be done with a relation. Their hint needs a wide screen.
func (a *app) changes(r *dynamo.Relation) screen.Commands {
	out := relation.Changes(a.Session, r)
	if !a.Size.Wide() {
		out[0].Words, out[0].Full = "", out[0].Words
	}
	return out
}

// readingCommands are what can be done with the reading of the table.
func (a *app) readingCommands() screen.Commands {
	why := screen.WhyIf(a.browse != nil && a.browse.over(), "the whole table is read")
	stop := screen.Command{Action: keymap.Stop, Why: why, Run: a.stop}
	on := screen.Command{Action: keymap.Pause, Why: why, Run: a.readOn}
	if _, busy := a.Tasks.Since(task.Paging); busy {
		stop.Words = "stop reading"
	} else {
		on.Words = "read on"
	}
	again := a.reread
	if a.Table == nil {
		again = a.retryOpen
	}
	return screen.Commands{stop, on, {Action: keymap.Reload, Run: again}, {Action: keymap.Bump, Why: screen.WhyIf(true, "counters are bumped on their own screen")}}
}

// untilOpen refuses what needs an open table, while rows are shown before the table is open.
func (a *app) untilOpen(all screen.Commands) screen.Commands {
	if !a.unjudged() {
		return all
	}
	for n, c := range all {
		switch c.Action {
		case keymap.Copy, keymap.CopyItem, keymap.Reload, keymap.Stop, keymap.Pause:
		default:
			all[n].Why = a.noTable
		}
	}
	return all
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
	return a.cross(session.LocksTab)
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
	return a.cross(session.AccountsTab)
}

// cross goes to the tab of the other side; esc goes back from there.
func (a *app) cross(t session.Tab) tea.Cmd {
	from := a.Tab
	cmd := a.switchTo(t)
	a.crossed = &from
	return cmd
}
