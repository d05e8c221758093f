package check

import (
	"hash/maphash"
	"unicode"

	"tallylock/dynamo/layout"
)

// share is a part of all locks' keys, with the accounts that call for them. Where
// more is left over than memory holds, a table is checked one share after the
// other. The zero share is all of them.
//
// It is told by a keyed hash of the key in which all spellings of a value are one:
// what belongs together, or would if it were spelt alike, is in one share.
type share struct{ from, width uint64 }

// all reports whether no key is left out.
func (s share) all() bool { return s.width == 0 }

func (s share) has(class uint64) bool { return class-s.from < s.width }

// fraction is how much of all keys it is, above 0 and at most 1.
func (s share) fraction() float64 {
	if s.all() {
		return 1
	}
	return float64(s.width) / (1 << 64)
}

// scaled is about how many there are of all keys where the share has so many.
func (s share) scaled(n int) int { return int(float64(n) / s.fraction()) }

// about is said before a number that was scaled.
func (s share) about() string {
	if s.all() {
		return ""
	}
	return "about "
}

// end is how much of all keys comes before its end.
func (s share) end() float64 {
	if s.all() {
		return 0
	}
	return float64(s.from+s.width-1) / (1 << 64)
}

// next is the share that begins where this one ends, of at most that fraction of
// all, at most a half; more is false where none is left. After the zero share it is
// the first.
func (s share) next(fraction float64) (next share, more bool) {
	from := s.from + s.width
	if from == 0 && !s.all() {
		return share{}, false
	}
	width := max(uint64(fraction*(1<<64)), 1)
	if left := -from; from > 0 {
		width = min(width, left)
	}
	return share{from, width}, true
}

// mine reports whether the key that has just been written is of the pass's share.
func (v *visitor) mine() bool {
	if v.p.share.all() {
		return true
	}
	v.folded = appendFolded(v.folded[:0], v.key[keyHead:])
	return v.p.share.has(maphash.Bytes(v.p.c.secret.seed, v.folded))
}

// appendFolded appends what layout.FoldPart makes of a text, of ASCII sooner.
func appendFolded(b, text []byte) []byte {
	for _, c := range text {
		switch {
		case c >= 0x80:
			return append(b[:0], layout.FoldPart(string(text))...)
		case unicode.IsSpace(rune(c)):
		case 'A' <= c && c <= 'Z':
			b = append(b, c+'a'-'A')
		default:
			b = append(b, c)
		}
	}
	return b
}
