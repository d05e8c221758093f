package ui

import (
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/ui/kit"
	"tallylock/ui/words"
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

func (s rawList) Draw(l *kit.Line, n int, _ bool) {
	row := s.rows[n]
	l.Fit(kit.Strong, row.key.String(), s.key)
	l.To(2 + s.key + 2)
	first := true
	for _, name := range row.item.Names() {
		if name == row.key.Hash.Name || name == row.key.Range.Name {
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
		v := row.item[name]
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

// layout is what the rows are made by; nil where there are none.
func (a *app) openLayout() *layout.Layout {
	switch {
	case a.Table != nil:
		return a.Table.Layout
	case a.browse != nil:
		return a.browse.view.Layout
	}
	return nil
}

// toItem puts the cursor on the values of an item that was shown as it is, or on the value
// that it locks; at the top, where nobody has moved it, it stays there. Where neither is shown
// nothing is selected.
func (s *accountsScreen) toItem(key attr.Key) {
	before := s.list.Cursor
	if before == 0 {
		s.list.Put(0)
		return
	}
	rows, _ := s.rows(80).(relationList)
	at := slices.IndexFunc(rows.rows, func(row relationRow) bool {
		return row.rel.Account != nil && row.rel.Account.Key.Equal(key) || row.rel.Lock.Key.Equal(key)
	})
	if at >= 0 {
		s.list.Put(at)
		return
	}
	s.list.Put(before)
	s.list.Lost, s.list.At = true, before
}
