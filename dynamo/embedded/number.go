package embedded

import (
	"strconv"
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

// canonicalNumber reads a decimal number as clients write it.
func canonicalNumber(s string) (string, error) {
	if isCanonicalInteger(s) {
		return s, nil
	}
	rest, negative := s, false
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		negative = rest[0] == '-'
		rest = rest[1:]
	}
	whole := leadingDigits(rest)
	rest = rest[len(whole):]
	fraction := ""
	if strings.HasPrefix(rest, ".") {
		fraction = leadingDigits(rest[1:])
		rest = rest[1+len(fraction):]
	}
	if whole == "" && fraction == "" {
		return "", notANumber(s)
	}
	exponent := 0
	if rest != "" {
		var ok bool
		if exponent, ok = parseExponent(rest); !ok {
			return "", notANumber(s)
		}
	}
	return formatNumber(negative, whole, fraction, exponent)
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

// parseExponent reads "e+12". Exponents beyond any sense are clamped: the
// range check refuses them, and no arithmetic overflows on the way.
func parseExponent(s string) (int, bool) {
	if s[0] != 'e' && s[0] != 'E' {
		return 0, false
	}
	s = s[1:]
	sign := 1
	if s != "" && (s[0] == '+' || s[0] == '-') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	if s == "" || len(leadingDigits(s)) != len(s) {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	if err != nil || n > 1<<30 {
		n = 1 << 30
	}
	return sign * n, true
}

// formatNumber checks precision and range, and writes the canonical text of
// ±whole.fraction × 10^exponent.
func formatNumber(negative bool, whole, fraction string, exponent int) (string, error) {
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	// leading is the power of ten of the first significant digit.
	leading := len(whole) - 1 + exponent
	if whole == "" {
		trimmed := strings.TrimLeft(fraction, "0")
		leading = exponent - 1 - (len(fraction) - len(trimmed))
		fraction = trimmed
	}
	if fraction == "" {
		whole = strings.TrimRight(whole, "0")
	}
	if whole == "" && fraction == "" {
		return "0", nil
	}
	if len(whole)+len(fraction) > maxDigits {
		return "", invalid("Attempting to store more than 38 significant digits in a Number")
	}
	if leading > maxExponent {
		return "", invalid("Number overflow. Attempting to store a number with magnitude larger than supported range")
	}
	if leading < minExponent {
		return "", invalid("Number underflow. Attempting to store a number with magnitude smaller than supported range")
	}
	digits := whole + fraction
	var b strings.Builder
	if negative {
		b.WriteByte('-')
	}
	switch {
	case leading < 0:
		b.WriteString("0.")
		b.WriteString(strings.Repeat("0", -leading-1))
		b.WriteString(digits)
	case len(digits) <= leading+1:
		b.WriteString(digits)
		b.WriteString(strings.Repeat("0", leading+1-len(digits)))
	default:
		b.WriteString(digits[:leading+1])
		b.WriteByte('.')
		b.WriteString(digits[leading+1:])
	}
	return b.String(), nil
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
	negativeA, negativeB := strings.HasPrefix(a, "-"), strings.HasPrefix(b, "-")
	switch {
	case negativeA && negativeB:
		return compareMagnitudes(b[1:], a[1:])
	case negativeA:
		return -1
	case negativeB:
		return 1
	}
	return compareMagnitudes(a, b)
}

func compareMagnitudes(a, b string) int {
	wholeA, fractionA, _ := strings.Cut(a, ".")
	wholeB, fractionB, _ := strings.Cut(b, ".")
	if len(wholeA) != len(wholeB) {
		return len(wholeA) - len(wholeB)
	}
	if c := strings.Compare(wholeA, wholeB); c != 0 {
		return c
	}
	return strings.Compare(fractionA, fractionB)
}

// addNumbers gives a+b, or a-b, exactly; a result that needs more than 38
// digits is refused, never rounded.
func addNumbers(a, b string, subtract bool) (string, error) {
	const safe = 18 // digits whose sum still fits an int64
	if len(a) <= safe && len(b) <= safe {
		x, errX := strconv.ParseInt(a, 10, 64)
		y, errY := strconv.ParseInt(b, 10, 64)
		if errX == nil && errY == nil {
			if subtract {
				y = -y
			}
			return strconv.FormatInt(x+y, 10), nil
		}
	}
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
	return canonicalNumber(sum.Text('f'))
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
