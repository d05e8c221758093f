package relation

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/dialog/save"
	"tallylock/ui/record"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Shown describes the rows that a list of the open table shows.
type Shown struct {
	Noun  string // the word for a row
	Count func() int
	Rows  func() []*verdict.Relation
	SoFar func() string // how much of the table is read; empty if all of it
	// WhyPart says why the list is incomplete; empty if it is complete.
	WhyPart func() string
}

// SaveCommand saves the rows of a list. If locks are marked, it saves these instead.
func SaveCommand(s *session.Session, of Shown) screen.Command {
	c := screen.Command{Action: keymap.Save, Full: "save the list to a file", Why: func() string {
		if len(s.Marks.Order) == 0 && of.Count() == 0 {
			return "there is nothing to save"
		}
		if len(s.Marks.Order) == 0 {
			return of.WhyPart()
		}
		return ""
	}}
	if len(s.Marks.Order) > 0 {
		c.Full = "save the marked to a file"
	}
	c.Run = func() tea.Cmd {
		table, name := s.Table.Name, s.Tab.Name
		file := filepath.Base(table)
		if !strings.EqualFold(file, name) {
			file += "-" + name
		}
		return save.Ask(s, save.List("Save the "+name, file+".csv", func() save.Listed {
			if n := len(s.Marks.Order); n > 0 {
				return save.Listed{
					What: phrase.Count(n, "marked lock"),
					Of:   " of " + table,
					List: func() record.List { return record.Relations(table, s.Marks.All()) },
				}
			}
			return save.Listed{
				What: phrase.Count(of.Count(), of.Noun),
				Of:   " of " + table + of.SoFar(),
				List: func() record.List { return record.Relations(table, of.Rows()) },
			}
		}))
	}
	return c
}
