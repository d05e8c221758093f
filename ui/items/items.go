// Package items lists plain items: those of a table for which the layout finds no accounts, and
// those of a query. Start reading at List.
package items

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
	"tallylock/ui/dialog/save"
	"tallylock/ui/kit"
	"tallylock/ui/record"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Row is one item with its key.
type Row struct {
	Item attr.Item
	Key  attr.Key
}

// Rows returns items with their keys. It leaves out items without a key of the schema.
func Rows(items []attr.Item, schema attr.Schema) []Row {
	out := make([]Row, 0, len(items))
	for _, item := range items {
		if k, ok := schema.KeyOf(item); ok {
			out = append(out, Row{item, k})
		}
	}
	return out
}

// Save asks for a file for items of a table. of describes which items they are.
func Save(s *session.Session, table *dynamo.Table, of func() string, rows func() []Row) tea.Cmd {
	return save.Ask(s, save.List("Save the items", filepath.Base(table.Name)+"-items.jsonl", func() save.Listed {
		rows := rows()
		return save.Listed{What: phrase.Count(len(rows), "item"), Of: of(), List: func() record.List {
			items := make([]attr.Item, len(rows))
			for n, row := range rows {
				items[n] = row.Item
			}
			return record.Items(table.Schema, items)
		}}
	}))
}

// List is a list of plain items.
type List struct {
	Rows  []Row
	Table *kit.Table[Row]
}

// Columns are the columns of the list. To add a column, add one line here.
var Columns = []kit.Column[Row]{
	{
		Head:  "KEY",
		Cells: 26,
		Min:   24,
		Max:   60,
		Grow:  1,
		Draw:  func(l *kit.Line, row Row, w int) { l.Fit(kit.Strong, row.Key.String(), w) },
	},
	{Head: "ATTRIBUTES", Cells: 50, Min: 30, Grow: 2, Gap: 2, Draw: drawAttributes},
}

// Len implements kit.Source.
func (s List) Len() int { return len(s.Rows) }

// Row implements kit.Source.
func (s List) Row(n int) (int, int, bool) { return n, n, true }

// Name implements kit.Named.
func (s List) Name(n int) string { return s.Rows[n].Key.ID() }

// Draw implements kit.Source.
func (s List) Draw(l *kit.Line, n int, _ bool) { s.Table.Draw(l, s.Rows[n]) }

func drawAttributes(l *kit.Line, row Row, _ int) {
	first := true
	for _, name := range row.Item.Names() {
		if name == row.Key.Hash.Name || name == row.Key.Range.Name {
			continue
		}
		if l.At >= l.Width-8 {
			l.Put(kit.Muted, " …")
			return
		}
		if !first {
			l.Put(kit.Text, "  ")
		}
		first = false
		l.Fit(kit.Muted, name, 18)
		l.Put(kit.Text, " ")
		v := row.Item[name]
		room := min(l.Width-l.At-2, 30)
		if v.Kind == attr.N {
			if text := say.FitNumber(v.Text, room); kit.Width(text) <= room {
				l.Put(kit.Text, text)
			}
			continue
		}
		l.Fit(kit.Text, v.Display(), room)
	}
}

// Holds reports whether a name or a value of the item contains want, which is in lower case.
func (r Row) Holds(want string) bool {
	for name, v := range r.Item {
		if screen.Holds(want, name, v.Display()) {
			return true
		}
	}
	return false
}

// Below draws the item below the list. part says how much of the item was read; empty if all of it.
func (r Row) Below(d *kit.Block, part string) {
	d.Fact("item", kit.Text.Of(r.Key.String()))
	d.Fact("has", kit.Text.Of(phrase.Count(len(r.Item), "attribute")),
		kit.Muted.Of(", "+phrase.Count(r.Item.Size(), "byte")+part))
}

// Beside draws the item beside the list.
func (r Row) Beside(d *kit.Block, part string) {
	d.Head(1, "ITEM"+strings.ToUpper(part))
	screen.DrawItem(d, r.Item, r.Key, nil)
	d.Gap()
}

// Selected describes an item for copying. name is what the item is called, for example "the item".
func (r Row) Selected(name string) screen.Selected {
	return screen.Selected{
		Cell:  screen.Form{Hint: "copy", Words: "the key's value", Text: screen.Plain(r.Key.Hash.Value.Display())},
		Whole: screen.JSON(name, r.Item),
		Key:   func() (attr.Key, string) { return r.Key, "" },
	}
}
