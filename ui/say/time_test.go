package say_test

import (
	"testing"
	"time"

	"tallylock/ui/say"
)

// All durations use the same units, and no more digits than their precision allows.
func TestDurations(t *testing.T) {
	for d, want := range map[time.Duration][3]string{
		0:                        {"0.00 s", "1 s", "just now"},
		40 * time.Millisecond:    {"0.04 s", "1 s", "just now"},
		2100 * time.Millisecond:  {"2.1 s", "2 s", "2 s ago"},
		99 * time.Second:         {"99.0 s", "99 s", "99 s ago"},
		170 * time.Second:        {"3 min", "3 min", "3 min ago"},
		5 * time.Hour:            {"5 h", "5 h", "5 h ago"},
		10 * 24 * time.Hour:      {"10 days", "10 days", "10 days ago"},
		3 * 365 * 24 * time.Hour: {"3 years", "3 years", "3 years ago"},
	} {
		if got := [3]string{say.Lasts(d), say.Roughly(d), say.Ago(d)}; got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}
