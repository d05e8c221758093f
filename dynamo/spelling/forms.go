package spelling

import (
	"strings"
	"unicode"

	"tallylock/dynamo/layout"
)

// MayBeOneValue reports whether two texts may be forms of one value: they have the same
// letters and digits, or both are e-mail addresses and the name of one begins with that of
// the other.
func MayBeOneValue(a, b string) bool {
	nameA, _, emailA := strings.Cut(a, "@")
	nameB, _, emailB := strings.Cut(b, "@")
	if emailA != emailB {
		return false
	}
	a, b = alphanumerics(nameA), alphanumerics(nameB)
	if a == "" || b == "" {
		return false
	}
	return a == b || emailA && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

func alphanumerics(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, layout.Fold(text))
}
