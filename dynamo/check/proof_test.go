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

// What makes a verdict sound is proven in these tests:
//
//   - No page of a look is asked for before its locks were read and have settled:
//     TestTheLookWaits. A look that does not end confirms nothing:
//     TestALookThatEndsEarly, TestStopped. An account that cannot be read speaks
//     against a verdict: TestDoubts.
//   - What is wrong from start to end is found while everybody else works on the
//     table, and nothing else is confirmed: TestTraffic, TestFullSpeed. Requests that
//     are sent again, answers that are damaged or cut, and pauses leave the sum of a
//     pass as it is: TestTheSumStays, TestFaults, TestFaultsOfAnyReading,
//     TestPausedCheck.
//   - Pairs that differ in spelling, locks that name another account, and keys that
//     one account claims twice: TestSpellings, TestOwners, TestSetsOfValues,
//     TestOneLockForTwoConstraints.
//   - More than fits into memory is never called clean: TestOverload,
//     TestHardlyAnyMemory, TestMoreThanMemory.
//   - A counter is asked for when the last id has been answered, and a half of a
//     transaction makes no finding: TestGaplessCounters.
//   - What a check must not leave out, X1 to X10: traces_test.go.

// A look of which a page is refused confirms nothing, wherever that is, and the check
// is not complete.
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

// What a pass leaves over is the same whatever happens on its way, to a key: no page
// counts twice, and none is lost.
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
