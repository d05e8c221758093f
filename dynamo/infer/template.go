package infer

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo/layout"
)

// piece is a part of the keys of some items: a literal, or what stands there in each.
type piece struct {
	literal string
	texts   []string // of each item; nil for a literal
	name    string
}

// variable reports whether the piece is no literal.
func (p piece) variable() bool { return p.texts != nil }

// pieces takes texts apart that are made alike: what all share, and what differs.
func pieces(texts []string) []piece {
	if len(texts) == 1 {
		return onePiece(texts[0])
	}
	columns, ok := columns(texts)
	if !ok {
		columns = ends(texts)
	}
	var out []piece
	for _, column := range columns {
		if same(column) {
			out = addLiteral(out, column[0])
			continue
		}
		before, after := commonEnds(column)
		inner := make([]string, len(column))
		for n, text := range column {
			inner[n] = text[len(before) : len(text)-len(after)]
		}
		out = append(addLiteral(out, before), piece{texts: inner})
		out = addLiteral(out, after)
	}
	return out
}

// onePiece takes a single text apart by what its parts look like.
func onePiece(text string) []piece {
	var out []piece
	for first := true; ; first = false {
		part, end := nextPart(text)
		more := end < len(text)
		if part == "" || looksLikeWord(part, more, first) || (first && !more && letters(part)) {
			out = addLiteral(out, part)
		} else if n := len(out); n > 1 && out[n-1].literal != "" && len(out[n-1].literal) == 1 && out[n-2].variable() {
			out[n-2].texts[0] += out[n-1].literal + part
			out = out[:n-1]
		} else {
			out = append(out, piece{texts: []string{part}})
		}
		if !more {
			return out
		}
		out, text = addLiteral(out, text[end:end+1]), text[end+1:]
	}
}

func letters(s string) bool {
	return s != "" && len(s) <= 24 && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz_-") == ""
}

func addLiteral(out []piece, text string) []piece {
	if n := len(out); n > 0 && !out[n-1].variable() {
		out[n-1].literal += text
		return out
	}
	if text == "" {
		return out
	}
	return append(out, piece{literal: text})
}

// columns are the parts of texts that have as many, each with the separator after it.
func columns(texts []string) ([][]string, bool) {
	var out [][]string
	rest := slices.Clone(texts)
	for {
		column, seps := make([]string, len(texts)), make([]string, len(texts))
		done := 0
		for n, text := range rest {
			part, end := nextPart(text)
			column[n], seps[n] = part, text[end:min(end+1, len(text))]
			if end == len(text) {
				done++
			}
			rest[n] = text[min(end+1, len(text)):]
		}
		out = append(out, column)
		switch {
		case done == len(texts):
			return out, true
		case done > 0 || !same(seps):
			return nil, false
		}
		out = append(out, seps)
	}
}

// ends are what texts share at both ends, at separators, and all that is between.
func ends(texts []string) [][]string {
	head, tail := texts[0], texts[0]
	for _, text := range texts[1:] {
		head = head[:commonPrefix(head, text)]
		tail = tail[len(tail)-commonSuffix(tail, text):]
	}
	head = head[:strings.LastIndexAny(head, separators)+1]
	if at := strings.IndexAny(tail, separators); at >= 0 {
		tail = tail[at:]
	} else {
		tail = ""
	}
	var heads, inner, tails []string
	for _, text := range texts {
		if len(text) < len(head)+len(tail)+1 {
			tail = ""
		}
	}
	for _, text := range texts {
		heads, inner, tails = append(heads, head), append(inner, text[len(head):len(text)-len(tail)]), append(tails, tail)
	}
	return [][]string{heads, inner, tails}
}

// commonEnds is what different texts share at both ends, as far as no letter or digit
// touches what differs: ids made at one time begin alike.
func commonEnds(column []string) (before, after string) {
	before, after = column[0], column[0]
	shortest := len(column[0])
	for _, text := range column[1:] {
		before = before[:commonPrefix(before, text)]
		after = after[len(after)-commonSuffix(after, text):]
		shortest = min(shortest, len(text))
	}
	for before != "" && (alphanumeric(before[len(before)-1]) || !wordStart(before)) {
		before = before[:len(before)-1]
	}
	for after != "" && alphanumeric(after[0]) {
		after = after[1:]
	}
	if strings.ContainsAny(after, "@.") { // all addresses of one domain
		after = ""
	}
	if len(before)+len(after) >= shortest {
		return "", ""
	}
	return before, after
}

// wordStart reports whether a text may be a word of the layout: digits are somebody's.
func wordStart(s string) bool { return !strings.ContainsAny(s, "0123456789@") }

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// alphanumeric reports whether a byte is no boundary of a part of a key.
func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

func same(texts []string) bool {
	for _, text := range texts[1:] {
		if text != texts[0] {
			return false
		}
	}
	return true
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// templateOf writes pieces as a template.
func templateOf(all []piece) string {
	var b strings.Builder
	for _, p := range all {
		if p.variable() {
			b.WriteString("{" + p.name + "}")
		} else {
			b.WriteString(layout.Literal(p.literal))
		}
	}
	return b.String()
}

func distinct(texts []string) int {
	all := map[string]bool{}
	for _, text := range texts {
		all[text] = true
	}
	return len(all)
}

// mostDifferent is the piece that tells most items from each other, the first of them.
func mostDifferent(all []*piece) *piece {
	return slices.MaxFunc(all, func(a, b *piece) int { return cmp.Compare(distinct(a.texts), distinct(b.texts)) })
}
