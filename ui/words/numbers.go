package words

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// FitNumber writes a decimal string into w cells. A number is never cut: it
// loses its separators first; beyond that its two ends and, where there is
// room, the count of its digits are shown.
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

// Units writes read or write units: a half is a unit, so one decimal.
func Units(u float64) string {
	whole, frac, _ := strings.Cut(strconv.FormatFloat(u, 'f', 1, 64), ".")
	out := phrase.Group(whole)
	if frac != "0" {
		out += "." + frac
	}
	return out
}

// ReadUnits writes read units with their name: "1 read unit", "13.5 read units".
func ReadUnits(u float64) string { return unitsOf(u, "read") }

// WriteUnits writes write units with their name.
func WriteUnits(u float64) string { return unitsOf(u, "write") }

func unitsOf(u float64, what string) string {
	n := Units(u)
	if n == "1" {
		return "1 " + what + " unit"
	}
	return n + " " + what + " units"
}

// Rate writes numbers a second, or a minute where they are few.
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

// Size writes bytes as people say them.
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

// Clock writes the time of day, to the second.
func Clock(t time.Time) string { return t.Local().Format("15:04:05") }

// Ago writes how long something is past.
func Ago(d time.Duration) string {
	switch {
	case d < 2*time.Second:
		return "just now"
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes ago", int(d.Minutes()))
	}
	return fmt.Sprintf("%d hours ago", int(d.Hours()))
}

// Lasts writes how long something took: "0.04 s", "2.1 s", "3 min".
func Lasts(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 0.1:
		return fmt.Sprintf("%.2f s", s)
	case s < 100:
		return fmt.Sprintf("%.1f s", s)
	}
	return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
}

// Roughly writes a duration that is only estimated.
func Roughly(d time.Duration) string {
	if s := int(d.Seconds() + 0.5); s < 100 {
		return fmt.Sprintf("%d s", max(s, 1))
	}
	return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
}

// WholeNumber reads a whole number of any length.
func WholeNumber(s string) (*big.Int, bool) {
	n, ok := new(big.Int).SetString(s, 10)
	return n, ok
}

// Position writes "5 of 8,311".
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

// Until says how long something takes, roughly.
func Until(seconds float64) string {
	const day = 86400
	switch {
	case seconds < 120:
		return fmt.Sprintf("about %.0f s", seconds)
	case seconds < 2*3600:
		return fmt.Sprintf("about %.0f minutes", seconds/60)
	case seconds < 2*day:
		return fmt.Sprintf("about %.0f hours", seconds/3600)
	case seconds < 700*day:
		return fmt.Sprintf("about %.0f days", seconds/day)
	case seconds < 200*365*day:
		return fmt.Sprintf("about %.0f years", seconds/365/day)
	}
	return "centuries"
}

// Minutes writes how long something takes: "0:21", "1:41", "2:03:10".
func Minutes(d time.Duration) string {
	s := int(d.Seconds() + 0.5)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// RoundUnits leaves away what an estimate cannot know.
func RoundUnits(units float64) float64 {
	if units >= 10 {
		return float64(int64(units + 0.5))
	}
	return units
}

// When writes a moment in twelve cells: the nearer, the more exactly.
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

// Part is how much of a table is read. The expected number is hours old: until the end is
// seen, it is never all.
func Part(read, expected int64) float64 {
	if expected <= 0 {
		return 0
	}
	return min(float64(read)/float64(expected), 0.99)
}

// Percent writes a part of 1.
func Percent(part float64) string {
	if part > 0 && part < 0.01 {
		return fmt.Sprintf("%.1f %%", part*100)
	}
	return fmt.Sprintf("%d %%", int(part*100))
}
