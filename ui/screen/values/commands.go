package values

import (
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/dialog/change"
	"tallylock/ui/dialog/save"
	"tallylock/ui/items"
	"tallylock/ui/reading"
	"tallylock/ui/record"
	"tallylock/ui/say"
	"tallylock/ui/screen"
)

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	rows, at := s.rows().Len(), s.value()
	none := screen.WhyIf(s.raw(), "the layout is unknown, so no problem can be found")
	next := screen.Command{Action: keymap.NextProblem, Why: none}
	only, sort := reading.Only(&s.Narrowing, none), s.sorting()
	if s.reading.Counts().Broken > 0 {
		next.Words = "next problem"
	}
	if s.ofLocks() || at.Relation != nil && s.Size.Wide() {
		only.Words = only.Full
	}
	if at.Relation != nil && s.Size.Wide() {
		sort.Words = "sort"
	}
	steps := screen.Commands{next, {Action: keymap.PreviousProblem, Why: none}}
	looks := screen.Commands{only, reading.Filtering(&s.Narrowing, rows)}
	if s.ofLocks() {
		steps, looks = slices.Concat(screen.Commands{s.folding()}, looks, steps), nil
	} else {
		looks = append(looks, s.folding())
	}
	find := screen.Command{Action: keymap.Find, Words: "find"}
	if s.raw() {
		find = screen.Command{Action: keymap.SearchRows, Words: "filter", Full: "filter rows", Run: s.Narrowing.Open}
	}
	return slices.Concat(
		reading.Refused(s.reading, rows),
		s.untilOpen(s.pointing(), screen.Commands{find}, s.about(at)),
		s.copies(at),
		s.untilOpen(steps),
		reading.Commands(s.reading),
		s.untilOpen(looks, screen.Commands{sort, s.saving()}, s.changes(at)),
	)
}

// pointing returns the commands that list raw items, and take the selected one as an example.
func (s *Screen) pointing() screen.Commands {
	listed := s.Examples.On || s.Table == nil || s.Table.Layout.Empty()
	begin := screen.Command{
		Action: keymap.Examples, Full: "choose examples",
		Why: screen.WhyIf(listed, "the items are listed: choose an account with "+s.Keys.Key(keymap.IsAccount)),
		Run: func() tea.Cmd { return s.Send(screen.Examples{}) },
	}
	if !s.raw() {
		return screen.Commands{begin}
	}
	point := items.Pointing{Session: s.Session, Table: s.Table}
	if row, ok := s.item(); ok {
		point.Row = &row
	}
	return append(point.Commands(), begin)
}

// value returns the selected value.
func (s *Screen) value() screen.ValueRow {
	at := screen.ValueRow{Relation: s.selected(), OfLock: s.ofLocks()}
	if _, ok := s.item(); ok {
		at.None = "without a layout, no lock is recognised"
		if s.Examples.On {
			at.None = "items are listed: " + s.Keys.Key(keymap.Back) + " goes back to the values"
		}
	} else if s.ofLocks() && !s.list.Lost {
		at.None = "select a lock"
	}
	return at
}

// heading returns the locks of the selected heading; nil if no heading is selected.
func (s *Screen) heading() []*verdict.Relation {
	if g, i := s.values().Of(s.list.Cursor); i < 0 && !s.list.Lost {
		return g.relations
	}
	return nil
}

// untilOpen refuses commands that need an open table, while rows are shown before the table is open.
func (s *Screen) untilOpen(all ...screen.Commands) screen.Commands {
	out := slices.Concat(all...)
	if s.reading.Unjudged() {
		for n := range out {
			out[n].Why = s.reading.NoTable
		}
	}
	return out
}

// about returns the commands for the selected value, heading or raw item, except copying.
func (s *Screen) about(at screen.ValueRow) screen.Commands {
	opening := screen.Commands{s.opening(at), s.otherSide(at)}
	if len(s.Marks.Order) > 0 { // marking a range comes before opening
		return slices.Concat(s.repairs(at), s.marking(at), opening)
	}
	return slices.Concat(s.repairs(at), opening, s.marking(at))
}

// repairs returns the commands that repair the selected value, or release the marked locks.
func (s *Screen) repairs(at screen.ValueRow) screen.Commands {
	out := change.RepairsMarked(s.Session, s.Table, at)
	if len(s.Marks.Order) == 0 && len(s.heading()) > 0 {
		out.Change(keymap.Release, func(c *screen.Command) {
			c.Why = screen.WhyIf(true, at.None+", or mark all with "+s.Keys.Key(keymap.Mark))
		})
	}
	return out
}

// opening returns the command that opens the item of the selected row, or folds the group of a heading.
func (s *Screen) opening(at screen.ValueRow) screen.Command {
	open := screen.Command{Action: keymap.Open, Words: "open", Full: "open the item"}
	row, isItem := s.item()
	switch {
	case isItem:
		open.Run = func() tea.Cmd {
			return s.Send(screen.Item{Owner: s.Table, Table: s.Table.Name, Key: row.Key})
		}
	case at.Relation == nil && s.ofLocks():
		open.Words, open.Full, open.Run = "", "open or fold the group", s.fold
	default:
		open.Why = at.WhyItem
		open.Run = func() tea.Cmd {
			return s.Send(at.Item(s.Table))
		}
	}
	return open
}

