package ui

import "tallylock/keymap"

// tab is one of the screens that stand side by side.
type tab int

const (
	accountsTab tab = iota
	locksTab
	countersTab
	findingsTab
	journalTab
	tabs
)

func (t tab) String() string {
	return [tabs]string{"accounts", "locks", "counters", "findings", "journal"}[t]
}

func (t tab) action() keymap.Action {
	return [tabs]keymap.Action{keymap.Accounts, keymap.Locks, keymap.Counters, keymap.Findings, keymap.Journal}[t]
}

// browses reports whether the tab shows the open table, as it is read page by page.
func (t tab) browses() bool { return t == accountsTab || t == locksTab }

// needsTable reports whether the tab shows something of the open table.
func (t tab) needsTable() bool { return t.browses() || t == findingsTab }
