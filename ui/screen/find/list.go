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
	rows []row
	cols columns
}

type columns struct{ account, lock, verdict int }

func columnsOf(width int) columns {
	c := columns{account: 14, verdict: width - 12}
	rest := c.verdict - c.account
	c.lock = c.verdict - min(rest/2, 44)
	return c
}

func (s list) Len() int                   { return len(s.rows) }
func (s list) Row(n int) (int, int, bool) { return n, n, s.rows[n].head == nil }
func (s list) Problem(n int) bool {
	return s.rows[n].rel != nil && s.rows[n].rel.Verdict.Broken()
}

func (s list) Draw(l *kit.Line, n int, _ bool) {
	row, c := s.rows[n], s.cols
	if row.head != nil {
		if row.near {
			l.To(c.account)
		}
		for _, p := range row.head {
			l.Words(p.Style, p.Text, l.Width-l.At-1)
		}
		return
	}
	r := row.rel
	if row.near {
		drawDiffering(l, kit.Text, row.label, row.differs, c.account-3)
	} else {
		l.Words(kit.Text, row.label, c.account-3)
	}
	l.To(c.account)
	if r == nil {
		l.Put(kit.Absent, "no account")
		l.To(c.lock)
		l.Put(kit.Absent, "no lock")
		l.To(c.verdict)
		kit.Sign{Glyph: kit.GlyphNone, Style: kit.Muted, Word: "none", Quiet: true}.Draw(l)
		return
	}
	name, k := relation.Name(r)
	switch {
	case row.near && r.Account == nil:
		name, k = "not read", kit.Absent
	case len(r.Claimants) > 1:
		name = phrase.Count(len(r.Claimants), "account")
	}
	l.Middle(k, name, min(c.lock-c.account-5, 36))
	if row.near && r.Account == nil {
		l.To(c.lock)
	} else {
		words.JoinRelation(l, r, c.lock-1)
		l.To(c.lock)
	}
	if key := r.Lock.Key.Hash.Value.Display(); row.near && strings.HasSuffix(key, r.Value) && row.differs < len(r.Value) {
		drawDiffering(l, kit.Muted, key, len(key)-len(r.Value)+row.differs, c.verdict-c.lock-1)
	} else {
		relation.LockKey(l, r, c.verdict-c.lock-1)
	}
	l.To(c.verdict)
	if row.near && r.Verdict == dynamo.Unknown {
		kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Muted, Word: "in use", Quiet: true}.Draw(l)
		return
	}
	words.Verdict(r.Verdict, r.Provisional).Draw(l)
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
