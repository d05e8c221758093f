package layout

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/mistake"
)

// Normaliser is a step that an application takes with a value before it makes
// a lock of it.
type Normaliser string

// The normalisers that a layout can name.
const (
	Trim   Normaliser = "trim"   // white space at both ends, as JavaScript has it: see trims
	Lower  Normaliser = "lower"  // Unicode's full lower case mapping, as JavaScript, Java and Python have it
	NFKC   Normaliser = "nfkc"   // Unicode compatibility composition
	SHA256 Normaliser = "sha256" // lower-case hexadecimal digest
)

// Normalise takes the steps in order.
func Normalise(steps []Normaliser, v string) string {
	for _, step := range steps {
		switch step {
		case Trim:
			v = strings.TrimFunc(v, trims)
		case Lower:
			v = lower(v)
		case NFKC:
			v = norm.NFKC.String(v)
		case SHA256:
			sum := sha256.Sum256([]byte(v))
			v = hex.EncodeToString(sum[:])
		}
	}
	return v
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

func ascii(s string) bool {
	for n := range len(s) {
		if s[n] >= 0x80 {
			return false
		}
	}
	return true
}

// Fold brings together the spellings that people mix up: case, compatibility
// forms and white space at the ends. Two values that fold alike are near
// misses, never the same value.
func Fold(s string) string {
	if ascii(s) {
		return strings.ToLower(strings.TrimSpace(s)) // what the rest makes of it, sooner
	}
	return cases.Fold().String(strings.TrimFunc(norm.NFKC.String(s), space))
}

// FoldKey folds a whole key, so that values are compared within one scope only.
func FoldKey(k attr.Key) string {
	return FoldPart(k.Hash.Value.Text) + "\x00" + FoldPart(k.Range.Value.Text)
}

// FoldPart is Fold without any spaces: a value that stands between other parts of a key
// is not where Fold trims it.
func FoldPart(s string) string {
	return strings.Map(func(r rune) rune {
		if space(r) {
			return -1
		}
		return r
	}, Fold(s))
}

func parseNormalisers(names []string) ([]Normaliser, error) {
	var steps []Normaliser
	for n, name := range names {
		switch step := Normaliser(name); step {
		case Trim, Lower, NFKC, SHA256:
			steps = append(steps, step)
		default:
			return nil, mistake.Errorf(fmt.Sprintf("normalise[%d]", n), "unknown normaliser %q: use trim, lower, nfkc or sha256%s", name, mistake.Meant(name, "trim", "lower", "nfkc", "sha256"))
		}
	}
	return steps, nil
}

// Hashes reports whether a chain of normalisers makes a digest: then no lock shows its
// value, and no text of an account is like it.
func Hashes(chain []Normaliser) bool { return slices.Contains(chain, SHA256) }
