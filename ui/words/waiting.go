package words

import "time"

// patience is how long an endpoint is waited for before it is said that this is long.
const patience = 3 * time.Second

// Long reports whether a wait is long.
func Long(took time.Duration) bool { return took >= patience }

// Silent says of an endpoint that it is waited for long.
const Silent = "is slow, or does not answer"

// Waiting says for which endpoint something waits, what for, and how to leave.
func Waiting(where, what, leave string, took time.Duration) string {
	if Long(took) {
		return Roughly(took) + " so far: " + where + " " + Silent + " · " + leave + " · " + what
	}
	return "Waiting for " + where + ": " + what + " · " + leave
}
