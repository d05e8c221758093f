package holders

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"tallylock/dynamo/layout"
)

// separators divide a text into pieces, as white space does. Values may contain separators, so the search
// compares runs of pieces, too.
const separators = ",;|<>()[]{}\"':=#_/&\\"

// listSeparators divide an attribute's text that lists several values.
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

// countPieces returns the number of pieces of a text, including empty pieces.
func countPieces(text string) int {
	n := 1
	for _, r := range text {
		if isSeparator(r) {
			n++
		}
	}
	return n
}

// formPieces is the greatest number of neighbouring pieces that are compared by their form. A list or a
// sentence may hold a value with other separators, as "Ada_Love" or "DE89 3704".
const formPieces = 8

// split finds the ends of the pieces of a text. It returns false if the text is one piece.
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

// pieces compares runs of pieces of a folded text. It compares the spelling of each run with as many pieces
// as some value has, and the form of each short run. It leaves out the whole text.
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

// behind returns the position where the next piece begins.
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

// isNumber reports whether a text has no letters. Finder.numbers compares such texts.
func isNumber(text string) bool { return strings.IndexFunc(text, unicode.IsLetter) < 0 }

// encodedPieces encodes each run of pieces that has as many pieces as some value has, and compares the
// results.
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

// longestAddress is the greatest distance from the @ to either end of an address, in bytes (RFC 5321: 64
// before the @, 255 behind it).
const longestAddress = 255

// wordEdges returns the positions before an @ where a word begins, and the positions behind the @ where a
// word ends.
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

// fewDigits is the least number of digits of a number that is compared without its signs. manyDigits is the
// number of digits of a long telephone number (E.164).
const (
	fewDigits  = 7
	manyDigits = 15
)

// numberSigns are the signs that people write in a telephone number.
const numberSigns = "+ -.()/"

// numbers compares each run of neighbouring groups of digits that may be one number. A telephone number may
// have another number beside it, or a house number.
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

// digitsOf returns the digits of a number without leading zeros. The number may contain the signs of a
// telephone number. The result is empty if the text is no number.
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

// sameNumber reports whether two numbers of one form may be the same number: they are equal, or one has a
// country code that the other lacks. It returns true if a text is no number: only the form counts then.
func sameNumber(a, b string) bool { return a == "" || b == "" || len(a) != len(b) || a == b }
