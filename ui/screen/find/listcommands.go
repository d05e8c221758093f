package find

import (
	"cmp"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/dialog/change"
	"tallylock/ui/dialog/save"
	"tallylock/ui/record"
	"tallylock/ui/say"
	"tallylock/ui/screen"
)

// Commands implements screen.Screen.
func (s *List) Commands() screen.Commands {
	if !s.begun {
		return screen.Commands{
			{Action: keymap.Open, Words: "read them", Why: func() string { return s.WhyBudget(s.price()) }, Run: s.begin},
			{Action: keymap.Find, Words: "ask another"},
			{Action: keymap.Back, Words: "back"},
		}
	}
	at := screen.ValueRow{Relation: s.selected().rel, None: s.selected().why()}
	mark, to := s.marking(at)
	open := screen.Command{Action: keymap.Open, Words: "open", Full: "open its answer", Run: s.openOne}
	rows := screen.Commands{open, mark, to}
	if len(s.Marks.Order) > 0 { // the likeliest next command marks the end of the range
		rows = screen.Commands{to, open, mark}
	}
	return slices.Concat(
		screen.Policies(s.Session, s.err),
		s.touching(change.RepairsMarked(s.Session, s.Table, at)),
		screen.Commands{s.reading()}, rows,
		screen.Copies(s.Session, at.Copied(s.Session)),
		screen.Commands{s.saving(), {Action: keymap.Find, Words: "ask another"}, {Action: keymap.Back, Words: "back"}},
		s.touching(change.Changes(s.Session, s.Table, at)),
		screen.Commands{{Action: keymap.Reload, Full: "read all again", Run: s.again, Why: screen.WhyIf(s.busy(), "the values are being read")}},
	)
}

// touching makes commands that change something remember their rows first.
func (s *List) touching(all screen.Commands) screen.Commands {
	for n, c := range all {
		if c.Run == nil || c.Action == keymap.Undo { // the last change is about the same rows as before
			continue
		}
		all[n].Run = func() tea.Cmd {
			s.touch()
			return c.Run()
		}
	}
	return all
}

// reading returns the command that reads the rest: values that are not read, or else the whole table.
func (s *List) reading() screen.Command {
	c := screen.Command{Action: keymap.Pause, Words: "read the rest", Run: s.rest}
	switch unread, unknown := len(s.unread()), len(s.unknown()); {
	case s.busy():
		c.Why = screen.WhyIf(true, "the values are being read")
	case s.WhyBudget(s.restPrice()) != "":
		c.Why = func() string { return s.WhyBudget(s.restPrice()) }
	case unread > 0:
		c.Full = "read " + phrase.Count(unread, "more value")
	case unknown > 0 && s.denied():
		c.Why = screen.WhyIf(true, "the permission dynamodb:Scan is denied")
	case unknown > 0:
		c.Words, c.Full = "read all", "read the whole table"
	case s.incomplete():
		c.Why = screen.WhyIf(true, "an answer is incomplete, and reading the whole table does not complete it")
	default:
		c.Why = screen.WhyIf(true, "the answers are complete")
	}
	return c
}

// marking returns the commands that mark locks, in order to release several together.
func (s *List) marking(at screen.ValueRow) (mark, to screen.Command) {
	lines := s.lines()
	why := func(r *verdict.Relation) string { return change.WhyMark(s.Session, r) }
	return screen.Marking[*verdict.Relation]{
		Session: s.Session, List: &s.list, Lines: lines, Row: lines.relation, Any: len(s.Marks.Order) > 0,
		Has: s.Marks.Has, Toggle: s.Marks.Toggle, Why: why, Noun: "lock", Done: "released",
	}.Commands(screen.Command{Words: "mark", Full: "mark to release", Why: at.Why(why)})
}

// saving returns the command that saves the list to a file.
func (s *List) saving() screen.Command {
	none := len(s.relations()) == 0
	return screen.Command{
		Action: keymap.Save, Words: "save", Full: "save the list to a file",
		Why: func() string { return cmp.Or(s.WhyNoFiles(), screen.WhyIf(none, "there is nothing to save")()) }, Run: s.save,
	}
}

// relations returns the verdicts of the list.
func (s *List) relations() (out []*verdict.Relation) {
	for _, r := range s.rows {
		if r.rel != nil {
			out = append(out, r.rel)
		}
	}
	return out
}

// save asks for a file for the list.
func (s *List) save() tea.Cmd {
	table := s.Table.Name
	return save.Ask(s.Session, save.List("Save the list", filepath.Base(table)+"-found.csv", func() save.Listed {
		rels := s.relations()
		l := save.Listed{What: phrase.Count(len(rels), "value"), Of: " of " + table}
		if n := len(s.unread()); n > 0 {
			l.Tail = say.Sentence(phrase.Count(n, "value") + " not read, and left out")
		}
		l.List = func() record.List { return record.Relations(table, rels) }
		return l
	}))
}