// otherSide returns the command that goes from an account to its lock, or from a lock to its account.
func (s *Screen) otherSide(at screen.ValueRow) screen.Command {
	if s.ofLocks() {
		return screen.Command{
			Action: keymap.OtherSide, Full: "see its account", Why: at.Why(say.WhyNoAccount),
			Run: func() tea.Cmd { return s.Send(screen.Account{Relation: at.Relation}) },
		}
	}
	return screen.Command{
		Action: keymap.OtherSide, Full: "see its lock", Why: at.Why(say.WhyNoLock),
		Run: func() tea.Cmd { return s.Send(screen.Lock{Relation: at.Relation}) },
	}
}

// copies returns the commands that copy the selected value or item. Copying a shell command needs an open table.
func (s *Screen) copies(at screen.ValueRow) screen.Commands {
	of := at.Copied(s.Session)
	if row, ok := s.item(); ok {
		of = row.Selected("the item")
	}
	if s.reading.Unjudged() {
		of.Command = func() (string, string) { return "", s.reading.NoTable() }
	}
	return screen.Copies(s.Session, of)
}

// changes returns the commands that change the selected value, without a hint on a narrow screen.
func (s *Screen) changes(at screen.ValueRow) screen.Commands {
	out := change.Changes(s.Session, s.Table, at)
	if !s.Size.Wide() {
		out.Change(keymap.ChangeValue, func(c *screen.Command) { c.Words, c.Full = "", c.Words })
	}
	return out
}

// sorting returns the command that sorts accounts. Locks have one order.
func (s *Screen) sorting() screen.Command {
	c := screen.Command{Action: keymap.Sort, Full: "another order", Run: s.sort}
	switch {
	case s.ofLocks() && s.reading.Small():
		c.Why = screen.WhyIf(true, "sorted by key")
	case s.ofLocks():
		c.Why = screen.WhyIf(true, "sorted by prefix, then as read")
	default:
		c.Why = screen.WhyIf(!s.reading.Read() || s.reading.Unjudged() || s.raw(), "there is nothing to sort")
	}
	return c
}

// folding returns the command that folds a group of locks.
func (s *Screen) folding() screen.Command {
	return screen.Command{
		Action: keymap.Fold, Words: "fold", Full: "fold a group",
		Why: screen.WhyIf(!s.ofLocks(), "only locks are grouped"), Run: s.fold,
	}
}

// saving returns the command that saves the listed rows to a file: the marked locks, all values that pass the
// filter, or raw items.
func (s *Screen) saving() screen.Command {
	marked, count := s.Marks.All(), s.listed().Len()
	c := screen.Command{Action: keymap.Save, Full: "save the list to a file", Run: s.save}
	switch {
	case s.WhyNoFiles() != "":
		c.Why = s.WhyNoFiles
	case len(marked) > 0:
		c.Full = "save the marked rows to a file"
	case count == 0:
		c.Why = screen.WhyIf(true, "there is nothing to save")
	default:
		c.Why = s.WhyPart
	}
	return c
}

// save asks for a file for the listed rows, or for the marked locks.
func (s *Screen) save() tea.Cmd {
	table := s.Table
	of := func() string { return " of " + table.Name + s.reading.SoFar() }
	if s.raw() {
		return items.Save(s.Session, table, of, func() []items.Row { return s.listed().items })
	}
	file := filepath.Base(table.Name)
	if !strings.EqualFold(file, s.tab.Name) {
		file += "-" + s.tab.Name
	}
	return save.Ask(s.Session, save.List("Save the "+s.tab.Name, file+".csv", func() save.Listed {
		rows, l := s.all, save.Listed{What: phrase.Count(s.listed().Len(), s.noun), Of: of()}
		if n := len(s.Marks.Order); n > 0 {
			rows, l = s.Marks.All, save.Listed{What: phrase.Count(n, "marked lock"), Of: " of " + table.Name}
		}
		l.List = func() record.List { return record.Relations(table.Name, rows()) }
		return l
	}))
}

// marking returns the commands that mark locks, in order to release several together.
func (s *Screen) marking(at screen.ValueRow) screen.Commands {
	lines, heading := s.values(), s.heading()
	why := func(r *verdict.Relation) string { return change.WhyMark(s.Session, r) }
	one := screen.Command{Full: "mark to release", Why: at.Why(why)}
	if len(heading) > 0 {
		one.Full, one.Why = "mark all of the group", s.WhyPart
	}
	mark, to := screen.Marking[*verdict.Relation]{
		Session: s.Session, List: &s.list, Lines: lines, Row: lines.Relation, Group: heading, Any: len(s.Marks.Order) > 0,
		Has: s.Marks.Has, Toggle: s.Marks.Toggle, Why: why, Noun: "lock", Done: "released",
	}.Commands(one)
	return screen.Commands{mark, to}
}
