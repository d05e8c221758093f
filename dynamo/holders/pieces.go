package holders

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// separators divide a text into pieces, beside white space. Values may contain them: a run of
// pieces is compared, too.
const separators = ",;|<>()[]{}\"':=#_/&\\"

// listSeparators divide the values of an attribute that holds several in one text.
const listSeparators = ",;\n\r"

func isListSeparator(r rune) bool { return strings.ContainsRune(listSeparators, r) }

func isSeparator(r rune) bool {
	if r < utf8.RuneSelf {
		return separatorASCII[r]
	}
	return unicode.IsSpace(r)
}

var separatorASCII = func() (is [utf8.RuneSelf]bool) {
	for r := range is {
		is[r] = strings.ContainsRune(separators, rune(r)) || unicode.IsSpace(rune(r))
	}
	return is
}()

// countPieces is the number of pieces of a text, empty ones included.
func countPieces(text string) int {
	n := 1
	for _, r := range text {
		if isSeparator(r) {
			n++
		}
	}
	return n
}

// eachPiece calls yield with each run of pieces of a text that has as many pieces as some value.
// It leaves out the whole text.
func (f *Finder) eachPiece(text string, yield func(piece string)) {
	f.ends = f.ends[:0]
	for at, r := range text {
		if isSeparator(r) {
			f.ends = append(f.ends, at)
		}
	}
	if len(f.ends) == 0 {
		return
	}
	f.ends = append(f.ends, len(text))
	for _, n := range f.x.pieces {
		begin := 0
		for last := n - 1; last < len(f.ends) && n < len(f.ends); last++ {
			if piece := text[begin:f.ends[last]]; piece != "" {
				yield(piece)
			}
			next := f.ends[last-n+1] // the separator behind the run's first piece
			_, size := utf8.DecodeRuneInString(text[next:])
			begin = next + size
		}
	}
}

// addresses compares each text around an @ that begins and ends at the edge of a word: an
// address within a sentence, or within an identifier.
func (f *Finder) addresses(folded string) {
	for at := 0; ; {
		n := strings.IndexByte(folded[at:], '@')
		if n < 0 {
			return
		}
		at += n
		begins, ends := wordEdges(folded, at)
		for _, begin := range begins {
			for _, end := range ends {
				if begin > 0 || end < len(folded) {
					f.compare(folded[begin:end], folded[begin:end])
				}
			}
		}
		at++
	}
}

// longestAddress is how far from its @ an address may begin or end (RFC 5321: 64 before it, 255
// behind it), in bytes.
const longestAddress = 255

// wordEdges are the places before an @ where a word begins, and those behind it where one ends.
func wordEdges(text string, at int) (begins, ends []int) {
	for n := at; n > 0 && at-n < longestAddress; {
		r, size := utf8.DecodeLastRuneInString(text[:n])
		if unicode.IsSpace(r) || r == '@' {
			break
		}
		n -= size
		before, _ := utf8.DecodeLastRuneInString(text[:n])
		if n == 0 || !isWord(before) {
			begins = append(begins, n)
		}
	}
	for n := at + 1; n < len(text) && n-at < longestAddress; {
		r, size := utf8.DecodeRuneInString(text[n:])
		if unicode.IsSpace(r) || r == '@' {
			break
		}
		n += size
		after, _ := utf8.DecodeRuneInString(text[n:])
		if n == len(text) || !isWord(after) {
			ends = append(ends, n)
		}
	}
	return begins, ends
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// fewDigits is the number of digits from which a number is compared without its signs.
const fewDigits = 7

// numbers compares each run of digits and of the signs that people write in a telephone number.
func (f *Finder) numbers(text string) {
	const signs = "+ -.()/"
	digits, begin := 0, -1
	compare := func(end int) {
		if digits >= fewDigits && begin >= 0 {
			f.compareFolded(strings.Trim(text[begin:end], signs))
		}
		digits, begin = 0, -1
	}
	for n := range len(text) {
		switch c := text[n]; {
		case c >= '0' && c <= '9':
			if digits++; begin < 0 {
				begin = n
			}
		case strings.IndexByte(signs, c) < 0:
			compare(n)
		}
	}
	compare(len(text))
}

// digitsOf are the digits of a number that may be written with the signs of a telephone number,
// without leading zeros; empty if the text is none.
func digitsOf(text string) string {
	var b strings.Builder
	for n := range len(text) {
		switch c := text[n]; {
		case c >= '0' && c <= '9':
			b.WriteByte(c)
		case strings.IndexByte("+ -.()/", c) < 0:
			return ""
		}
	}
	return strings.TrimLeft(b.String(), "0")
}

// sameNumber reports whether two numbers of one form may be one: they are equal, or one has a
// country code that the other lacks. Texts that are no numbers are compared by their form alone.
func sameNumber(a, b string) bool { return a == "" || b == "" || len(a) != len(b) || a == b }
