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
// Where both can be done, releasing it is what mends it.
func Repairs(s *session.Session, t *dynamo.Table, at Row) screen.Commands {
	r := at.Relation
	release := screen.Command{
		Action: keymap.Release, Words: "release", Full: "release the lock",
		Why: func() string { return at.why(s.WhyRelease) },
		Run: func() tea.Cmd { return s.Send(message.Release{Table: t, Relation: r}) },
	}
	mend := screen.Command{
		Action: keymap.Mend,
		Why:    func() string { return at.why(s.WhyMend) },
		Run:    func() tea.Cmd { return s.Send(message.Mend{Table: t, Relation: r}) },
	}
	if word := s.MendWord(r); word != "mend" || release.Refuses() != "" {
		mend.Words, mend.Full = word, word+" it"
	}
	return screen.Commands{release, mend}
}

// Changes are what else can be done with a value of the open table.
func Changes(s *session.Session, at Row) screen.Commands {
	r := at.Relation
	return screen.Commands{
		{
			Action: keymap.ChangeValue, Words: "change value", Full: "change the value",
			Why: func() string { return at.why(func(r *dynamo.Relation) string { return whyValue(s, r) }) },
			Run: func() tea.Cmd {
				return s.Send(message.ChangeValue{Table: s.Table, Values: []*dynamo.Relation{r}})
			},
		},
		{
			Action: keymap.DeleteAccount, Full: "delete with its locks",
			Why: func() string {
				return at.why(func(r *dynamo.Relation) string { return s.WhyAccount(r, client.Delete) })
			},
			Run: func() tea.Cmd { return s.Send(message.DeleteAccount{Table: s.Table, Relation: r}) },
		},
		UndoLast(s),
	}
}

// UndoLast is the command to undo the last change made here.
func UndoLast(s *session.Session) screen.Command {
	return screen.Command{
		Action: keymap.Undo,
		Full:   "undo the last change",
		Why:    s.WhyUndoLast,
		Run:    func() tea.Cmd { return s.Send(message.UndoLast{}) },
	}
}

func whyValue(s *session.Session, r *dynamo.Relation) string {
	if r.Constraint.Lockless() {
		return session.NoLocks(r) + ": only the application can see to it"
	}
	return s.WhyAccount(r, client.Update, client.Put, client.Delete)
}

// WhyItem says why no item of a row is opened or copied.
func WhyItem(at Row) string {
	return at.why(func(r *dynamo.Relation) string {
		if r.Account == nil && !r.Lock.Exists {
			return Neither
		}
		return ""
	})
}

// Neither says that there is no item to do anything with.
const Neither = "there is neither an account nor a lock"

// Selected is what is selected of the open table, in a list of values.
func Selected(s *session.Session, at Row) screen.Selected {
	r := at.Relation
	if r == nil {
		return screen.Selected{None: WhyItem(at)}
	}
	out := screen.Selected{
		Cell:    screen.Form{Hint: "copy", Words: "the value", Text: screen.Plain(r.Value)},
		Command: func() (string, string) { return words.Command(s.Table, r) },
	}
	why, key := WhyItem(at), attr.Key{}
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
