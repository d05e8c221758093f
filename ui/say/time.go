package say

import (
	"fmt"
	"time"
)

// When writes a time in at most 12 cells: "today 15:04", "Nov 7 15:04", or "2025-11-07" for another year.
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

// Long reports whether a wait is long.
func Long(took time.Duration) bool { return took >= patience }
