package find

import (
	"strings"
	"unicode/utf8"

	"tallylock/dynamo/find"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// row is one line of the answer: a reading of the query, a look-alike, or plain text.
type row struct {
	rel   *verdict.Relation
	label string
	near  bool
	head  []kit.Span // plain text; such a row cannot be selected
	// differs is the offset of the first byte of a look-alike's value that differs from the query.
	differs int
}

// unread reports whether the row is a look-alike whose account was not read.
func (r row) unread() bool { return r.near && r.rel.Account == nil }

func (s *Screen) rows() lines {
	if s.answer == nil {
		return lines{}
	}
	return lines{rowsOf(s.answer, s.Size.Wide()), &s.table}
}

func (s *Screen) selected() *verdict.Relation {
	rows := s.rows().rows
	if s.list.Cursor < len(rows) {
		return rows[s.list.Cursor].rel
	}
	return nil
}

// rowsOf returns the rows of an answer: the readings that found something, a line about the others, and the
// look-alikes.
func rowsOf(answer *find.Answer, wide bool) []row {
	var out []row
	found, nothing := answer.Readings()
	for _, r := range found {
		label := r.Constraint.Name
		if r.ByID {
			label = "account id"
		}
		out = append(out, row{rel: r.Relation, label: label})
	}
	if rest := say.OtherReadings(answer, nothing); rest != "" {
		out = append(out, row{head: []kit.Span{kit.Muted.Of(rest)}})
	}
	out = append(out, row{head: []kit.Span{{}}})
	out = append(out, row{head: say.NearWords(answer)})
	for _, m := range answer.Near {
		differs := parts(answer.Query, m.Relation.Value)
		out = append(out, row{rel: m.Relation, label: m.Relation.Value, near: true, differs: differs})
		if wide {
			out = append(out, row{head: []kit.Span{kit.Muted.Of(m.How)}, near: true})
		}
	}
	return out
}

// begin returns the row to select first: the reading that was selected before, else the first row.
func (s lines) begin(before row) int {
	for n, row := range s.rows {
		if row.rel == nil || row.near || before.rel == nil {
			continue
		}
		if row.label == before.label && row.rel.Constraint.Name == before.rel.Constraint.Name &&
			row.rel.Value == before.rel.Value {
			return n
		}
	}
	return 0
}

// parts returns the offset of the first byte of b that differs from a.
func parts(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(b) && !utf8.RuneStart(b[n]) {
		n--
	}
	return n
}

// lines shows the rows of an answer.
type lines struct {
	rows  []row
	table *kit.Table[row]
}

// columns are the columns of the list. To add a column, add one line here.
var columns = []kit.Column[row]{
	{Head: "READ AS", Cells: 11, Draw: drawLabel},
	{Head: "ACCOUNT", Cells: 26, Min: 16, Grow: 1, Draw: drawAccount},
	{Head: "LOCK", Cells: 26, Min: 16, Max: 43, Grow: 1, Draw: drawLock},
	{Head: "VERDICT", Cells: 12, Draw: drawVerdict},
}

func (s lines) Len() int                   { return len(s.rows) }
func (s lines) Row(n int) (int, int, bool) { return n, n, s.rows[n].head == nil }
func (s lines) Problem(n int) bool {
	return s.rows[n].rel != nil && s.rows[n].rel.Verdict.Broken()
}

func (s lines) Draw(l *kit.Line, n int, _ bool) {
	row := s.rows[n]
	if row.head == nil {
		s.table.Draw(l, row)
		return
	}
	if row.near { // the reason for the likeness goes below the account
		s.table.Begin(l, row)
	}
	for _, p := range row.head {
		l.Words(p.Style, p.Text, l.Width-l.At-1)
	}
}

func drawLabel(l *kit.Line, r row, w int) {
	if r.near {
		drawDiffering(l, kit.Text, r.label, r.differs, w)
		return
	}
	l.Words(kit.Text, r.label, w)
}

// drawAccount draws who holds the value, and the line that joins it to its lock.
func drawAccount(l *kit.Line, r row, w int) {
	end := l.At + w
	name, k := say.Holder(r.rel)
	switch {
	case r.unread():
		name, k = "not read", kit.Absent
	case len(r.rel.Claimants) > 1:
		name = phrase.Count(r.rel.ClaimantCount(), "account")
	}
	l.Middle(k, name, min(w-4, 36))
	if !r.unread() {
		say.JoinRelation(l, r.rel, end)
	}
}

func drawLock(l *kit.Line, r row, w int) {
	if key := r.rel.Lock.Key.Hash.Value.Display(); r.near && strings.HasSuffix(key, r.rel.Value) &&
		r.differs < len(r.rel.Value) {
		drawDiffering(l, kit.Muted, key, len(key)-len(r.rel.Value)+r.differs, w)
		return
	}
	say.DrawLock(l, r.rel, w)
}

func drawVerdict(l *kit.Line, r row, _ int) {
	switch {
	case r.near && r.rel.Verdict == verdict.Unknown:
		kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Muted, Word: "in use", Quiet: true}.Draw(l)
	default:
		say.Verdict(r.rel.Verdict, r.rel.Provisional).Draw(l)
	}
}

// drawDiffering draws a look-alike, and marks the first letter that differs.
func drawDiffering(l *kit.Line, k kit.Style, text string, at, w int) {
	from := l.At
	l.Fit(k, text[:at], w)
	rest := text[at:]
	if rest == "" {
		return
	}
	_, size := utf8.DecodeRuneInString(rest)
	l.Fit(kit.Other|kit.Bold|kit.Underline, rest[:size], w-(l.At-from))
	l.Fit(k, rest[size:], w-(l.At-from))
}
