package say

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// FitNumber writes a whole number into w cells. It never cuts off only the end. If there is too little room, it drops
// the separators. If that is not enough, it shows both ends and, if there is room, the count of digits.
func FitNumber(digits string, w int) string {
	if g := phrase.Group(digits); len(g) <= w {
		return g
	}
	if len(digits) <= w {
		return digits
	}
	tail := fmt.Sprintf(" (%d digits)", len(strings.TrimLeft(digits, "-")))
	if w < len(tail)+6 {
		tail = ""
	}
	room := max(w-len(tail)-1, 4)
	left := (room + 1) / 2
	return digits[:left] + "…" + digits[len(digits)-(room-left):] + tail
}

// Rate writes a rate as "12/s". If it is low, it is "3/min".
func Rate(perSecond float64) string {
	switch {
	case perSecond >= 10:
		return strconv.FormatFloat(perSecond, 'f', 0, 64) + "/s"
	case perSecond >= 0.1:
		return strconv.FormatFloat(perSecond, 'f', 1, 64) + "/s"
	case perSecond*60 >= 0.95:
		return strconv.FormatFloat(perSecond*60, 'f', 0, 64) + "/min"
	case perSecond > 0:
		return "<1/min"
	}
	return kit.GlyphAbsent
}

// Size writes a number of bytes: "1.5 MB".
func Size(bytes int64) string {
	switch {
	case bytes < 1000:
		return strconv.FormatInt(bytes, 10) + " B"
	case bytes < 1_000_000:
		return short(float64(bytes)/1e3) + " kB"
	case bytes < 1_000_000_000:
		return short(float64(bytes)/1e6) + " MB"
	}
	return short(float64(bytes)/1e9) + " GB"
}

func short(f float64) string {
	if f < 10 {
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return strconv.FormatFloat(f, 'f', 0, 64)
}

// WholeNumber reads a whole number of any length. It returns nil for any other text.
func WholeNumber(s string) (*big.Int, bool) {
	n, ok := new(big.Int).SetString(s, 10)
	return n, ok
}

// Position writes "5 of 8,311". sofar adds "so far".
func Position(at, of int, sofar bool) string {
	if of == 0 {
		return "none"
	}
	s := phrase.Number(at) + " of " + phrase.Number(of)
	if sofar {
		s += " so far"
	}
	return s
}

// Part returns the share of a table that is read. expected is hours old, so the share stays below 1.
func Part(read, expected int64) float64 {
	if expected <= 0 {
		return 0
	}
	return min(float64(read)/float64(expected), 0.99)
}

// Percent writes a share: 0.42 is "42 %".
func Percent(part float64) string {
	if part > 0 && part < 0.01 {
		return fmt.Sprintf("%.1f %%", part*100)
	}
	return fmt.Sprintf("%d %%", int(part*100))
}
