package find

import (
	"slices"
	"strings"
	"unicode"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// severalOf splits a text into the values of a list, each once. A list has several lines, or values between commas or
// semicolons, or several e-mail addresses, or at least three words. Any other text is one value.
func severalOf(t *dynamo.Table, text string) []string {
	separates := func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == ';' }
	if !strings.ContainsFunc(layout.TrimPasted(text), separates) {
		return []string{text}
	}
	marks, words := separators(t)
	lines := cut(text, func(r rune) bool { return r == '\n' || r == '\r' })
	var out []string
	seen := map[string]bool{}
	for _, line := range lines {
		for _, v := range partsOf(line, marks, words, len(lines) > 1) {
			if !seen[v] {
				seen[v] = true
				out = append(out, v)
			}
		}
	}
	return out
}

// separators returns the marks that separate values, and whether spaces do. A character does not separate values if one
// in twenty sampled values contains it.
func separators(t *dynamo.Table) (marks string, spaces bool) {
	var values []string
	for _, c := range t.Layout.Rules() {
		values = append(values, t.Sample.Texts(c, attr.Key{})...)
	}
	separates := func(is func(rune) bool) bool {
		n := 0
		for _, v := range values {
			if strings.ContainsFunc(layout.TrimPasted(v), is) {
				n++
			}
		}
		return n < 2 || n*20 < len(values)
	}
	for _, mark := range ",;" {
		if separates(func(r rune) bool { return r == mark }) {
			marks += string(mark)
		}
	}
	return marks, separates(unicode.IsSpace)
}

// partsOf splits a line into values. It returns the line as one value if it is no list. listed is true if the line is
// one of several.
func partsOf(line, marks string, spaces, listed bool) []string {
	isMark := func(r rune) bool { return strings.ContainsRune(marks, r) }
	parts := cut(line, isMark)
	spaced := slices.ContainsFunc(parts, func(part string) bool { return strings.ContainsFunc(part, unicode.IsSpace) })
	words := cut(line, func(r rune) bool { return unicode.IsSpace(r) || isMark(r) })
	addresses := !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(word, "@") })
	switch {
	case len(parts) > 1 && !spaced, listed && len(parts) < 2:
		return parts
	case spaces && len(words) > 1 && (addresses || !listed && len(words) > 2):
		return words
	}
	return []string{layout.TrimPasted(line)}
}

// cut splits a text at separators, and leaves out empty parts.
func cut(text string, separates func(rune) bool) []string {
	parts := strings.FieldsFunc(text, separates)
	for n := range parts {
		parts[n] = layout.TrimPasted(parts[n])
	}
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}
