package relation

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// Repairs are what puts a relation of a table in order: its lock is released, or it is mended.
// Where both can be done, releasing it is what mends it. r may be nil.
func Repairs(s *session.Session, t *dynamo.Table, r *dynamo.Relation) screen.Commands {
	release := screen.Command{
		Action: keymap.Release, Words: "release", Full: "release the lock",
		Why: func() string { return selected(r, s.WhyRelease) },
		Run: func() tea.Cmd { return s.Send(message.Release{Table: t, Relation: r}) },
	}
	mend := screen.Command{
		Action: keymap.Mend,
		Why:    func() string { return selected(r, s.WhyMend) },
		Run:    func() tea.Cmd { return s.Send(message.Mend{Table: t, Relation: r}) },
	}
	if word := s.MendWord(r); word != "mend" || release.Refuses() != "" {
		mend.Words, mend.Full = word, word+" it"
	}
	return screen.Commands{release, mend}
}

// Changes are what else can be done with a value of the open table, which may be nil.
func Changes(s *session.Session, r *dynamo.Relation) screen.Commands {
	return screen.Commands{
		{
			Action: keymap.ChangeValue, Words: "change value", Full: "change the value",
			Why: func() string { return selected(r, func(r *dynamo.Relation) string { return whyValue(s, r) }) },
			Run: func() tea.Cmd {
				return s.Send(message.ChangeValue{Table: s.Table, Values: []*dynamo.Relation{r}})
			},
		},
		{
			Action: keymap.DeleteAccount, Full: "delete account and locks",
			Why: func() string {
				return selected(r, func(r *dynamo.Relation) string { return s.WhyAccount(r, client.Delete) })
			},
			Run: func() tea.Cmd { return s.Send(message.DeleteAccount{Table: s.Table, Relation: r}) },
		},
		UndoLast(s),
	}
}

// UndoLast undoes the last change made here.
func UndoLast(s *session.Session) screen.Command {
	return screen.Command{Action: keymap.Undo, Full: "undo the last change", Why: s.WhyUndoLast, Run: func() tea.Cmd { return s.Send(message.UndoLast{}) }}
}

// selected says that nothing is selected, or why something is not done with what is.
func selected(r *dynamo.Relation, why func(*dynamo.Relation) string) string {
	if r == nil {
		return noneSelected
	}
	return why(r)
}

const noneSelected = "nothing is selected"

func whyValue(s *session.Session, r *dynamo.Relation) string {
	if r.Constraint.Lockless() {
		return session.NoLocks(r) + ": only the application can see to it"
	}
	return s.WhyAccount(r, client.Update, client.Put, client.Delete)
}

// WhyItem says why no item of a relation, which may be nil, is opened or copied.
func WhyItem(r *dynamo.Relation) string {
	switch {
	case r == nil:
		return noneSelected
	case r.Account == nil && !r.Lock.Exists:
		return "there is neither an account nor a lock"
	}
	return ""
}

// Selected is what is selected of the open table, in a list of values.
func Selected(s *session.Session, at Row) screen.Selected {
	r := at.Relation
	if r == nil {
		return screen.Selected{None: noneSelected}
	}
	out := screen.Selected{
		Cell:    screen.Form{Hint: "copy", Words: "the value", Text: screen.Plain(r.Value)},
		Command: func() (string, string) { return words.Command(s.Table, r) },
	}
	why, key := WhyItem(r), attr.Key{}
	switch {
	case why != "":
		out.None = why
		return out
	case at.showsLock():
		out.Whole, out.Of, key = screen.JSON("the lock", r.Lock.Item), "the lock's key", r.Lock.Key
	default:
		out.Whole, out.Of, key = screen.JSON("the account", r.Account.Item), "the account's key", r.Account.Key
	}
	out.Key = func() (attr.Key, string) { return key, "" }
	return out
}
