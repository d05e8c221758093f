package accounts

import (
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/ui/browse"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// rawList shows items as they are: the key, then the other attributes.
type rawList struct {
	rows  []browse.ItemRow
	key   int // the width of the key's column
	width int
}

func (s rawList) Len() int                   { return len(s.rows) }
func (s rawList) Row(n int) (int, int, bool) { return n, n, true }

func (s rawList) Name(n int) string { return s.rows[n].Key.ID() }

func (s rawList) Draw(l *kit.Line, n int, _ bool) {
	row := s.rows[n]
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

// toItem puts the cursor on the values of an item that was shown as it is, or on the value
// that it locks; at the top, where nobody has moved it, it stays there. Where neither is shown
// nothing is selected.
func (s *Screen) toItem(key attr.Key) {
	before := s.list.Cursor
	if before == 0 {
		s.list.Put(0)
		return
	}
	rows, _ := s.rows(80).(relationList)
	at := slices.IndexFunc(rows.rows, func(row browse.AccountRow) bool {
		return row.Relation.Account != nil && row.Relation.Account.Key.Equal(key) || row.Relation.Lock.Key.Equal(key)
	})
	if at >= 0 {
		s.list.Put(at)
		return
	}
	s.list.Put(before)
	s.list.Lost, s.list.At = true, before
}
