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

// Normaliser is one step that an application applies to a value before it makes the lock key.
type Normaliser string

// The normalisers.
const (
	Trim      Normaliser = "trim"      // removes white space at both ends like JavaScript: see trims
	Lower     Normaliser = "lower"     // Unicode's full lower case mapping, as in JavaScript, Java and Python
	Upper     Normaliser = "upper"     // Unicode's full upper case mapping
	NFC       Normaliser = "nfc"       // Unicode canonical composition
	NFKC      Normaliser = "nfkc"      // Unicode compatibility composition
	SHA256    Normaliser = "sha256"    // lower-case hexadecimal digest
	Base64    Normaliser = "base64"    // standard alphabet, padded
	Base64URL Normaliser = "base64url" // the alphabet for URLs, not padded
	Percent   Normaliser = "percent"   // JavaScript's encodeURIComponent
	// DynamoFlow is the change that the library DynamoFlow makes to a string: lower case, \# for
	// each #, and at most 100 UTF-16 units. The library changes numbers in another way, which this
	// step does not cover.
	DynamoFlow Normaliser = "dynamoflow"
)

// Normalisers lists the names of all normalisers.
func Normalisers() []string { return slices.Clone(normalisers) }

var normalisers = []string{
	string(Trim), string(Lower), string(Upper), string(NFC), string(NFKC), string(SHA256), string(Base64),
	string(Base64URL), string(Percent), string(DynamoFlow),
}

// Normalise applies the steps to v in order.
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
		return percent.Replace(url.QueryEscape(v))
	case DynamoFlow:
		return cut(strings.ReplaceAll(lower(v), "#", escapedHash))
	}
	return v
}

func digest(v string) string {
	sum := sha256.Sum256([]byte(v))
	return hex.EncodeToString(sum[:])
}

// byteOrderMark is white space in JavaScript only.
const byteOrderMark = '\ufeff'

// trims reports whether JavaScript's trim removes a character. Most applications of DynamoDB are
// written in JavaScript. Unlike Go and .NET, JavaScript keeps U+0085 and removes U+FEFF. Other
// languages differ only in rare characters: Java's trim removes just U+0000 to U+0020.
func trims(r rune) bool {
	return r == byteOrderMark || unicode.IsSpace(r) && r != '\u0085'
}

// space reports whether a character is white space in any language.
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

// encodes reports whether the step encodes the value, for example as a digest. The other steps only
// change its spelling.
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

// percent changes the text of url.QueryEscape into that of JavaScript's encodeURIComponent.
var percent = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// escapedHash replaces each # in DynamoFlow. mostCut is the number of UTF-16 units that DynamoFlow
// keeps of a value.
const (
	escapedHash = `\#`
	mostCut     = 100
)

// cut truncates a text to mostCut UTF-16 units, like JavaScript's substring. If this would divide a
// character, cut returns invalid UTF-8, so that the text never becomes a key.
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

// uncut undoes DynamoFlow, but the text stays in lower case. It reports false if the value may be
// truncated, or if v has a # that DynamoFlow would have escaped.
func uncut(v string) (string, bool) {
	units := 0
	for _, r := range v {
		units += utf16.RuneLen(r)
	}
	plain := strings.ReplaceAll(v, escapedHash, "#")
	return plain, units < mostCut && strings.Count(v, escapedHash) == strings.Count(v, "#")
}

// decode undoes the encoding steps, the last one first. The text keeps its case and its white
// space. If a step cannot be undone, such as a digest, decode stops and reports false.
func decode(steps []Normaliser, v string) (text string, ok bool) {
	cased := true // no step so far has changed the case of letters
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
