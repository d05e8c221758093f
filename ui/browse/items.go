package browse

import (
	"tallylock/dynamo/attr"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// ItemRow is an item that is shown as it is.
type ItemRow struct {
	Item attr.Item
	Key  attr.Key
}

// ItemRows are items with their keys; what has none by the schema is left out.
func ItemRows(items []attr.Item, schema attr.Schema) []ItemRow {
	out := make([]ItemRow, 0, len(items))
	for _, item := range items {
		if k, ok := schema.KeyOf(item); ok {
			out = append(out, ItemRow{item, k})
		}
	}
	return out
}

// ItemList shows items as they are.
type ItemList struct {
	Rows  []ItemRow
	Table *kit.Table[ItemRow]
}

// ItemColumns are those of a list of items: the key, then the other attributes.
var ItemColumns = []kit.Column[ItemRow]{
	{Head: "KEY", Cells: 26, Min: 24, Max: 60, Grow: 1, Draw: func(l *kit.Line, row ItemRow, w int) { l.Fit(kit.Strong, row.Key.String(), w) }},
	{Head: "ATTRIBUTES", Cells: 50, Min: 30, Grow: 2, Gap: 2, Draw: drawAttributes},
}

// Len implements kit.Source.
func (s ItemList) Len() int { return len(s.Rows) }

// Row implements kit.Source.
func (s ItemList) Row(n int) (int, int, bool) { return n, n, true }

// Name implements kit.Named.
func (s ItemList) Name(n int) string { return s.Rows[n].Key.ID() }

// Draw implements kit.Source.
func (s ItemList) Draw(l *kit.Line, n int, _ bool) { s.Table.Draw(l, s.Rows[n]) }

func drawAttributes(l *kit.Line, row ItemRow, _ int) {
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
			if text := words.FitNumber(v.Text, room); kit.Width(text) <= room {
				l.Put(kit.Text, text)
			}
			continue
		}
		l.Fit(kit.Text, v.Display(), room)
	}
}
