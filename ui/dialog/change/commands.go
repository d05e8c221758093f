package change

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Repairs returns the commands that repair a value of table t: release its lock, or mend it. If both work,
// they do the same, and only Release has a hint.
func Repairs(s *session.Session, t *dynamo.Table, at screen.ValueRow) screen.Commands {
	release := screen.Command{
		Action: keymap.Release, Words: "release", Full: "release the lock", Why: at.Why(s.WhyRelease),
		Run: func() tea.Cmd { return AskRelease(s, t, at.Relation) },
	}
	mend := screen.Command{
		Action: keymap.Mend, Why: at.Why(s.WhyMend), Run: func() tea.Cmd { return AskMend(s, t, at.Relation) },
	}
	if word := s.MendWord(at.Relation); word != "mend" || release.Refuses() != "" {
		mend.Words, mend.Full = word, word+" it"
	}
	return screen.Commands{release, mend}
}

// CounterRepairs returns the commands that change a counter: bump it, or mend it. used is true if an application
// uses the counter now. not is the reason why no counter can be changed; empty if one can.
func CounterRepairs(s *session.Session, c counter.Counter, used bool, not string) screen.Commands {
	why := func(why func(counter.Counter) string) func() string {
		if not != "" {
			return screen.WhyIf(true, not)
		}
		return func() string { return why(c) }
	}
	return screen.Commands{
		{
			Action: keymap.Bump, Words: "bump", Full: "bump, reserve, raise", Why: why(s.WhyBump),
			Run: func() tea.Cmd { return AskBump(s, c, used) },
		},
		{
			Action: keymap.Mend, Words: "mend", Full: "mend it", Why: why(s.WhyMendCounter),
			Run: func() tea.Cmd { return AskMendCounter(s, c, used) },
		},
	}
}

// Changes returns the other commands that change an account of table t: its selected value, or one of all its
// values. more has the other values, if a person has not selected one.
func Changes(s *session.Session, t *dynamo.Table, at screen.ValueRow, more ...*verdict.Relation) screen.Commands {
	hasLocks := func(r *verdict.Relation) bool { return !r.Constraint.Lockless() }
	return screen.Commands{
		{
			Action: keymap.ChangeValue, Words: "change value", Full: "change the value",
			Why: at.Why(func(r *verdict.Relation) string {
				if !hasLocks(r) && !slices.ContainsFunc(more, hasLocks) {
					return say.NoLocks(r) + ": only the application can see to it"
				}
				return s.WhyAccount(t.Name, r, client.Update, client.Put, client.Delete)
			}),
			Run: func() tea.Cmd { return AskValue(s, t, append([]*verdict.Relation{at.Relation}, more...)...) },
		},
		{
			Action: keymap.DeleteAccount, Full: "delete with its locks",
			Why: at.Why(func(r *verdict.Relation) string { return s.WhyAccount(t.Name, r, client.Delete) }),
			Run: func() tea.Cmd { return AskDelete(s, t, at.Relation) },
		},
		UndoLast(s),
	}
}

// UndoLast returns the command that undoes the last change made here.
func UndoLast(s *session.Session) screen.Command {
	return screen.Command{
		Action: keymap.Undo,
		Full:   "undo the last change",
		Why:    s.WhyUndoLast,
		Run:    func() tea.Cmd { return AskUndoLast(s) },
	}
}
