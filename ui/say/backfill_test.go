package say_test

import (
	"testing"
	"time"

	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/ui/say"
)

// The line of a backfill has the remaining time, by the pace since the beginning of the stage. It is too early to say in
// the first second and before the first lock.
func TestBackfillRemainingTime(t *testing.T) {
	t.Parallel()
	put := func(locks, all int) change.Progress {
		return change.Progress{Stage: change.StageBackfill, Locks: locks, AllLocks: all}
	}
	for _, tc := range []struct {
		p       change.Progress
		elapsed time.Duration
		want    string
	}{
		{put(100, 400), 30 * time.Second, "Putting the locks: 100 of 400, about 90 s left"},
		{put(300, 400), 30 * time.Second, "Putting the locks: 300 of 400, about 10 s left"},
		{put(100, 400), 999 * time.Millisecond, "Putting the locks: 100 of 400"},
		{put(0, 400), time.Minute, "Putting the locks: 0 of 400"},
		{put(400, 400), time.Minute, "Putting the locks: 400 of 400"},
		{change.Progress{Stage: change.StageUnfill, Done: 10, Total: 70}, 10 * time.Minute, "Deleting the locks: 10 of 70, about 60 min left"},
	} {
		if said := say.BackfillDoing(tc.p, tc.elapsed); said != tc.want {
			t.Errorf("after %s: %q, want %q", tc.elapsed, said, tc.want)
		}
		if said := say.BackfillLine(tc.p, tc.elapsed); said != tc.want+" · ctrl+c stops" {
			t.Errorf("on a terminal after %s: %q", tc.elapsed, said)
		}
	}
	rest := put(300, 400)
	rest.EarlierLocks = 290
	if said := say.BackfillDoing(rest, 30*time.Second); said != "Putting the locks: 300 of 400, about 5 min left" {
		t.Errorf("a run that goes on: %q", said)
	}
	again := put(100, 400)
	again.Attempt, again.Before = 2, client.Throttled
	if said := say.BackfillLine(again, time.Minute); said != say.Progress(again) {
		t.Errorf("a transaction that is sent again: %q", said)
	}
}
