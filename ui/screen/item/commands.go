package item

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	row, ok := s.selected()
	fold := map[bool]string{true: "fold", false: "show all"}
	nothing := screen.WhyIf(s.in == nil || s.in.Item == nil, "there is nothing to copy")
	lock := screen.WhyIf(row.rel == nil, "no lock protects this attribute")
	return append(screen.Policies(s.Session, s.err), screen.Commands{
		{Action: keymap.Open, Words: fold[s.open[row.path]], Why: screen.WhyIf(!ok || row.text == "" && !row.cut(s.width), "all of this value is shown"), Run: s.fold},
		{Action: keymap.Copy, Words: "copy value", Why: nothing, Run: func() tea.Cmd { return s.Copy("the value of "+row.name, row.value.Display()) }},
		{Action: keymap.CopyItem, Words: "copy item", Full: "copy the item as JSON", Why: nothing, Run: func() tea.Cmd { return s.CopyJSON("the item", s.in.Item) }},
		{Action: keymap.CopyKey, Run: func() tea.Cmd { return s.CopyKey("the key", s.key) }},
		s.copyLine(row.rel),
		{Action: keymap.OtherSide, Words: "its lock", Why: lock, Run: func() tea.Cmd { return s.openLock(row.rel) }},
		{Action: keymap.Mend, Words: "mend", Why: func() string {
			if row.rel == nil {
				return lock()
			}
			return s.WhyMend(row.rel)
		}, Run: func() tea.Cmd { return s.Send(message.Mend{Table: s.owner, Relation: row.rel}) }},
		{Action: keymap.ChangeValue, Words: "change value", Why: s.whyChange, Run: func() tea.Cmd { return s.Send(message.ChangeValue{Table: s.owner, Values: s.values()}) }},
		{Action: keymap.DeleteAccount, Full: "delete account and locks", Why: s.whyAccount, Run: func() tea.Cmd { return s.Send(message.DeleteAccount{Table: s.owner, Relation: s.values()[0]}) }},
		{Action: keymap.Undo, Why: s.WhyUndoLast, Run: func() tea.Cmd { return s.Send(message.UndoLast{}) }},
		{Action: keymap.Reload, Words: "read again", Run: s.read},
		{Action: keymap.Back, Words: "back"},
	}...)
}

// copyLine copies the command about the selected value, which its lock tells of.
func (s *Screen) copyLine(r *dynamo.Relation) screen.Command {
	return screen.Command{
		Action: keymap.CopyLine, Why: func() string {
			if r == nil {
				return "no lock protects this attribute"
			}
			_, why := words.Command(s.owner, r)
			return why
		},
		Run: func() tea.Cmd { line, _ := words.Command(s.owner, r); return s.CopyLine(line) },
	}
}

// values are the protected values that a change could be about: the selected one,
// or all of the account's.
func (s *Screen) values() []*dynamo.Relation {
	if row, ok := s.selected(); ok && row.rel != nil {
		return []*dynamo.Relation{row.rel}
	}
	if s.in == nil {
		return nil
	}
	return s.in.Values
}

// whyAccount says why the item is not changed as an account.
func (s *Screen) whyAccount() string {
	if len(s.values()) == 0 {
		return "this is no account with a protected value"
	}
	return s.WhyPlan(s.table, client.Update, client.Put, client.Delete)
}

// whyChange says why none of the account's values is changed.
func (s *Screen) whyChange() string {
	if all := s.values(); len(all) > 0 && !slices.ContainsFunc(all, func(r *dynamo.Relation) bool { return !r.Constraint.Lockless() }) {
		return session.NoLocks(all[0]) + ": only the application can see to it"
	}
	return s.whyAccount()
}

// openLock opens the lock of a value.
func (s *Screen) openLock(r *dynamo.Relation) tea.Cmd {
	if !r.Lock.Exists {
		if r.Constraint.Lockless() {
			return s.Say(words.Sentence(session.NoLocks(r)))
		}
		return s.Say("No lock keeps this value.")
	}
	return s.Send(message.OpenItem{Owner: s.owner, Table: r.Lock.Table, Key: r.Lock.Key})
}

// About implements screen.Screen.
func (s *Screen) About() string { return "an item" }
