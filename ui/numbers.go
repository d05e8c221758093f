package ui

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"tallylock/dynamo/phrase"
)

// fitNumber writes a decimal string into w cells. A number is never cut: it
// loses its separators first; beyond that its two ends and, where there is
// room, the count of its digits are shown.
func fitNumber(digits string, w int) string {
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

// units writes read or write units: a half is a unit, so one decimal.
func units(u float64) string {
	whole, frac, _ := strings.Cut(strconv.FormatFloat(u, 'f', 1, 64), ".")
	out := phrase.Group(whole)
	if frac != "0" {
		out += "." + frac
	}
	return out
}

// rate writes numbers a second, or a minute where they are few.
func rate(perSecond float64) string {
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
	return glyphAbsent
}

// size writes bytes as people say them.
func size(bytes int64) string {
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

func clock(t time.Time) string { return t.Local().Format("15:04:05") }

// ago writes how long something is past.
func ago(d time.Duration) string {
	switch {
	case d < 2*time.Second:
		return "now"
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes ago", int(d.Minutes()))
	}
	return fmt.Sprintf("%d hours ago", int(d.Hours()))
}

// lasts writes how long something took: "0.04 s", "2.1 s", "3 min".
func lasts(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 0.1:
		return fmt.Sprintf("%.2f s", s)
	case s < 100:
		return fmt.Sprintf("%.1f s", s)
	}
	return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
}

// whole reads a whole number of any length.
func whole(s string) (*big.Int, bool) {
	n, ok := new(big.Int).SetString(s, 10)
	return n, ok
}
