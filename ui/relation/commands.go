package relation

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/dialog/change"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Repairs returns the commands that repair a relation: release its lock, or mend it. If both work,
// they do the same, and only Release has a hint.
func Repairs(s *session.Session, t *dynamo.Table, at Row) screen.Commands {
	r := at.Relation
	release := screen.Command{
		Action: keymap.Release, Words: "release", Full: "release the lock",
		Why: func() string { return at.why(s.WhyRelease) },
		Run: func() tea.Cmd { return change.AskRelease(s, t, r) },
	}
	mend := screen.Command{
		Action: keymap.Mend,
		Why:    func() string { return at.why(s.WhyMend) },
		Run:    func() tea.Cmd { return change.AskMend(s, t, r) },
	}
	if word := s.MendWord(r); word != "mend" || release.Refuses() != "" {
		mend.Words, mend.Full = word, word+" it"
	}
	return screen.Commands{release, mend}
}

// Changes returns the other commands that change a value of the open table.
func Changes(s *session.Session, at Row) screen.Commands {
	r := at.Relation
	return screen.Commands{
		{
			Action: keymap.ChangeValue, Words: "change value", Full: "change the value",
			Why: func() string {
				return at.why(func(r *verdict.Relation) string {
					if r.Constraint.Lockless() {
						return say.NoLocks(r) + ": only the application can see to it"
					}
					return s.WhyAccount(r, client.Update, client.Put, client.Delete)
				})
			},
			Run: func() tea.Cmd { return change.AskValue(s, s.Table, r) },
		},
		{
			Action: keymap.DeleteAccount, Full: "delete with its locks",
			Why: func() string {
				return at.why(func(r *verdict.Relation) string { return s.WhyAccount(r, client.Delete) })
			},
			Run: func() tea.Cmd { return change.AskDelete(s, s.Table, r) },
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
		Run:    func() tea.Cmd { return change.AskUndoLast(s) },
	}
}

// WhyItem says why a row has no item to open or copy; empty if it has one.
func WhyItem(at Row) string {
	return at.why(func(r *verdict.Relation) string {
		if r.Account == nil && !r.Lock.Exists {
			return say.NoItem
		}
		return ""
	})
}

// Selected describes the selected value of the open table, for copying.
func Selected(s *session.Session, at Row) screen.Selected {
	r := at.Relation
	if r == nil {
		return screen.Selected{None: WhyItem(at)}
	}
	out := screen.Selected{
		Cell:    screen.Form{Hint: "copy", Words: "the value", Text: screen.Plain(r.Value)},
		Command: func() (string, string) { return say.Command(s.Table, r) },
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

// RowCommands returns the commands for the selected value, on accounts and on locks, except
// copying.
func RowCommands(s *session.Session, at Row) screen.Commands {
	repairs := Repairs(s, s.Table, at)
	if len(at.Group) > 0 {
		repairs[0].Why = screen.WhyIf(true, at.None+", or mark all with "+s.Keys.Key(keymap.Mark))
	}
	if n := len(s.Marks.Order); n > 0 {
		repairs[0] = screen.Command{
			Action: keymap.Release, Words: "release " + phrase.Number(n), Full: "release " + phrase.Count(n, "marked lock"),
			Marked: true, Why: s.WhyReleases, Run: func() tea.Cmd { return change.AskReleases(s) },
		}
	}
	opening := screen.Commands{
		{
			Action: keymap.Open, Words: "open", Full: "open the item", Why: func() string { return WhyItem(at) },
			Run: func() tea.Cmd {
				if at.showsLock() {
					return s.Send(screen.Item{Owner: s.Table, Table: at.Lock.Table, Key: at.Lock.Key})
				}
				return s.Send(screen.Item{Owner: s.Table, Table: s.Table.Name, Key: at.Account.Key})
			},
		},
		otherSide(s, at),
	}
	if len(s.Marks.Order) > 0 { // marking a range comes before opening
		return slices.Concat(repairs, markCommands(s, at), opening)
	}
	return slices.Concat(repairs, opening, markCommands(s, at))
}

// otherSide returns the command that goes from an account to its lock, or from a lock to its
// account.
func otherSide(s *session.Session, at Row) screen.Command {
	r := at.Relation
	if at.OfLock {
		return screen.Command{
			Action: keymap.OtherSide, Full: "see its account", Why: func() string { return at.why(say.WhyNoAccount) },
			Run: func() tea.Cmd { return s.Send(screen.Account{Relation: r}) },
		}
	}
	return screen.Command{
		Action: keymap.OtherSide, Full: "see its lock", Why: func() string { return at.why(say.WhyNoLock) },
		Run: func() tea.Cmd { return s.Send(screen.Lock{Relation: r}) },
	}
}

// WideChanges returns Changes, without a hint on a narrow screen.
func WideChanges(s *session.Session, at Row) screen.Commands {
	out := Changes(s, at)
	if !s.Size.Wide() {
		out[0].Words, out[0].Full = "", out[0].Words
	}
	return out
}

// showsLock reports whether the row stands for its lock: if the row has no account, or if the list
// is of locks and the lock exists.
func (at Row) showsLock() bool { return at.Account == nil || at.OfLock && at.Lock.Exists }

// Lines is a list whose rows are values with their locks.
type Lines interface {
	kit.Markable
	// Relation returns the value at a line; nil for a heading, or if there is no such line.
	Relation(n int) *verdict.Relation
}

// Row is the selection in a list of values with their locks.
type Row struct {
	*verdict.Relation // nil if no value is selected
	// None says why no value is selected, or what to do about that. Empty means "nothing is
	// selected".
	None string
	// OfLock is set if the list is of locks, not of accounts.
	OfLock bool
	// Group holds the locks of the selected group heading; empty if no heading is selected.
	Group []*verdict.Relation
	// WhyPart says why Group is incomplete; empty if it is complete.
	WhyPart string
	List    *kit.List
	Lines   Lines // nil if the rows are not values
}

// why says why no value is selected. If one is selected, it returns not of that value.
func (at Row) why(not func(*verdict.Relation) string) string {
	if at.Relation == nil {
		return cmp.Or(at.None, "nothing is selected")
	}
	return not(at.Relation)
}

// markCommands mark locks, in order to release several together: one lock, all locks of a group if
// its heading is selected, or all locks between the last mark and the cursor.
func markCommands(s *session.Session, at Row) screen.Commands {
	r := at.Relation
	one := screen.Command{
		Action: keymap.Mark, Full: "mark to release", Why: func() string { return at.why(s.WhyMark) },
		Run: func() tea.Cmd {
			s.Marks.Toggle(r)
			at.List.Move(at.Lines, 1)
			return nil
		},
		With: []keymap.Action{keymap.MarkTo}, Both: "mark, all up to here",
	}
	if r == nil && len(at.Group) > 0 {
		one.Full = "mark all of the group"
		one.Why = screen.WhyIf(at.WhyPart != "", at.WhyPart)
		one.Run = func() tea.Cmd { return markAll(s, at.Group) }
	}
	to := screen.MarkTo(s, at.List, at.Lines, func(from, to int) tea.Cmd {
		var between []*verdict.Relation
		for n := from; n <= to; n++ {
			if r := at.Lines.Relation(n); r != nil && !s.Marks.Has(r) {
				between = append(between, r)
			}
		}
		return markAll(s, between)
	})
	if len(s.Marks.Order) == 0 {
		to = screen.MarkFrom(s, len(at.Group) > 0, one.Why, func() { s.Marks.Toggle(r) })
	}
	return screen.Commands{one, to}
}

// markAll marks the locks that can be marked, and says how many cannot. If all are marked already,
// it unmarks them.
func markAll(s *session.Session, all []*verdict.Relation) tea.Cmd {
	marked, left, why := 0, 0, ""
	for _, r := range all {
		if s.Marks.Has(r) {
			continue
		}
		if no := s.WhyMark(r); no != "" {
			left++
			why = no
			continue
		}
		s.Marks.Toggle(r)
		marked++
	}
	switch {
	case marked == 0 && left < len(all):
		for _, r := range all {
			if s.Marks.Has(r) {
				s.Marks.Toggle(r)
			}
		}
		return nil
	case marked == 0 && left == 1:
		return s.Say(say.Sentence("nothing marked: " + why))
	case marked == 0 && left > 1:
		return s.Say("Nothing marked: none of these " + phrase.Number(left) + " can be released.")
	case left > 0:
		said := phrase.Count(marked, "lock") + " marked. " + phrase.Count(left, "other") + " cannot be released with them"
		if left == 1 {
			said += ": " + why
		}
		return s.Say(say.Sentence(said))
	}
	return nil
}
