package say_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tallylock/dynamo/change"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/client"
	"tallylock/ui/say"
)

// If an endpoint does not answer for a long time, the line says so, and for how long.
func TestCheckLineInAnOutage(t *testing.T) {
	now := time.Date(2026, 11, 23, 3, 0, 0, 0, time.UTC)
	for silent, want := range map[time.Duration]string{0: "", time.Second: "", 4 * time.Minute: " · no answer for 4 min · ctrl+c stops · asking again · "} {
		s := progress.State{Stage: progress.Reading, Items: 3, Expected: 9}
		if silent > 0 {
			s.Silent = now.Add(-silent)
		}
		line := say.CheckLine(s, now, 200)
		if strings.Contains(line, "no answer") != (want != "") || !strings.Contains(line, want) {
			t.Errorf("after %s: %s", silent, line)
		}
	}
}

// A step that is sent again says why: DynamoDB refused it for now, or no answer came.
func TestProgressOfAStepThatIsSentAgain(t *testing.T) {
	t.Parallel()
	for kind, want := range map[client.Kind]string{
		client.Throttled:   "Throttled by DynamoDB: sent 2 times, applied at most once",
		client.Conflict:    "Other programs write the same items: sent 2 times, applied at most once",
		client.Unreachable: "No answer yet: sent 2 times, applied at most once",
	} {
		if got := say.Progress(change.Progress{Attempt: 2, Before: kind}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The line counts the requests that were sent again, with the endpoint's reasons.
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

// On a narrow terminal the line leaves out details, and keeps the stage, the key and the last field.
func TestCheckLineFits(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 3, 0, 0, 0, time.UTC)
	full := progress.State{
		Stage: progress.LookingAgain, Share: 0.61, Left: 47 * time.Minute, Items: 123_456_789, Expected: 234_567_890,
		Units: 1_234_567, Rate: 12_345, Throttled: 12_345, Reasons: map[string]int64{"TableReadProvisionedThroughputExceeded": 9},
		Findings: map[finding.Kind]int{finding.OrphanedLock: 12_345},
	}
	silent := full
	silent.Silent = now.Add(-4 * time.Minute)
	followed := full
	followed.Findings, followed.Candidates = nil, 12_345_678
	waiting := full
	waiting.Stage, waiting.Until = progress.Waiting, now.Add(10*time.Second)
	for _, c := range []struct {
		state progress.State
		last  string
	}{{full, "12,345 findings"}, {silent, "12,345 findings"}, {followed, "12,345,678 values followed up"}, {waiting, "12,345 findings"}} {
		doing, _ := say.CheckStage(c.state)
		for width := 79; width < 260; width++ {
			line := say.CheckLine(c.state, now, width)
			if n := utf8.RuneCountInString(line); n > width || !strings.HasSuffix(line, " · "+c.last) ||
				!strings.Contains(line, " · "+doing) || !strings.Contains(line, " · ctrl+c stops · ") {
				t.Fatalf("%d of %d columns: %s", n, width, line)
			}
		}
		if line := say.CheckLine(c.state, now, 260); !strings.Contains(line, "234,567,890 · throttled 12,345× Table") {
			t.Errorf("in 260 columns: %s", line)
		}
	}
}
