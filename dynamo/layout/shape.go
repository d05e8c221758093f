package layout

import (
	"strings"

	"tallylock/dynamo/attr"
)

// ShapeOf is what the keys of items of one kind have in common: "ORDER#*",
// "ACCT#*/PROFILE". A part between separators is kept where it is a word, and is *
// where it may be an id or a value; parts of that kind that touch are one.
func ShapeOf(k attr.Key) string { return string(AppendShape(nil, k)) }

// AppendShape appends ShapeOf to b.
func AppendShape(b []byte, k attr.Key) []byte {
	b = appendShape(b, k.Hash.Value)
	if k.Range.Name != "" {
		b = append(b, '/')
		b = appendShape(b, k.Range.Value)
	}
	return b
}

func appendShape(b []byte, v attr.Value) []byte {
	if v.Kind != attr.S {
		return append(b, '*')
	}
	any := false // the last part was one that may be anything
	for rest, first := v.Text, true; ; first = false {
		end := strings.IndexAny(rest, Separators)
		part := rest
		if end >= 0 {
			part = rest[:end]
		}
		switch {
		case fixedWord(part) || (first && end > 0 && kindWord(part)):
			b, any = append(b, part...), false
		case !any:
			b, any = append(b, '*'), true
		}
		if end < 0 {
			return b
		}
		sep := rest[end]
		rest = rest[end+1:]
		next := rest
		if more := strings.IndexAny(rest, Separators); more >= 0 {
			next = rest[:more]
		}
		if !any || fixedWord(next) {
			b, any = append(b, sep), false
		}
	}
}

// Separators are the characters that layouts put between the parts of a key.
const Separators = "#:/|"

// longestWord is how long a part of a key is at most that is taken for a word of the
// layout and not for somebody's value.
const longestWord = 24

// fixedWord reports whether a part of a key is a word of the layout wherever it
// stands: capital letters alone.
func fixedWord(s string) bool {
	if s == "" || len(s) > longestWord {
		return false
	}
	for n := range len(s) {
		if c := s[n]; (c < 'A' || c > 'Z') && c != '_' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

// kindWord reports whether what stands before the first separator is the name of a
// kind: letters alone, or, as ElectroDB has it, anything after a $.
func kindWord(s string) bool {
	if len(s) > longestWord || s[0] == '$' {
		return len(s) <= longestWord
	}
	for n := range len(s) {
		if c := s[n] | 0x20; (c < 'a' || c > 'z') && s[n] != '_' && s[n] != '-' {
			return false
		}
	}
	return true
}

// Segments calls yield with each text that stands between separators of a key, and
// with each run of them: values contain separators, too. A key of very many parts is
// not taken apart: its beginnings and ends are.
func Segments(text string, yield func(string)) {
	var ends [mostSegments + 1]int // of the parts
	n := 0
	for at := 0; at <= len(text) && n <= mostSegments; n++ {
		next := strings.IndexAny(text[at:], Separators)
		if next < 0 {
			next = len(text) - at
		}
		ends[n] = at + next
		at += next + 1
	}
	if n <= 1 {
		yield(text)
		return
	}
	for first := range n {
		begin := 0
		if first > 0 {
			begin = ends[first-1] + 1
		}
		for last := first; last < n; last++ {
			yield(text[begin:ends[last]])
		}
		if ends[n-1] < len(text) {
			yield(text[begin:])
		}
	}
}

const mostSegments = 8
