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

// RowCommands are the commands for the selected value of the open table, on accounts and
// locks alike, except copying.
func RowCommands(s *session.Session, at Row) screen.Commands {
	repairs := Repairs(s, s.Table, at)
	if len(at.Group) > 0 {
		repairs[0].Why = screen.WhyIf(true, at.None+", or mark all with "+s.Keys.Key(keymap.Mark))
	}
	if n := len(s.Marks.Order); n > 0 {
		repairs[0] = screen.Command{
			Action: keymap.Release, Words: s.Marks.ReleaseHint(), Full: "release " + phrase.Count(n, "marked lock"),
			Marked: true, Why: s.WhyReleases, Run: func() tea.Cmd { return s.Send(message.Release{}) },
		}
	}
	opening := screen.Commands{
		{
			Action: keymap.Open, Words: "open", Full: "open the item", Why: func() string { return WhyItem(at) },
			Run: func() tea.Cmd { return s.Send(itemOf(s, at)) },
		},
		otherSide(s, at),
	}
	if len(s.Marks.Order) > 0 { // the range's end first
		return slices.Concat(repairs, markCommands(s, at), opening)
	}
	return slices.Concat(repairs, opening, markCommands(s, at))
}

// otherSide goes from an account to its lock, or from a lock to its account.
func otherSide(s *session.Session, at Row) screen.Command {
	r := at.Relation
	if at.OfLock {
		return screen.Command{
			Action: keymap.OtherSide, Full: "see its account", Why: func() string { return at.why(whyHolder) },
			Run: func() tea.Cmd { return s.Send(message.ShowAccount{Relation: r}) },
		}
	}
	return screen.Command{
		Action: keymap.OtherSide, Full: "see its lock", Why: func() string { return at.why(whyLock) },
		Run: func() tea.Cmd { return s.Send(message.ShowLock{Relation: r}) },
	}
}

// whyLock says why there is no lock to go to; empty if there is one.
func whyLock(r *dynamo.Relation) string {
	switch {
	case r.Constraint.Lockless():
		return session.NoLocks(r)
	case !r.Lock.Exists:
		return "no lock keeps \"" + r.Value + "\""
	}
	return ""
}

// whyHolder says why there is no account to go to; empty if there is one.
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
func WideChanges(s *session.Session, at Row) screen.Commands {
	out := Changes(s, at)
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
