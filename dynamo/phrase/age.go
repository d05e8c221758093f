package phrase

import "time"

// Age writes an age in one unit: "3 hours old".
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
