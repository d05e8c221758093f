package layout

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// Normaliser is a step that an application takes with a value before it makes
// a lock of it.
type Normaliser string

// The normalisers that a layout can name.
const (
	Trim      Normaliser = "trim"      // white space at both ends, as JavaScript has it: see trims
	Lower     Normaliser = "lower"     // Unicode's full lower case mapping, as JavaScript, Java and Python have it
	Upper     Normaliser = "upper"     // Unicode's full upper case mapping
	NFC       Normaliser = "nfc"       // Unicode canonical composition
	NFKC      Normaliser = "nfkc"      // Unicode compatibility composition
	SHA256    Normaliser = "sha256"    // lower-case hexadecimal digest
	Base64    Normaliser = "base64"    // standard alphabet, padded
	Base64URL Normaliser = "base64url" // alphabet of URLs, not padded
	Percent   Normaliser = "percent"   // JavaScript's encodeURIComponent
	// DynamoFlow is what that library makes of a string: in lower case, with \# for each #,
	// and cut. What it makes of a number is another thing.
	DynamoFlow Normaliser = "dynamoflow"
)

// Normalisers lists the names of all normalisers.
func Normalisers() []string { return slices.Clone(normalisers) }

var normalisers = []string{
	string(Trim), string(Lower), string(Upper), string(NFC), string(NFKC), string(SHA256), string(Base64),
	string(Base64URL), string(Percent), string(DynamoFlow),
}

// Normalise takes the steps in order.
func Normalise(steps []Normaliser, v string) string {
	for _, step := range steps {
		v = step.of(v)
	}
	return v
}

func (n Normaliser) of(v string) string {
	switch n {
	case Trim:
		return strings.TrimFunc(v, trims)
	case Lower:
		return lower(v)
	case Upper:
		return upper(v)
	case NFC:
		return norm.NFC.String(v)
	case NFKC:
		return norm.NFKC.String(v)
	case SHA256:
		return digest(v)
	case Base64, Base64URL:
		return n.encoding().EncodeToString([]byte(v))
	case Percent:
		return percent(v)
	case DynamoFlow:
		return cut(strings.ReplaceAll(lower(v), "#", escapedHash))
	}
	return v
}

func digest(v string) string {
	sum := sha256.Sum256([]byte(v))
	return hex.EncodeToString(sum[:])
}

// byteOrderMark is white space for JavaScript, and for nobody else.
const byteOrderMark = '\ufeff'

// trims reports whether JavaScript's trim takes a character off: most applications of
// DynamoDB are written in it. Unicode's white space, which Go and .NET trim, is the same
// but for U+0085, which JavaScript leaves, and U+FEFF, which it takes off. Others trim
// more or less of what hardly occurs: Java's trim takes off U+0000 to U+0020 alone.
func trims(r rune) bool {
	return r == byteOrderMark || unicode.IsSpace(r) && r != '\u0085'
}

// space reports whether anybody takes a character for white space.
func space(r rune) bool { return r == byteOrderMark || unicode.IsSpace(r) }

func lower(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(s)
}

func upper(s string) string {
	if ascii(s) {
		return strings.ToUpper(s)
	}
	return cases.Upper(language.Und).String(s)
}

func ascii(s string) bool {
	for n := range len(s) {
		if s[n] >= 0x80 {
			return false
		}
	}
	return true
}

// encodes reports whether a value looks otherwise after the step, and not only in its
// spelling.
func (n Normaliser) encodes() bool {
	switch n {
	case SHA256, Base64, Base64URL, Percent, DynamoFlow:
		return true
	}
	return false
}

func (n Normaliser) encoding() *base64.Encoding {
	if n == Base64URL {
		return base64.RawURLEncoding
	}
	return base64.StdEncoding
}

// percent writes a text as JavaScript's encodeURIComponent does.
func percent(v string) string {
	const hexadecimal = "0123456789ABCDEF"
	var b strings.Builder
	for n := range len(v) {
		switch c := v[n]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-_.!~*'()", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hexadecimal[c>>4])
			b.WriteByte(hexadecimal[c&15])
		}
	}
	return b.String()
}

// escapedHash is how DynamoFlow writes a #, and mostCut how many UTF-16 units it leaves of
// a value.
const (
	escapedHash = `\#`
	mostCut     = 100
)

// cut leaves the beginning of a text, as JavaScript's substring does. Where that would
// divide a character the text becomes none, so that no key is made of it.
func cut(v string) string {
	units := 0
	for n, r := range v {
		if units == mostCut {
			return v[:n]
		}
		if units += utf16.RuneLen(r); units > mostCut {
			return v[:n] + "\xff"
		}
	}
	return v
}

// uncut is a text before DynamoFlow wrote it, in lower case. It reports false where it may
// have been longer.
func uncut(v string) (string, bool) {
	units := 0
	for _, r := range v {
		units += utf16.RuneLen(r)
	}
	plain := strings.ReplaceAll(v, escapedHash, "#")
	return plain, units < mostCut && strings.Count(v, escapedHash) == strings.Count(v, "#")
}

// decode takes the steps back that can be, from the last on. It reports false where the
// text cannot be read back, as from a digest.
func decode(steps []Normaliser, v string) (text string, ok bool) {
	cased := true // a letter's case is as the step before left it
	for _, step := range slices.Backward(steps) {
		switch step {
		case DynamoFlow:
			plain, ok := uncut(v)
			if !ok {
				return v, false
			}
			v, cased = plain, false
		case Lower, Upper:
			cased = false
		case SHA256:
			return v, false
		case Base64, Base64URL:
			b, err := step.encoding().DecodeString(v)
			if !cased || err != nil || !utf8.Valid(b) || step.of(string(b)) != v {
				return v, false
			}
			v = string(b)
		case Percent:
			plain, err := url.PathUnescape(v)
			if err != nil || !utf8.ValidString(plain) {
				return v, false
			}
			v = plain
		}
	}
	return v, true
}
