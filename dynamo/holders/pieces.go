package holders

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"tallylock/dynamo/layout"
)

// separators, like white space, divide a text into pieces. A value may itself contain separators, so the
// search also compares runs of several pieces.
const separators = ",;|<>()[]{}\"':=#_/&\\"

// listSeparators divide a text into the members of a list.
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

// countPieces counts the pieces of a text, also empty ones.
func countPieces(text string) int {
	n := 1
	for _, r := range text {
		if isSeparator(r) {
			n++
		}
	}
	return n
}

// glued reports whether a text contains the value, but has no run of pieces that is the value.
func glued(text, value string) bool {
	for at, found := 0, false; ; found = true {
		n := strings.Index(text[at:], value)
		if n < 0 {
			return found
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at+n])
		after, _ := utf8.DecodeRuneInString(text[at+n+len(value):])
		if (at+n == 0 || isSeparator(before)) && (at+n+len(value) == len(text) || isSeparator(after)) {
			return false
		}
		_, size := utf8.DecodeRuneInString(text[at+n:])
		at += n + size
	}
}

// formPieces is the greatest number of pieces in a run whose form is compared. Forms matter because a text
// may write a value with other separators, such as "Ada_Love" or "DE89 3704".
const formPieces = 8

// split divides a text into pieces, and sets f.ends to their ends. It reports false if the text is a single
// piece.
func (f *Finder) split(text string) bool {
	f.ends = f.ends[:0]
	for at, r := range text {
		if isSeparator(r) {
			f.ends = append(f.ends, at)
		}
	}
	if len(f.ends) == 0 {
		return false
	}
	f.ends = append(f.ends, len(text))
	return true
}

// pieces compares the runs of pieces in a folded text, except the whole text. It compares the spelling of a
// run if some value has the same number of pieces. It compares the form of each run of up to formPieces
// pieces.
func (f *Finder) pieces(folded string) {
	if !f.split(folded) {
		return
	}
	for first, begin := 0, 0; first < len(f.ends); first++ {
		if f.x.forms.Begins(folded[begin:]) {
			f.runsFrom(folded, first, begin)
		}
		begin = f.behind(folded, first)
	}
}

// behind returns the beginning of the next piece.
func (f *Finder) behind(text string, piece int) int {
	end := f.ends[piece]
	_, size := utf8.DecodeRuneInString(text[end:])
	return end + size
}

func (f *Finder) runsFrom(folded string, first, begin int) {
	run := func(n int) string {
		if first+n > len(f.ends) || n == len(f.ends) {
			return ""
		}
		return folded[begin:f.ends[first+n-1]]
	}
	for _, n := range f.x.pieces {
		f.compareSpelling(run(n))
	}
	for n := 1; n <= formPieces; n++ {
		if text := run(n); text != "" && (n == 1 || !isNumber(text)) {
			f.compareForm(text)
		}
	}
}

// isNumber reports whether a text has no letters. runsFrom leaves runs of several such pieces to
// Finder.numbers.
func isNumber(text string) bool { return strings.IndexFunc(text, unicode.IsLetter) < 0 }

// encodedPieces encodes runs of pieces and compares the results. It takes a run only if some value has the
// same number of pieces.
func (f *Finder) encodedPieces(text string) {
	if !f.split(text) {
		return
	}
	for first, begin := 0, 0; first < len(f.ends); first++ {
		for _, n := range f.x.pieces {
			if first+n <= len(f.ends) && n < len(f.ends) {
				piece := text[begin:f.ends[first+n-1]]
				f.compareEncoded(piece, layout.Fold(piece))
			}
		}
		begin = f.behind(text, first)
	}
}

func (f *Finder) list(text string) {
	if strings.ContainsAny(text, listSeparators) {
		for part := range strings.FieldsFuncSeq(text, isListSeparator) {
			f.compare(part, layout.Fold(part))
		}
	}
}

// addresses compares each text around an @ that could be an e-mail address. A sentence or an identifier may
// contain the address, so the address may begin and end at any edge of a word.
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

// longestAddress is the greatest distance in bytes from the @ to either end of an address. RFC 5321 allows
// 64 before the @ and 255 after it.
const longestAddress = 255

// wordEdges returns the positions before the @ where a word begins, and the positions after the @ where a
// word ends. at is the position of the @.
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

// A number with at least fewDigits digits is compared without its signs. manyDigits is the most digits of a
// telephone number (E.164).
const (
	fewDigits  = 7
	manyDigits = 15
)

// numberSigns are the signs that people write in a telephone number.
const numberSigns = "+ -.()/"

// numbers compares each run of groups of digits that may be one number. It tries every run, since a
// telephone number may be next to another number, such as a house number.
func (f *Finder) numbers(text string) {
	f.groups = f.groups[:0]
	for n := 0; n < len(text); n++ {
		if !isDigit(text[n]) {
			if strings.IndexByte(numberSigns, text[n]) < 0 {
				f.numbersIn(text)
				f.groups = f.groups[:0]
			}
			continue
		}
		begin := n
		for n+1 < len(text) && isDigit(text[n+1]) {
			n++
		}
		f.groups = append(f.groups, [2]int{begin, n + 1})
	}
	f.numbersIn(text)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (f *Finder) numbersIn(text string) {
	for first, begin := range f.groups {
		digits := 0
		for last, group := range f.groups[first:] {
			digits += group[1] - group[0]
			if last > 0 && digits > max(manyDigits, f.x.mostDigits) {
				break
			}
			if digits >= fewDigits {
				f.compareForm(text[begin[0]:group[1]])
			}
		}
	}
}

// digitsOf returns the digits of a number, without leading zeros. The number may have the signs of a telephone number.
// The result is empty if the text is not a number.
func digitsOf(text string) string {
	var b strings.Builder
	for n := range len(text) {
		switch c := text[n]; {
		case c >= '0' && c <= '9':
			b.WriteByte(c)
		case strings.IndexByte(numberSigns, c) < 0:
			return ""
		}
	}
	return strings.TrimLeft(b.String(), "0")
}

// sameNumber reports whether two texts of the same form may be the same number. a and b are their digits.
// Digits of different lengths may be the same number: one may have a country code. If a or b is empty, its
// text is no number. Then sameNumber reports true, since the equal form is enough.
func sameNumber(a, b string) bool { return a == "" || b == "" || len(a) != len(b) || a == b }
