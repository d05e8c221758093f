package relation

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Acts are what can be done with the selected value of the open table, on accounts and locks
// alike. other goes to its other side.
func Acts(s *session.Session, at Row, other screen.Command) screen.Commands {
	r := at.Relation
	repairs := Repairs(s, r)
	if n := len(s.Marks.Order); n > 0 {
		repairs[0] = screen.Command{
			Action: keymap.Release, Words: s.Marks.ReleaseHint(), Full: "release " + phrase.Count(n, "marked lock"),
			Why: s.WhyReleases, Run: func() tea.Cmd { return s.Send(message.Release{}) },
		}
	}
	return slices.Concat(repairs, screen.Commands{
		{
			Action: keymap.Open, Words: "open", Full: "open the item", Why: func() string { return WhyItem(r) },
			Run: func() tea.Cmd { return s.Send(itemOf(s, at)) },
		},
		other,
	}, marking(s, at), screen.Commands{{
		Action: keymap.Copy, Words: "copy", Full: "copy the value", Why: screen.WhyIf(r == nil, noneSelected),
		Run: func() tea.Cmd { return s.Copy("the value", r.Value) },
	}})
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
