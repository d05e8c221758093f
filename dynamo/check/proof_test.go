package check_test

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/internal/fault"
	"tallylock/internal/generator"
)

// These tests prove that verdicts are sound:
//
//   - The second reading requests no page before the check has read the locks and waited for the grace period:
//     TestTheLookWaits. If this reading does not end, the check confirms nothing: TestALookThatEndsEarly, TestStopped.
//     If an account cannot be read by the layout, the finding is unconfirmed: TestDoubts.
//   - A check finds each problem that exists from its start to its end, although others write to the table, and
//     confirms nothing else: TestTraffic, TestFullSpeed. Retries, damaged answers and pauses do not change the sum of a
//     pass: TestTheSumStays, TestFaults, TestFaultsOfAnyReading, TestPausedCheck.
//   - A check pairs values that differ in spelling, finds locks that name another account, and counts a key once if one
//     account claims it twice: TestSpellings, TestOwners, TestSetsOfValues, TestOneLockForTwoConstraints.
//   - If memory is too small, the check does not call the table clean: overload_test.go, TestHardlyAnyMemory,
//     TestMoreThanMemory.
//   - A check reads a counter after the last id. Half of a transaction makes no finding: TestGaplessCounters.
//   - traces_test.go shows that a check needs each of its steps (X1 to X10).

// If any page of the second reading is refused, the check confirms nothing and is incomplete.
func TestALookThatEndsEarly(t *testing.T) {
	for _, after := range []int{0, 1, segments / 2, segments - 1} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 1, fault.Delays{})
			w.signUp("A", "v")
			w.signUp("B", "u")
			w.expire("A")
			pages := 0
			w.refused = func(q request) bool {
				if q.look() {
					pages++
				}
				return q.look() && pages > after
			}
			found, sum, err := run(t.Context(), w.open(settle), setting.Options{Segments: segments})
			if client.KindOf(err) != client.Denied || sum.Complete || sum.Confirmed {
				t.Errorf("after %d pages: %v, %+v", after, err, sum)
			}
			if want := []string{"orphaned-lock v?"}; !slices.Equal(said(found), want) {
				t.Errorf("after %d pages: found %q, want %q", after, said(found), want)
			}
		})
	}
}

// The leftover keys of a pass are the same despite faults and pauses: no page counts twice, and none is lost.
func TestTheSumStays(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string]generator.Faults{
		"throttled": {Throttled: 0.3},
		"corrupted": {Corrupted: 0.05},
		"cut":       {Cut: 0.05},
		"all":       {Throttled: 0.3, Corrupted: 0.05, Cut: 0.05},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const wrong = 40
				table := &generator.Table{Name: "accounts", Pages: 300, PerPage: 10, Seed: 3, Anomalies: []generator.Wrong{{Kind: generator.OrphanedLock, Count: wrong / 2}, {Kind: generator.MissingLock, Count: wrong / 2}}}
				p := &pausing{t: t, next: http.RoundTripper(table), gate: new(client.Gate), every: 60}
				o := behind(p)
				o.Layout = "uniq"
				open := opened(t, o, table.Name)
				table.Faults = faults
				d := newDifference()
				items, err := joined(p.gate.Hold(t.Context()), open, d.worker)
				if left := len(d.left); err != nil || left != wrong || int(items) != table.Items() || p.pauses == 0 {
					t.Errorf("%d left of %d items, want %d of %d, after %d pauses: %v", left, items, wrong, table.Items(), p.pauses, err)
				}
			})
		})
	}
}
