package journal

import (
	"time"

	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// list is the receipts as a list: the open ones under a heading of their
// own, then the rest.
type list struct {
	rows []row
	open int
	cols columns
	now  time.Time
}

// Len counts the heading, and the gap after the open ones.
func (s list) Len() int {
	if s.open == 0 {
		return len(s.rows)
	}
	return len(s.rows) + 2
}

// at is the number of the row at line n; −1 for a line that is none.
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

// line is the line of row n.
func (s list) line(n int) int {
	switch {
	case s.open == 0:
		return n
	case n < s.open:
		return n + 1
	}
	return n + 2
}

// Name is a change's receipt; words between the changes have none.
func (s list) Name(n int) string {
	if at := s.at(n); at >= 0 && at < len(s.rows) {
		return s.rows[at].Receipt + kit.NameEnds
	}
	return kit.NameEnds
}

func (s list) Row(n int) (int, int, bool) { return n, n, s.at(n) >= 0 }

func (s list) Problem(n int) bool {
	i := s.at(n)
	return i >= 0 && !words.Outcome(s.rows[i].Record).Quiet
}

// columns are where the columns stand; 0 for one that there is no room
// for.
type columns struct{ when, what, reason, table, by, outcome int }

func columnsOf(width int) columns {
	c := columns{when: 2, what: 16, outcome: width - 13}
	if width < 76 {
		return c
	}
	c.by = c.outcome - 13
	if width >= 90 {
		c.table = c.by - 14
	}
	if width >= 125 {
		c.reason = c.what + (c.table-c.what)*55/100
	}
	return c
}

// end is where a column ends that stands before others: before the first of them
// that is shown.
func (c columns) end(next ...int) int {
	for _, col := range next {
		if col > 0 {
			return col - 2
		}
	}
	return c.outcome - 1
}

func (c columns) heads(l *kit.Line) {
	for _, head := range []kit.Cell{
		{Column: c.when, Text: "WHEN"},
		{Column: c.what, Text: "WHAT"},
		{Column: c.reason, Text: "WHY"},
		{Column: c.table, Text: "TABLE"},
		{Column: c.by, Text: "BY"},
		{Column: c.outcome, Text: "OUTCOME"},
	} {
		if head.Column > 0 {
			kit.Heads(l, head)
		}
	}
}

func (s list) Draw(l *kit.Line, n int, _ bool) {
	i := s.at(n)
	if i < 0 {
		if n == 0 {
			l.Words(kit.Warn, words.OpenChanges(s.open), l.Width-l.At-1)
		}
		return
	}
	r, c := s.rows[i], s.cols
	l.Put(kit.Muted, words.When(r.At, s.now))
	l.To(c.what)
	words.DrawChange(l, r.Record, c.end(c.reason, c.table, c.by))
	if c.reason > 0 {
		l.To(c.reason)
		l.Words(kit.Muted, r.Reason, c.end(c.table)-l.At)
	}
	if c.table > 0 {
		l.To(c.table)
		l.Fit(kit.Muted, r.Table, c.by-2-l.At)
	}
	if c.by > 0 {
		l.To(c.by)
		l.Fit(kit.Muted, words.By(r.Who), c.outcome-c.by-1)
	}
	l.To(c.outcome)
	words.Outcome(r.Record).Draw(l)
}
