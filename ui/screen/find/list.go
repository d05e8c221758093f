package find

import (
	"strings"
	"unicode/utf8"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/relation"
	"tallylock/ui/words"
)

// list is an answer as a list.
type list struct {
	rows  []row
	table *kit.Table[row]
}

// columns are those of the list: a column is a line here, and nothing elsewhere.
var columns = []kit.Column[row]{
	{Head: "READ AS", Cells: 11, Draw: drawLabel},
	{Head: "ACCOUNT", Cells: 26, Min: 16, Grow: 1, Draw: drawAccount},
	{Head: "LOCK", Cells: 26, Min: 16, Max: 43, Grow: 1, Draw: drawLock},
	{Head: "VERDICT", Cells: 12, Draw: drawVerdict},
}

func (s list) Len() int                   { return len(s.rows) }
func (s list) Row(n int) (int, int, bool) { return n, n, s.rows[n].head == nil }
func (s list) Problem(n int) bool {
	return s.rows[n].rel != nil && s.rows[n].rel.Verdict.Broken()
}

func (s list) Draw(l *kit.Line, n int, _ bool) {
	row := s.rows[n]
	if row.head == nil {
		s.table.Draw(l, row)
		return
	}
	if row.near { // what makes it one stands under the account
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

// drawAccount draws who holds the value, and the join to its lock.
func drawAccount(l *kit.Line, r row, w int) {
	if r.rel == nil {
		l.Put(kit.Absent, "no account")
		return
	}
	end := l.At + w
	name, k := relation.Name(r.rel)
	switch {
	case r.unread():
		name, k = "not read", kit.Absent
	case len(r.rel.Claimants) > 1:
		name = phrase.Count(len(r.rel.Claimants), "account")
	}
	l.Middle(k, name, min(w-4, 36))
	if !r.unread() {
		words.JoinRelation(l, r.rel, end)
	}
}

func drawLock(l *kit.Line, r row, w int) {
	if r.rel == nil {
		l.Put(kit.Absent, "no lock")
		return
	}
	if key := r.rel.Lock.Key.Hash.Value.Display(); r.near && strings.HasSuffix(key, r.rel.Value) &&
		r.differs < len(r.rel.Value) {
		drawDiffering(l, kit.Muted, key, len(key)-len(r.rel.Value)+r.differs, w)
		return
	}
	relation.LockKey(l, r.rel, w)
}

func drawVerdict(l *kit.Line, r row, _ int) {
	switch {
	case r.rel == nil:
		kit.Sign{Glyph: kit.GlyphNone, Style: kit.Muted, Word: "none", Quiet: true}.Draw(l)
	case r.near && r.rel.Verdict == dynamo.Unknown:
		kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Muted, Word: "in use", Quiet: true}.Draw(l)
	default:
		words.Verdict(r.rel.Verdict, r.rel.Provisional).Draw(l)
	}
}

// drawDiffering writes a look-alike with the letter that differs marked.
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
