package phrase

import "time"

// Age is how old something is, in one unit.
func Age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return Count(int(d/time.Second), "second") + " old"
	case d < time.Hour:
		return Count(int(d/time.Minute), "minute") + " old"
	case d < 48*time.Hour:
		return Count(int(d/time.Hour), "hour") + " old"
	}
	return Count(int(d/(24*time.Hour)), "day") + " old"
}
