package attr

import (
	"math/big"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
)

// CanonicalNumber returns a decimal number as DynamoDB writes it: without needless zeros and
// without an exponent. So "1.500" becomes "1.5", and "1E2" becomes "100". A number out of
// DynamoDB's range keeps its exponent. A text that is not a number stays unchanged.
func CanonicalNumber(s string) string {
	if plain(s) {
		return s
	}
	d, ok := parse(s)
	switch {
	case !ok:
		return s
	case d.Exponent > 130 || d.Exponent < -200:
		return d.String()
	}
	return d.Text('f')
}

// parse reads a finite number and removes its trailing zeros.
func parse(s string) (*apd.Decimal, bool) {
	if len(s) > longest {
		return nil, false
	}
	d, _, err := apd.NewFromString(s)
	if err != nil || d.Form != apd.Finite {
		return nil, false
	}
	d.Reduce(d)
	return d, true
}

// longest is the greatest length of a text that parse reads. Every number in DynamoDB is shorter:
// it has 38 digits, and up to 130 zeros before or after them.
const longest = 200

// plain reports whether a text is an integer in canonical form. Nearly all numbers are such integers, and need no slow
// parsing.
func plain(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || len(digits) > 38 || (digits[0] == '0' && s != "0") {
		return false
	}
	for n := range len(digits) {
		if digits[n] < '0' || digits[n] > '9' {
			return false
		}
	}
	return true
}

// Integer reads a whole number of at most 38 digits. It returns false for other texts, such as a
// fraction or a longer number.
func Integer(s string) (*big.Int, bool) {
	s = CanonicalNumber(s)
	if len(strings.TrimPrefix(s, "-")) > 38 { // a number in DynamoDB has at most 38 digits
		return nil, false
	}
	return new(big.Int).SetString(s, 10)
}

// Expiry returns the time in a TTL attribute: a number of seconds since 1970. It returns false for
// any other value, since DynamoDB ignores such a value.
func Expiry(v Value) (time.Time, bool) {
	n, ok := Integer(v.Text)
	if v.Kind != N || !ok || !n.IsInt64() {
		return time.Time{}, false
	}
	return time.Unix(n.Int64(), 0), true
}

// Decimal returns the canonical form of a number that DynamoDB accepts. It returns false for any
// other text. DynamoDB accepts zero. It also accepts numbers with at most 38 significant digits and
// an absolute value from 1E-130 to 9.99…E+125 (Developer Guide, "Data types").
func Decimal(s string) (string, bool) {
	if plain(s) {
		return s, true
	}
	d, ok := parse(s)
	if !ok {
		return "", false
	}
	digits := d.NumDigits()
	magnitude := int64(d.Exponent) + digits - 1
	if digits > 38 || magnitude > 125 || magnitude < -130 {
		return "", false
	}
	return d.Text('f'), true
}

// Ceiling rounds the number in a text up to a whole number. It returns false if the text is not a
// number, or if the result has more than 38 digits.
func Ceiling(s string) (*big.Int, bool) {
	text, ok := Decimal(strings.TrimSpace(s))
	if !ok {
		return nil, false
	}
	whole, fraction, _ := strings.Cut(text, ".")
	n, ok := Integer(whole)
	if ok && fraction != "" && !strings.HasPrefix(whole, "-") {
		return Integer(n.Add(n, big.NewInt(1)).String())
	}
	return n, ok
}
