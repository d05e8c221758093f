package model_test

import (
	"testing"

	. "tallylock/internal/model"
)

// TestCounters explores the check of a counter. It also explores weakened checks, such as one that reads in another
// order.
func TestCounters(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		world Counter
		want  Property
	}{
		"two requests":                {Counter{Mints: 5}, ""},
		"gapless":                     {Counter{Mints: 5, Gapless: true, Spread: true}, ""},
		"the counter first":           {Counter{Mints: 2, CounterFirst: true}, BehindIsTrue},
		"gapless, no transaction":     {Counter{Mints: 2, Gapless: true, Spread: true, Strong: true}, BehindIsTrue},
		"lowered to the highest used": {Counter{Mints: 2, Lower: true}, NoIDTwice},
	} {
		r := Explore(&tc.world, 0)
		t.Logf("%s: %d states, %d steps; %s", name, r.States, r.Steps, r.Violation)
		if tc.want == "" && r.Violation != nil || tc.want != "" && (r.Violation == nil || r.Violation.Property != tc.want) {
			t.Errorf("%s: %s; want: %q", name, r.Violation, tc.want)
		}
	}
}
