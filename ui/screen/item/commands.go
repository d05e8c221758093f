package item

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/dialog/change"
	"tallylock/ui/say"
	"tallylock/ui/screen"
)

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	row, ok := s.selected()
	fold := map[bool]string{true: "fold", false: "show all"}
	lock := screen.WhyIf(row.rel == nil, noLock)
	return slices.Concat(screen.Policies(s.Session, s.err), repairs(s), screen.Commands{
		{
			Action: keymap.Open,
			Words:  fold[s.open[row.path]],
			Why:    screen.WhyIf(!ok || row.text == "" && !row.cut(s.width), "all of this value is shown"),
			Run:    s.fold,
		},
	}, screen.Copies(s.Session, copied(s, row)), screen.Commands{
		{Action: keymap.OtherSide, Words: "its lock", Why: lock, Run: func() tea.Cmd { return s.openLock(row.rel) }},
		{
			Action: keymap.ChangeValue,
			Words:  "change value",
			Full:   "change a value",
			Why:    s.whyChange,
			Run:    func() tea.Cmd { return change.AskValue(s.Session, s.owner, s.values()...) },
		},
		{
			Action: keymap.DeleteAccount,
			Full:   "delete with its locks",
			Why:    s.whyAccount,
			Run:    func() tea.Cmd { return change.AskDelete(s.Session, s.owner, s.values()[0]) },
		},
		change.UndoLast(s.Session),
		{Action: keymap.Reload, Words: "read again", Run: func() tea.Cmd { return s.Reading(0, s.Refresh) }},
		{Action: keymap.Back, Words: "back"},
	})
}

// repairs returns the commands that repair the item: as a counter, as a lock, or by the lock of the
// selected attribute.
func repairs(s *Screen) screen.Commands {
	if s.counter != nil {
		return change.CounterRepairs(s.Session, *s.counter, false, "")
	}
	r := s.about()
	if r == nil || s.in == nil || s.in.Item == nil {
		none := screen.WhyIf(true, noLock)
		return screen.Commands{{Action: keymap.Release, Why: none}, {Action: keymap.Mend, Why: none}}
	}
	return change.Repairs(s.Session, s.owner, screen.ValueRow{Relation: r})
}

// copied describes the selected value and the item for copying. The command to copy is about the
// selected value's lock.
func copied(s *Screen, row line) screen.Selected {
	out := screen.Selected{
		None: "there is nothing to copy",
		Key:  func() (attr.Key, string) { return s.key, "" },
		Command: func() (string, string) {
			if row.rel == nil {
				return "", noLock
			}
			return say.Command(s.owner, row.rel)
		},
	}
	if s.in != nil && s.in.Item != nil {
		out.Cell = screen.Form{
			Hint:  "copy value",
			Words: "the value",
			Name:  "the value of " + row.name,
			Text:  func() (string, error) { return row.value.Display(), nil },
		}
		out.Whole = screen.JSON("the item", s.in.Item)
		out.Whole.Hint = "copy item"
	}
	return out
}

const noLock = "no lock protects this attribute"

// values returns the protected values that a change could apply to: the selected one, or all values
// of the account.
func (s *Screen) values() []*verdict.Relation {
	if row, ok := s.selected(); ok && row.rel != nil {
		return []*verdict.Relation{row.rel}
	}
	if s.in == nil {
		return nil
	}
	return s.in.Values
}

// whyAccount says why the item cannot be changed as an account.
func (s *Screen) whyAccount() string {
	if len(s.values()) == 0 {
		return "this is no account with a protected value"
	}
	return s.WhyPlan(s.table, client.Update, client.Put, client.Delete)
}

// whyChange says why no value of the account can be changed.
func (s *Screen) whyChange() string {
	if all := s.values(); len(all) > 0 &&
		!slices.ContainsFunc(all, func(r *verdict.Relation) bool { return !r.Constraint.Lockless() }) {
		return say.NoLocks(all[0]) + ": only the application can see to it"
	}
	return s.whyAccount()
}

// openLock opens the lock of a value.
func (s *Screen) openLock(r *verdict.Relation) tea.Cmd {
	if !r.Lock.Exists {
		if r.Constraint.Lockless() {
			return s.Say(say.Sentence(say.NoLocks(r)))
		}
		return s.Say("No lock keeps this value.")
	}
	return s.Send(screen.Item{Owner: s.owner, Table: r.Lock.Table, Key: r.Lock.Key})
}

// About implements screen.Screen.
func (s *Screen) About() string { return "an item" }
