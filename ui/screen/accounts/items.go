package accounts

import (
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/ui/browse"
)

// toItem puts the cursor on the values of an item that was shown as it is, or on the value
// that it locks; at the top, where nobody has moved it, it stays there. Where neither is shown
// nothing is selected.
func (s *Screen) toItem(key attr.Key) {
	before := s.list.Cursor
	if before == 0 {
		s.list.Put(0)
		return
	}
	rows, _ := s.rows().(relationList)
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
