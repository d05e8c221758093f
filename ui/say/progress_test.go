package say_test

import (
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/change"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/client"
	"tallylock/ui/say"
)

// That nothing answers is said once that takes long, with since when.
func TestCheckLineInAnOutage(t *testing.T) {
	now := time.Date(2026, 11, 23, 3, 0, 0, 0, time.UTC)
	for silent, want := range map[time.Duration]string{0: "", time.Second: "", 4 * time.Minute: " · no answer for 4 min · ctrl+c stops · asking again · "} {
		s := progress.State{Stage: progress.Reading, Items: 3, Expected: 9}
		if silent > 0 {
			s.Silent = now.Add(-silent)
		}
		line := say.CheckLine(s, now)
		if strings.Contains(line, "no answer") != (want != "") || !strings.Contains(line, want) {
			t.Errorf("after %s: %s", silent, line)
		}
	}
}

// A step that is sent again says why: DynamoDB refused it for now, or no answer came.
func TestProgressOfAStepThatIsSentAgain(t *testing.T) {
	t.Parallel()
	for kind, want := range map[client.Kind]string{
		client.Throttled:   "Throttled by DynamoDB: sent 2 times, counted once",
		client.Conflict:    "Other programs write the same items: sent 2 times, counted once",
		client.Unreachable: "No answer yet: sent 2 times, counted once",
	} {
		if got := say.Progress(change.Progress{Attempt: 2, Before: kind}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Requests that were sent again are told, with the endpoint's reasons.
func TestThrottled(t *testing.T) {
	for want, s := range map[string]progress.State{
		"":               {},
		"throttled once": {Throttled: 1},
		"throttled twice (KeyRangeThroughputExceeded) · asked again 1,200 times": {
			Throttled: 2, Repeated: 1200, Reasons: map[string]int64{"KeyRangeThroughputExceeded": 2},
		},
	} {
		if got := say.Throttled(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
