package relation

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Acts are what can be done with the selected value of the open table, on accounts and locks
// alike, but for copying it.
func Acts(s *session.Session, at Row) screen.Commands {
	r := at.Relation
	repairs := Repairs(s, s.Table, r)
	if n := len(s.Marks.Order); n > 0 {
		repairs[0] = screen.Command{
			Action: keymap.Release, Words: s.Marks.ReleaseHint(), Full: "release " + phrase.Count(n, "marked lock"),
			Marked: true, Why: s.WhyReleases, Run: func() tea.Cmd { return s.Send(message.Release{}) },
		}
	}
	opening := screen.Commands{
		{
			Action: keymap.Open, Words: "open", Full: "open the item", Why: func() string { return WhyItem(r) },
			Run: func() tea.Cmd { return s.Send(itemOf(s, at)) },
		},
		otherSide(s, at),
	}
	if len(s.Marks.Order) > 0 { // the range's end first
		return slices.Concat(repairs, marking(s, at), opening)
	}
	return slices.Concat(repairs, opening, marking(s, at))
}

// otherSide goes from an account to its lock, and from a lock to its account.
func otherSide(s *session.Session, at Row) screen.Command {
	r := at.Relation
	if at.OfLock {
		return screen.Command{
			Action: keymap.OtherSide, Full: "see its account", Why: func() string { return selected(r, whyHolder) },
			Run: func() tea.Cmd { return s.Send(message.ShowAccount{Relation: r}) },
		}
	}
	return screen.Command{
		Action: keymap.OtherSide, Full: "see its lock", Why: func() string { return selected(r, whyLock) },
		Run: func() tea.Cmd { return s.Send(message.ShowLock{Relation: r}) },
	}
}

// whyLock says why the lock of a value is not gone to.
func whyLock(r *dynamo.Relation) string {
	switch {
	case r.Constraint.Lockless():
		return session.NoLocks(r)
	case !r.Lock.Exists:
		return "no lock keeps \"" + r.Value + "\""
	}
	return ""
}

// whyHolder says why the account of a lock is not gone to.
func whyHolder(r *dynamo.Relation) string {
	switch {
	case r.Constraint.Lockless():
		return session.NoLocks(r)
	case r.Account == nil && r.OwnerAccount == nil:
		return session.NoAccount(r)
	}
	return ""
}

// WideChanges are the Changes, whose hint needs a wide screen.
func WideChanges(s *session.Session, r *dynamo.Relation) screen.Commands {
	out := Changes(s, r)
	if !s.Size.Wide() {
		out[0].Words, out[0].Full = "", out[0].Words
	}
	return out
}

// itemOf is the item that enter opens.
func itemOf(s *session.Session, at Row) message.OpenItem {
	if at.showsLock() {
		return message.OpenItem{Owner: s.Table, Table: at.Lock.Table, Key: at.Lock.Key}
	}
	return message.OpenItem{Owner: s.Table, Table: s.Table.Name, Key: at.Account.Key}
}

// showsLock reports whether a row's item is its lock: where locks are listed, and where there
// is no account. One that does not exist is no item.
func (at Row) showsLock() bool { return at.Account == nil || at.OfLock && at.Lock.Exists }
