package accounts

import (
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/record"
	"tallylock/ui/relation"
	"tallylock/ui/screen"
)

// saving saves what is listed: values with their locks, or items as they are.
func (s *Screen) saving() screen.Command {
	if s.reading.Raw() {
		return screen.Command{
			Action: keymap.Save, Full: "save the list to a file", Why: func() string { return whySaved(s) },
			Run: func() tea.Cmd { return s.Send(itemsToSave(s)) },
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

func itemsToSave(s *Screen) message.Save {
	table := s.Table
	return message.SaveList("Save the items", filepath.Base(table.Name)+"-items.jsonl", func() message.Listed {
		rows := s.listed().items
		return message.Listed{
			What: phrase.Count(len(rows), "item"),
			Of:   " of " + table.Name + s.reading.SoFar(),
			List: func() record.List {
				items := make([]attr.Item, len(rows))
				for n, row := range rows {
					items[n] = row.Item
				}
				return record.Items(table.Schema, items)
			},
		}
	})
}
