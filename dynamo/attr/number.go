package attr

import (
	"math/big"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
)

// CanonicalNumber writes a decimal in DynamoDB's canonical way: without leading and trailing zeros,
// and without an exponent ("1.500" is "1.5", "1E2" is "100"). A number out of DynamoDB's range
// keeps its exponent. Any other text is returned unchanged.
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

// parse reads a finite number and removes the zeros at its end.
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

// longest is a limit above the length of any number of DynamoDB: 38 digits, and up to 130 zeros
// before or after them.
const longest = 200

// plain reports whether a number is an integer in canonical form, as nearly every number is.
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

// Integer reads a whole number of at most 38 digits. It reports false for fractions, longer numbers
// and other texts.
func Integer(s string) (*big.Int, bool) {
	s = CanonicalNumber(s)
	if len(s) > 40 {
		return nil, false
	}
	n, ok := new(big.Int).SetString(s, 10)
	if !ok || n.CmpAbs(maxInteger()) > 0 {
		return nil, false
	}
	return n, true
}

// Expiry reads a time to live, which is a number of seconds since 1970. It reports false
// for other values, which DynamoDB ignores.
func Expiry(v Value) (time.Time, bool) {
	n, ok := Integer(v.Text)
	if v.Kind != N || !ok || !n.IsInt64() {
		return time.Time{}, false
	}
	return time.Unix(n.Int64(), 0), true
}

// maxInteger is 10^38 − 1, the largest whole number whose digits DynamoDB keeps.
func maxInteger() *big.Int {
	n := new(big.Int).Exp(big.NewInt(10), big.NewInt(38), nil)
	return n.Sub(n, big.NewInt(1))
}

// Decimal reads a number that DynamoDB accepts: at most 38 significant digits, and an absolute
// value from 1E-130 to 9.99…E+125, or zero (Developer Guide, "Data types"). It returns the
// canonical form.
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

// Ceiling returns the smallest whole number that is not below the number in a text. It reports
// false if the text is not a number, or if the result would have more than 38 digits.
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
