package session

import "tallylock/keymap"

// Tab is one of the screens that stand side by side.
type Tab int

// The tabs, in their order.
const (
	AccountsTab Tab = iota
	LocksTab
	CountersTab
	FindingsTab
	JournalTab
	Tabs
)

// String is the tab's name.
func (t Tab) String() string {
	return [Tabs]string{"accounts", "locks", "counters", "findings", "journal"}[t]
}

// Action goes to the tab.
func (t Tab) Action() keymap.Action {
	return [Tabs]keymap.Action{keymap.Accounts, keymap.Locks, keymap.Counters, keymap.Findings, keymap.Journal}[t]
}

// Browses reports whether the tab shows the open table, as it is read page by page.
func (t Tab) Browses() bool { return t == AccountsTab || t == LocksTab }
