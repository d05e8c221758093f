package journal

import (
	"slices"
	"time"

	record "tallylock/dynamo/change/journal"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// row is a line of the list: a change, or a text in place of one.
type row struct {
	*record.Record // nil for a text
	text           string
	number         int    // the number of the change in the list, from 1; for a text, the number of the change above it
	find           string // the text that the filter searches, in lower case
}

// rowsOf returns the rows for changes: the open ones below a heading, then a gap and the others. In the parameter
// changes, the open changes must come first.
func rowsOf(changes []row) []row {
	open := 0
	for n := range changes {
		if changes[n].number = n + 1; changes[n].Open {
			open++
		}
	}
	if open == 0 {
		return changes
	}
	heading, gap := row{text: say.OpenChanges(open)}, row{number: open}
	return slices.Concat([]row{heading}, changes[:open], []row{gap}, changes[open:])
}

// lines implements the interfaces of a list for the rows.
type lines struct {
	rows   []row
	table  *kit.Table[line]
	now    time.Time
	marked map[string]bool // by receipt
}

// Len implements kit.Source.
func (s lines) Len() int { return len(s.rows) }

// Row implements kit.Source. A text cannot be selected.
func (s lines) Row(n int) (int, int, bool) { return n, n, s.rows[n].Record != nil }

// Name identifies a row by the receipt of its change.
func (s lines) Name(n int) string {
	if s.rows[n].Record == nil {
		return kit.NameEnds
	}
	return s.rows[n].Receipt + kit.NameEnds
}

// record returns the change in a line; nil for a text, or if there is no such line.
func (s lines) record(n int) *record.Record {
	if n < 0 || n >= len(s.rows) {
		return nil
	}
	return s.rows[n].Record
}

// Marked implements kit.Markable.
func (s lines) Marked(n int) bool {
	return len(s.marked) > 0 && s.rows[n].Record != nil && s.marked[s.rows[n].Receipt]
}

// Problem reports whether a change was not applied.
func (s lines) Problem(n int) bool {
	r := s.rows[n].Record
	return r != nil && !say.Outcome(r).Quiet
}

// first returns the line of the first change.
func (s lines) first() int {
	return max(slices.IndexFunc(s.rows, func(r row) bool { return r.Record != nil }), 0)
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
		Draw:  func(l *kit.Line, r line, w int) { l.Fit(kit.Muted, say.Maker(r.Record), w) },
	},
	{Head: "OUTCOME", Cells: 13, Draw: func(l *kit.Line, r line, _ int) { say.Outcome(r.Record).Draw(l) }},
}

// Draw implements kit.Source.
func (s lines) Draw(l *kit.Line, n int, _ bool) {
	if r := s.rows[n]; r.Record != nil {
		s.table.Draw(l, line{r, s.now})
	} else {
		l.Words(kit.Warn, r.text, l.Width-l.At-1)
	}
}
