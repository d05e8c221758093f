package say

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// FitNumber writes a whole number into w cells. It never just cuts the end off. If there is too
// little room, it drops the separators. If that is not enough, it shows both ends and, if there is
// room, the count of digits.
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

// Units writes a number of read or write units, with one decimal: half units exist.
func Units(u float64) string {
	whole, frac, _ := strings.Cut(strconv.FormatFloat(u, 'f', 1, 64), ".")
	out := phrase.Group(whole)
	if frac != "0" {
		out += "." + frac
	}
	return out
}

// ReadUnits writes a number of read units: "1 read unit", "13.5 read units".
func ReadUnits(u float64) string { return unitsOf(u, "read") }

// UsedReadUnits writes how many read units were used. If the endpoint does not report them, the cost
// is unknown.
func UsedReadUnits(u float64, reported bool) string {
	if !reported {
		return "price unknown"
	}
	return ReadUnits(u)
}

// WriteUnits writes a number of write units: "2 write units".
func WriteUnits(u float64) string { return unitsOf(u, "write") }

// Paid writes the units that a change has used. A write uses at least one unit, so 0 means that the
// endpoint does not report them.
func Paid(write, read float64) string {
	switch {
	case write == 0:
		return "price unknown: the endpoint does not say it"
	case read == 0:
		return WriteUnits(write)
	}
	return WriteUnits(write) + ", " + ReadUnits(read)
}

func unitsOf(u float64, what string) string {
	n := Units(u)
	if n == "1" {
		return "1 " + what + " unit"
	}
	return n + " " + what + " units"
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

// WholeNumber reads a whole number of any length.
func WholeNumber(s string) (*big.Int, bool) {
	n, ok := new(big.Int).SetString(s, 10)
	return n, ok
}

// Position writes "5 of 8,311". sofar adds "so far".
func Position(at, of int, sofar bool) string {
	if of == 0 {
		return "none"
	}
	s := phrase.Group(strconv.Itoa(at)) + " of " + phrase.Group(strconv.Itoa(of))
	if sofar {
		s += " so far"
	}
	return s
}

// RoundUnits rounds an estimate to whole units, from 10 up.
func RoundUnits(units float64) float64 {
	if units >= 10 {
		return float64(int64(units + 0.5))
	}
	return units
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

// Clock writes the time of day, to the second.
func Clock(t time.Time) string { return t.Local().Format("15:04:05") }

// When writes a time in twelve cells. It shows the time of day today, and only the date for another
// year.
func When(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	switch {
	case t.Format(time.DateOnly) == now.Format(time.DateOnly):
		return "today  " + t.Format("15:04")
	case t.Year() == now.Year():
		return t.Format("Jan _2 15:04")
	}
	return t.Format(time.DateOnly)
}

// Lasts writes a measured duration: "0.04 s", "2.1 s", "3 min".
func Lasts(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 0.1:
		return fmt.Sprintf("%.2f s", s)
	case s < 100:
		return fmt.Sprintf("%.1f s", s)
	}
	return Roughly(d)
}

// Roughly writes an estimated or running duration: "21 s", "3 min", "10 days".
func Roughly(d time.Duration) string {
	const day = 24 * time.Hour
	in := func(unit time.Duration) int { return int((d + unit/2) / unit) }
	switch {
	case d < 100*time.Second:
		return fmt.Sprintf("%d s", max(in(time.Second), 1))
	case d < 100*time.Minute:
		return fmt.Sprintf("%d min", in(time.Minute))
	case d < 2*day:
		return fmt.Sprintf("%d h", in(time.Hour))
	case d < 700*day:
		return fmt.Sprintf("%d days", in(day))
	}
	return fmt.Sprintf("%d years", in(365*day))
}

// Ago writes how long ago something was: "3 min ago".
func Ago(d time.Duration) string {
	if d < 2*time.Second {
		return "just now"
	}
	return Roughly(d) + " ago"
}
