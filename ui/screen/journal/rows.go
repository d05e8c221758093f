package journal

import (
	"time"

	record "tallylock/dynamo/change/journal"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// shown holds the changes that pass the filter, and the cursor.
type shown struct {
	list kit.List
	rows []row
	open int // counts the open changes; they are the first rows
}

func (s *shown) lines() list { return list{rows: s.rows, open: s.open} }

// at returns the index of the selected row; −1 if no row is selected.
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

// list implements the interfaces of a list for the changes: the open ones under a
// heading, then a gap and the others.
type list struct {
	rows  []row
	open  int
	table *kit.Table[line]
	now   time.Time
}

// Len counts the lines, with the heading and the gap if there are open changes.
func (s list) Len() int {
	if s.open == 0 {
		return len(s.rows)
	}
	return len(s.rows) + 2
}

// at returns the index of the row at line n; −1 for the heading and the gap.
func (s list) at(n int) int {
	switch {
	case s.open == 0:
		return n
	case n == 0 || n == s.open+1:
		return -1
	case n <= s.open:
		return n - 1
	}
	return n - 2
}

// first returns the line of the first row.
func (s list) first() int { return min(s.open, 1) }

// Name identifies a line by the receipt of its change. The heading and the gap have an empty name.
func (s list) Name(n int) string {
	if at := s.at(n); at >= 0 && at < len(s.rows) {
		return s.rows[at].Receipt + kit.NameEnds
	}
	return kit.NameEnds
}

func (s list) Row(n int) (int, int, bool) { return n, n, s.at(n) >= 0 }

func (s list) Problem(n int) bool {
	i := s.at(n)
	return i >= 0 && !say.Outcome(s.rows[i].Record).Quiet
}

// line is a row to draw. now is the current time.
type line struct {
	row
	now time.Time
}

// columns are the list's columns. To add a column, add it here.
var columns = []kit.Column[line]{
	{Head: "WHEN", Cells: 12, Draw: func(l *kit.Line, r line, w int) { l.Words(kit.Muted, say.When(r.At, r.now), w) }},
	{
		Head:  "WHAT",
		Cells: 34,
		Min:   30,
		Grow:  2,
		Gap:   2,
		Draw:  func(l *kit.Line, r line, w int) { say.DrawChange(l, r.Record, l.At+w) },
	},
	{
		Head:  "WHY",
		Cells: 31,
		Grow:  1,
		Gap:   2,
		Spare: 3,
		Draw:  func(l *kit.Line, r line, w int) { l.Words(kit.Muted, r.Reason, w) },
	},
	{Head: "TABLE", Cells: 12, Gap: 2, Spare: 2, Draw: func(l *kit.Line, r line, w int) { l.Fit(kit.Muted, r.Table, w) }},
	{
		Head:  "BY",
		Cells: 12,
		Gap:   2,
		Spare: 1,
		Draw:  func(l *kit.Line, r line, w int) { l.Fit(kit.Muted, say.By(r.Who), w) },
	},
	{Head: "OUTCOME", Cells: 13, Draw: func(l *kit.Line, r line, _ int) { say.Outcome(r.Record).Draw(l) }},
}

func (s list) Draw(l *kit.Line, n int, _ bool) {
	switch i := s.at(n); {
	case i >= 0:
		s.table.Draw(l, line{s.rows[i], s.now})
	case n == 0:
		l.Words(kit.Warn, say.OpenChanges(s.open), l.Width-l.At-1)
	}
}
