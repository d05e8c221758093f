package find

import (
	"unicode/utf8"

	"tallylock/dynamo"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// row is a reading of the query, an account, a look-alike, or words between
// them.
type row struct {
	rel   *dynamo.Relation
	label string
	near  bool
	how   string     // what makes a look-alike one
	head  []kit.Span // words; no row to select
	// value is a look-alike's spelling, differs where it parts from the query.
	differs int
}

// unread reports whether it is a look-alike whose account was not read.
func (r row) unread() bool { return r.near && r.rel.Account == nil }

// rowsOf lists what an answer says: each reading of the word, the accounts,
// then look-alikes.
func rowsOf(answer *dynamo.Answer, wide bool) []row {
	var out []row
	byID := false
	for _, r := range answer.Locks {
		out = append(out, row{rel: r, label: r.Constraint.Name})
	}
	for _, u := range answer.Unlocked {
		sign := words.Verdict(u.Verdict, u.Provisional)
		out = append(
			out,
			row{
				head: []kit.Span{
					kit.Text.Of(u.Constraint.Name + "  "),
					sign.Style.Of(sign.Glyph + " " + sign.Word + "  "),
					kit.Text.Of(u.Sentence()),
				},
			},
		)
	}
	for n := range answer.Accounts {
		h := &answer.Accounts[n]
		if !h.ByID {
			continue
		}
		byID = true
		for _, r := range h.Values {
			out = append(out, row{rel: r, label: "account id"})
		}
	}
	if !byID {
		out = append(out, row{label: "account id"})
	}
	out = append(out, row{head: []kit.Span{{}}})
	out = append(out, row{head: words.NearWords(answer)})
	for _, m := range answer.Near {
		out = append(
			out,
			row{
				rel:     m.Relation,
				label:   m.Relation.Value,
				near:    true,
				how:     m.How,
				differs: parts(answer.Query, m.Relation.Value),
			},
		)
		if wide {
			out = append(out, row{head: []kit.Span{kit.Muted.Of(m.How)}, near: true})
		}
	}
	return out
}

// begin is the row to begin with: the reading that was looked at before, or the one
// that the answer is about.
func (s list) begin(before row, main *dynamo.Relation) int {
	at := 0
	for n, row := range s.rows {
		switch {
		case row.rel == nil || row.near:
		case row.label == before.label && before.rel != nil && row.rel.Value == before.rel.Value:
			return n
		case row.rel == main:
			at = n
		}
	}
	return at
}

// position is the number of a row among those that can be selected, and how many they are.
func (s list) position(cursor int) (at, of int) {
	for n := range s.Len() {
		if _, _, ok := s.Row(n); ok {
			of++
			if n <= cursor {
				at = of
			}
		}
	}
	return at, of
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
