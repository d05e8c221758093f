package item

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
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
	lock := screen.ValueRow{Relation: row.rel, OfLock: true, None: noLock}
	return slices.Concat(screen.Policies(s.Session, s.err), repairs(s), screen.Commands{
		{
			Action: keymap.Open,
			Words:  fold[s.open[row.path]],
			Why:    screen.WhyIf(!ok || row.text == "" && !row.cut(s.width), "the whole value is shown"),
			Run:    s.fold,
		},
	}, screen.Copies(s.Session, copied(s, row)), screen.Commands{
		{
			Action: keymap.OtherSide,
			Words:  "its lock",
			Why:    lock.Why(say.WhyNoLock),
			Run:    func() tea.Cmd { return s.Send(lock.Item(s.owner)) },
		},
	}, s.changes(), screen.Commands{
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

// changes returns the commands that change the account: the selected value, or one of all protected values.
func (s *Screen) changes() screen.Commands {
	at := screen.ValueRow{None: "this is not an account with a protected value"}
	var more []*verdict.Relation
	if row, _ := s.selected(); row.rel != nil {
		at.Relation = row.rel
	} else if s.in != nil && len(s.in.Values) > 0 {
		values := slices.Clone(s.in.Values)
		if n := slices.IndexFunc(values, func(r *verdict.Relation) bool { return !r.Unjudged }); n > 0 {
			values[0], values[n] = values[n], values[0] // the first value stands for the account
		}
		at.Relation, more = values[0], values[1:]
	}
	out := change.Changes(s.Session, s.owner, at, more...)
	out.Change(keymap.ChangeValue, func(c *screen.Command) { c.Full = "change a value" })
	return out
}

// About implements screen.Screen.
func (s *Screen) About() string { return "an item" }
