package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// AppendForm appends the form of a text: what is left of it without all that applications take
// off before they compare values. That is case, accents, spaces and signs, the dots and the
// +tag of an e-mail, a scheme, and the zeros and country codes before a number. To an
// application two values with one form may be one, whatever the layout says of it. A text of
// signs alone has no form: nothing is appended.
func AppendForm(dst []byte, text string) []byte {
	if !ascii(text) {
		text = norm.NFKD.String(Fold(text))
	}
	text = trimScheme(text)
	name, domain, mail := strings.Cut(text, "@")
	if name == "" || domain == "" {
		return appendPlain(dst, text, true)
	}
	if n := strings.IndexByte(name, '+'); mail && n > 0 {
		name = name[:n]
	}
	if strings.EqualFold(domain, "googlemail.com") {
		domain = "gmail.com"
	}
	dst = append(appendPlain(dst, name, false), '@')
	return appendPlain(dst, domain, false)
}

func trimScheme(text string) string {
	for _, prefix := range [...]string{"https://", "http://", "www."} {
		if len(text) > len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
			text = text[len(prefix):]
		}
	}
	return text
}

// FormOf is AppendForm of the text that the value of a constraint's lock was made of; empty
// where that cannot be read, or has none.
func FormOf(c *Constraint, value string) string {
	text, ok := c.Text(value)
	if !ok {
		return ""
	}
	return string(AppendForm(nil, text))
}

// cutForm is how long a form is at least that may be the beginning of another: applications
// cut long values off.
const cutForm = 16

// SameForm reports whether two forms may be of one value.
func SameForm(a, b string) bool {
	if min(len(a), len(b)) >= cutForm {
		return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
	}
	return a != "" && a == b
}

// comparedDigits is how many digits of a long number are compared: before them may be a
// country code, or the zero in its place.
const comparedDigits = 8

// appendPlain adds the letters and digits of a text. An e after a, o or u is left out: so
// is an umlaut written.
func appendPlain(dst []byte, text string, number bool) []byte {
	first := len(dst)
	for n := 0; n < len(text); {
		if c := text[n]; c < utf8.RuneSelf {
			n++
			c = plainASCII[c]
			if c > '9' {
				number = false
			}
			umlaut := c == 'e' && len(dst) > first && strings.IndexByte("aou", dst[len(dst)-1]) >= 0
			if c != 0 && !umlaut {
				dst = append(dst, c)
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text[n:])
		n += size
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			continue
		}
		number = false
		if plain, ok := plainLetters[r]; ok {
			r = plain
		}
		dst = utf8.AppendRune(dst, r)
	}
	if !number {
		return dst
	}
	digits := strings.TrimLeft(string(dst[first:]), "0")
	return append(dst[:first], digits[max(0, len(digits)-comparedDigits):]...)
}

// plainASCII are the letters and digits of ASCII, in lower case; 0 for anything else.
var plainASCII = func() (plain [utf8.RuneSelf]byte) {
	for c := range plain {
		switch lower := byte(c) | 0x20; {
		case c >= '0' && c <= '9':
			plain[c] = byte(c)
		case lower >= 'a' && lower <= 'z':
			plain[c] = lower
		}
	}
	return plain
}()

// plainLetters are letters that are written with plain ones, and have no accent to be
// taken off.
var plainLetters = map[rune]rune{'æ': 'a', 'œ': 'o', 'ø': 'o', 'đ': 'd', 'ð': 'd', 'ł': 'l', 'ı': 'i', 'ħ': 'h'}
