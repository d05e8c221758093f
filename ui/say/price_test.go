package say_test

import (
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/check/progress"
	"tallylock/ui/say"
)

// The duration of the readings does not include the wait before the second reading.
func TestACheckNamesItsWaitApart(t *testing.T) {
	cost := progress.Cost{
		Items: 151, First: 9, Again: 18, Pace: 6000, Time: 5 * time.Millisecond, Wait: 10 * time.Second,
	}
	want := "; about 1 s at 6,000 read units a second; a wait of 10 s if something is broken."
	if got := say.BeforeCheck("accounts", cost, false); !strings.HasSuffix(got, want) {
		t.Errorf("%q does not end with %q", got, want)
	}
	cost.Wait = 0
	if got := say.BeforeCheck("accounts", cost, false); strings.Contains(got, "wait") {
		t.Errorf("%q names a wait, and there is none", got)
	}
	for _, f := range say.CheckPrice(progress.Cost{Pace: 6000, Time: time.Second, Wait: 10 * time.Second}) {
		if f.Label == "takes" && !strings.Contains(f.Said[0].Text, "; a wait of 10 s if something is broken") {
			t.Errorf("it takes %q", f.Said)
		}
	}
}
