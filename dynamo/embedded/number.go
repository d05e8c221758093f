package embedded

import (
	"bytes"
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// A number is kept as its canonical text: plain notation, no sign but "-", no
// needless zero. Equal numbers have equal texts, so equality is a comparison
// of strings and no precision is ever lost.
const (
	maxDigits   = 38
	maxExponent = 125  // of 9.99…E+125
	minExponent = -130 // of 1E-130
)

// longestNumber is more than any number in range takes to write.
const longestNumber = 400

// canonicalNumber reads a decimal number as clients write it.
func canonicalNumber(s string) (string, error) {
	if isCanonicalInteger(s) {
		return s, nil
	}
	if len(s) > longestNumber {
		return "", notANumber(s)
	}
	d, _, err := apd.NewFromString(s)
	if err != nil || d.Form != apd.Finite {
		return "", notANumber(s)
	}
	return formatNumber(d)
}

func notANumber(s string) error {
	if len(s) > 64 {
		s = s[:64] + "…"
	}
	return invalid("A value provided cannot be converted into a number: %q", s)
}

// isCanonicalInteger spares the common case the work, and an allocation.
func isCanonicalInteger(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || len(digits) > maxDigits || digits[0] == '0' {
		return s == "0"
	}
	return len(leadingDigits(digits)) == len(digits)
}

func leadingDigits(s string) string {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return s[:i]
}

// formatNumber checks precision and range, and writes the canonical text.
func formatNumber(d *apd.Decimal) (string, error) {
	if d.IsZero() {
		return "0", nil
	}
	d.Reduce(d)
	digits := d.NumDigits()
	switch leading := int64(d.Exponent) + digits - 1; {
	case digits > maxDigits:
		return "", invalid("Attempting to store more than 38 significant digits in a Number")
	case leading > maxExponent:
		return "", invalid("Number overflow. Attempting to store a number with magnitude larger than supported range")
	case leading < minExponent:
		return "", invalid("Number underflow. Attempting to store a number with magnitude smaller than supported range")
	}
	return d.Text('f'), nil
}

// splitNumber takes a canonical number apart: its significant digits (none
// for zero) and the power of ten of the first of them.
func splitNumber(s string) (negative bool, digits string, leading int) {
	if strings.HasPrefix(s, "-") {
		negative, s = true, s[1:]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	if whole == "0" {
		digits = strings.TrimLeft(fraction, "0")
		return negative, digits, len(digits) - len(fraction) - 1
	}
	return negative, strings.TrimRight(whole+fraction, "0"), len(whole) - 1
}

// compareNumbers orders two canonical numbers.
func compareNumbers(a, b string) int {
	return bytes.Compare(appendNumberKey(nil, a), appendNumberKey(nil, b))
}

// addNumbers gives a+b, or a-b, exactly; a result that needs more than 38
// digits is refused, never rounded.
func addNumbers(a, b string, subtract bool) (string, error) {
	x, _, err := apd.NewFromString(a)
	if err != nil {
		return "", notANumber(a)
	}
	y, _, err := apd.NewFromString(b)
	if err != nil {
		return "", notANumber(b)
	}
	// Enough for the largest and the smallest number in one sum, so that
	// nothing is rounded before the digits are counted.
	exact := apd.BaseContext.WithPrecision(2 * (maxExponent - minExponent))
	var sum apd.Decimal
	if subtract {
		_, err = exact.Sub(&sum, x, y)
	} else {
		_, err = exact.Add(&sum, x, y)
	}
	if err != nil {
		return "", invalid("The sum of two numbers cannot be represented: %v", err)
	}
	return formatNumber(&sum)
}

// appendNumberKey writes a canonical number so that the order of the bytes is
// the order of the numbers: sign, exponent, digits; all but the sign inverted
// below zero.
func appendNumberKey(dst []byte, s string) []byte {
	negative, digits, leading := splitNumber(s)
	if digits == "" {
		return append(dst, 1)
	}
	var flip byte
	if negative {
		dst = append(dst, 0)
		flip = 0xff
	} else {
		dst = append(dst, 2)
	}
	dst = append(dst, byte(leading-minExponent)^flip)
	for i := range len(digits) {
		dst = append(dst, (digits[i]-'0'+1)^flip)
	}
	return append(dst, flip) // below, or when inverted above, any digit
}

// numberSize is what a number weighs in an item: a byte for two digits, one
// for the exponent, one more for a sign.
func numberSize(s string) int {
	negative, digits, _ := splitNumber(s)
	n := 1 + (len(digits)+1)/2
	if negative {
		n++
	}
	return n
}
