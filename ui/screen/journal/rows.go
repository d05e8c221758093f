package journal

import (
	record "tallylock/dynamo/change/journal"
	"tallylock/ui/kit"
)

// shown is the receipts that the filter left, and the cursor among them.
type shown struct {
	list kit.List
	rows []row
	open int // of rows
}

func (s *shown) lines() list { return list{rows: s.rows, open: s.open} }

// at is the number of the selected row; −1 where none is.
func (s *shown) at() int {
	if at := s.lines().at(s.list.Cursor); !s.list.Lost && at < len(s.rows) {
		return at
	}
	return -1
}

func (s *shown) selected() *record.Record {
	if at := s.at(); at >= 0 {
		return s.rows[at].Record
	}
	return nil
}
