package holders

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// longestWord is the greatest length in bytes of a word that stays in a shape.
const longestWord = 32

// Shape returns the pattern that the keys of one kind of items share: "ORDER#*/META", "SETTING#theme".
// Words of letters stay, also in a binary key that is valid text. Ids, numbers, times and the searched
// value become *. holds reports whether a text is the searched value.
func Shape(k attr.Key, holds func(text string) bool) string {
	shape := shapeOf(k.Hash.Value, holds)
	if k.Range.Name != "" {
		shape += "/" + shapeOf(k.Range.Value, holds)
	}
	return shape
}

func shapeOf(v attr.Value, holds func(string) bool) string {
	text := v.Kind == attr.S || v.Kind == attr.B && utf8.ValidString(v.Text)
	if !text || holds(v.Text) {
		return layout.AnyWord
	}
	var ends []int // the end of each part between separators
	for n := range len(v.Text) {
		if strings.IndexByte(layout.ShapeSeparators, v.Text[n]) >= 0 {
			ends = append(ends, n)
		}
	}
	ends = append(ends, len(v.Text))
	var b strings.Builder
	for first := 0; first < len(ends); {
		begin := 0
		if first > 0 {
			begin = ends[first-1] + 1
		}
		last, word := valueFrom(v.Text, begin, first, ends, holds)
		if word {
			last = timeFrom(v.Text, begin, first, ends)
		}
		switch part := v.Text[begin:ends[last]]; {
		case word && isShapeWord(part):
			b.WriteString(part)
		case part != "":
			b.WriteString(layout.AnyWord)
		}
		if ends[last] < len(v.Text) {
			b.WriteByte(v.Text[ends[last]])
		}
		first = last + 1
	}
	return b.String()
}

// timeFrom returns the index of a time's last part, if a time begins with part number first: "10:30",
// "2026-11-26 10:30:05". If no time begins there, it returns first.
func timeFrom(text string, begin, first int, ends []int) (last int) {
	for last = first; last+1 < len(ends); last++ {
		between, next := text[ends[last]], text[ends[last]+1:ends[last+1]]
		if !endsWithDigits(text[begin:ends[last]]) || len(next) < 2 || !endsWithDigits(next[:2]) ||
			between != ':' && (between != ' ' || last > first) {
			break
		}
	}
	return last
}

// endsWithDigits reports whether a text ends with exactly two digits.
func endsWithDigits(text string) bool {
	digit := func(n int) bool { return n >= 0 && text[n] >= '0' && text[n] <= '9' }
	return digit(len(text)-1) && digit(len(text)-2) && !digit(len(text)-3)
}

// mostValueParts is the greatest number of parts that one value may have.
const mostValueParts = 8

// valueFrom looks for the searched value at the beginning of part number first. It returns the index of the value's
// last part. If the value is not there, it returns first, and word is true.
func valueFrom(text string, begin, first int, ends []int, holds func(string) bool) (last int, word bool) {
	for last := min(len(ends), first+mostValueParts) - 1; last >= first; last-- {
		if part := text[begin:ends[last]]; part != "" && holds(part) {
			return last, false
		}
	}
	return first, true
}

// isShapeWord reports whether a part of a key stays in the shape: a short word, mostly of letters.
func isShapeWord(part string) bool {
	if part == "" || len(part) > longestWord || layout.Unreadable(part) {
		return false
	}
	for _, r := range part {
		if !unicode.IsLetter(r) && !strings.ContainsRune("-.$+~", r) {
			return false
		}
	}
	return true
}

// Path returns the path of an entry in a map. above is the path of the map. A name that is not a word of
// letters becomes *.
func Path(above, name string) string {
	return above + "." + shapeOf(attr.String(name), func(string) bool { return false })
}
