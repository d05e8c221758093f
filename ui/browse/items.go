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

// ItemList shows items as they are: the key, then the other attributes.
type ItemList struct {
	Rows  []ItemRow
	key   int // the width of the key's column
	width int
}

// ListItems lists items in a width.
func ListItems(rows []ItemRow, width int) ItemList {
	return ItemList{Rows: rows, key: min(max(width/3, 24), 60), width: width}
}

// Heads writes the names of the columns.
func (s ItemList) Heads(l *kit.Line) {
	l.To(2)
	l.Put(kit.Muted, "KEY")
	l.To(2 + s.key + 2)
	l.Put(kit.Muted, "ATTRIBUTES")
}

// Len implements kit.Source.
func (s ItemList) Len() int { return len(s.Rows) }

// Row implements kit.Source.
func (s ItemList) Row(n int) (int, int, bool) { return n, n, true }

// Name implements kit.Named.
func (s ItemList) Name(n int) string { return s.Rows[n].Key.ID() }

// Draw implements kit.Source.
func (s ItemList) Draw(l *kit.Line, n int, _ bool) {
	row := s.Rows[n]
	l.Fit(kit.Strong, row.Key.String(), s.key)
	l.To(2 + s.key + 2)
	first := true
	for _, name := range row.Item.Names() {
		if name == row.Key.Hash.Name || name == row.Key.Range.Name {
			continue
		}
		if l.At >= s.width-8 {
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
		room := min(s.width-l.At-2, 30)
		if v.Kind == attr.N {
			if text := words.FitNumber(v.Text, room); kit.Width(text) <= room {
				l.Put(kit.Text, text)
			}
			continue
		}
		l.Fit(kit.Text, v.Display(), room)
	}
}
