package accounts

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/keymap"
	"tallylock/ui/items"
	"tallylock/ui/relation"
	"tallylock/ui/screen"
)

// saving saves what is listed: values with their locks, or items as they are.
func (s *Screen) saving() screen.Command {
	if s.reading.Raw() {
		return screen.Command{
			Action: keymap.Save, Full: "save the list to a file", Why: func() string { return whySaved(s) },
			Run: func() tea.Cmd {
				table := s.Table
				of := func() string { return " of " + table.Name + s.reading.SoFar() }
				return s.Send(items.ToSave(table, of, func() []items.Row { return s.listed().items }))
			},
		}
	}
	return relation.SaveCommand(s.Session, relation.Shown{
		Noun: "value", Count: func() int { return s.rows().Len() }, SoFar: s.reading.SoFar, WhyPart: s.WhyPart,
		Rows: func() []*dynamo.Relation {
			shown, _ := s.rows().(relationList)
			out := make([]*dynamo.Relation, len(shown.rows))
			for n, row := range shown.rows {
				out[n] = row.Relation
			}
			return out
		},
	})
}

// whySaved says why the items are not saved.
func whySaved(s *Screen) string {
	if len(s.listed().items) == 0 {
		return "there is nothing to save"
	}
	return s.WhyPart()
}
