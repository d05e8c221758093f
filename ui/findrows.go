package ui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
)

// findRow is a reading of the query, an account, a look-alike, or words between
// them.
type findRow struct {
	rel   *dynamo.Relation
	label string
	near  bool
	how   string // what makes a look-alike one
	head  []span // words; no row to select
	// value is a look-alike's spelling, differs where it parts from the query.
	differs int
}

// findRows lists what an answer says: each reading of the word, the accounts,
// then look-alikes.
func findRows(answer *dynamo.Answer, wide bool) []findRow {
	var out []findRow
	byID := false
	for _, r := range answer.Locks {
		out = append(out, findRow{rel: r, label: r.Constraint.Name})
	}
	for _, u := range answer.Unlocked {
		sign := verdictSign(u.Verdict, u.Provisional)
		out = append(out, findRow{head: []span{{asText, u.Constraint.Name + "  "}, {sign.look, sign.glyph + " " + sign.word + "  "}, {asText, u.Sentence()}}})
	}
	for n := range answer.Accounts {
		h := &answer.Accounts[n]
		if !h.ByID {
			continue
		}
		byID = true
		for _, r := range h.Values {
			out = append(out, findRow{rel: r, label: "account id"})
		}
	}
	if !byID {
		out = append(out, findRow{label: "account id"})
	}
	out = append(out, findRow{head: []span{{}}})
	out = append(out, findRow{head: nearWords(answer)})
	for _, m := range answer.Near {
		out = append(out, findRow{rel: m.Relation, label: m.Relation.Value, near: true, how: m.How, differs: parts(answer.Query, m.Relation.Value)})
		if wide {
			out = append(out, findRow{head: []span{{asMuted, m.How}}, near: true})
		}
	}
	return out
}

// usesInLines are the values that no locks keep, for a ticket.
func usesInLines(a *dynamo.Answer) (lines string) {
	for _, u := range a.Unlocked {
		lines += fmt.Sprintf("- %s: %s. %s\n", u.Constraint.Name, u.Verdict, u.Sentence())
	}
	return lines
}

func nearWords(a *dynamo.Answer) []span {
	s := []span{{asMuted, "LOOKS LIKE IT "}, {asFaint, ruleThin + ruleThin + " "}}
	tried := plural2(a.Tried, "spelling", "spellings") + " tried, "
	switch n := len(a.Near); {
	case a.Tried == 0:
		return append(s, span{asMuted, "no other spelling to try"})
	case n == 0:
		return append(s, span{asMuted, tried + "none is in use"})
	case n == 1:
		return append(s, span{asMuted, tried + "1 is in use; it does not stop \"" + a.Query + "\""})
	case n == 2:
		return append(s, span{asMuted, tried + "2 are in use; neither stops \"" + a.Query + "\""})
	default:
		return append(s, span{asMuted, fmt.Sprintf("%s%d are in use; none of them stops \"%s\"", tried, n, a.Query)})
	}
}

// parts is where two spellings begin to differ, in bytes of the second.
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

// findList is an answer as a list.
type findList struct {
	rows []findRow
	cols findColumns
}

type findColumns struct{ account, lock, verdict int }

func findColumnsOf(width int) findColumns {
	c := findColumns{account: 14, verdict: width - 12}
	rest := c.verdict - c.account
	c.lock = c.verdict - min(rest/2, 44)
	return c
}

func (s findList) Len() int                   { return len(s.rows) }
func (s findList) Row(n int) (int, int, bool) { return n, n, s.rows[n].head == nil }
func (s findList) Problem(n int) bool {
	return s.rows[n].rel != nil && s.rows[n].rel.Verdict.Broken()
}

func (s findList) Draw(l *line, n int, _ bool) {
	row, c := s.rows[n], s.cols
	if row.head != nil {
		if row.near {
			l.to(c.account)
		}
		for _, p := range row.head {
			l.words(p.look, p.text, l.width-l.at-1)
		}
		return
	}
	r := row.rel
	if row.near {
		drawDiffering(l, asText, row.label, row.differs, c.account-3)
	} else {
		l.words(asText, row.label, c.account-3)
	}
	l.to(c.account)
	if r == nil {
		l.put(asAbsent, "no account")
		l.to(c.lock)
		l.put(asAbsent, "no lock")
		l.to(c.verdict)
		sign{glyphNone, asMuted, "none", true}.draw(l)
		return
	}
	name, k := accountLabel(r)
	switch {
	case row.near && r.Account == nil:
		name, k = "not read", asAbsent
	case len(r.Claimants) > 1:
		name = phrase.Count(len(r.Claimants), "account")
	}
	l.middle(k, name, min(c.lock-c.account-5, 36))
	if row.near && r.Account == nil {
		l.to(c.lock)
	} else {
		joinOf(l, r, c.lock-1)
		l.to(c.lock)
	}
	if key := r.Lock.Key.Hash.Value.Display(); row.near && strings.HasSuffix(key, r.Value) && row.differs < len(r.Value) {
		drawDiffering(l, asMuted, key, len(key)-len(r.Value)+row.differs, c.verdict-c.lock-1)
	} else {
		drawLock(l, r, c.verdict-c.lock-1)
	}
	l.to(c.verdict)
	if row.near && r.Verdict == dynamo.Unknown {
		sign{glyphHeld, asMuted, "in use", true}.draw(l)
		return
	}
	verdictSign(r.Verdict, r.Provisional).draw(l)
}

// drawDiffering writes a look-alike with the letter that differs marked.
func drawDiffering(l *line, k look, text string, at, w int) {
	from := l.at
	l.fit(k, text[:at], w)
	rest := text[at:]
	if rest == "" {
		return
	}
	_, size := utf8.DecodeRuneInString(rest)
	l.fit(asOther|bold|underline, rest[:size], w-(l.at-from))
	l.fit(k, rest[size:], w-(l.at-from))
}
