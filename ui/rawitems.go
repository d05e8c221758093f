package ui

import (
	"tallylock/dynamo/attr"
)

// itemRow is an item of a table whose layout says nothing about it.
type itemRow struct {
	item attr.Item
	key  attr.Key
}

func itemRows(items []attr.Item, schema attr.Schema) []itemRow {
	out := make([]itemRow, 0, len(items))
	for _, item := range items {
		if k, ok := schema.KeyOf(item); ok {
			out = append(out, itemRow{item, k})
		}
	}
	return out
}

// rawList shows items as they are: the key, then the other attributes.
type rawList struct {
	rows  []itemRow
	key   int // the width of the key's column
	width int
}

func (s rawList) Len() int                   { return len(s.rows) }
func (s rawList) Row(n int) (int, int, bool) { return n, n, true }

func (s rawList) Name(n int) string { return s.rows[n].key.ID() }

func (s rawList) Draw(l *line, n int, _ bool) {
	row := s.rows[n]
	l.fit(asStrong, row.key.String(), s.key)
	l.to(2 + s.key + 2)
	first := true
	for _, name := range row.item.Names() {
		if name == row.key.Hash.Name || name == row.key.Range.Name {
			continue
		}
		if l.at >= s.width-8 {
			l.put(asMuted, " …")
			return
		}
		if !first {
			l.put(asText, "  ")
		}
		first = false
		l.fit(asMuted, name, 18)
		l.put(asText, " ")
		v := row.item[name]
		room := min(s.width-l.at-2, 30)
		if v.Kind == attr.N {
			if text := fitNumber(v.Text, room); cells(text) <= room {
				l.put(asText, text)
			}
			continue
		}
		l.fit(asText, v.Display(), room)
	}
}
