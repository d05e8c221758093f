package change_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/scan"
	"tallylock/internal/fault"
)

// storm gives a share of the tool's requests a fault, while blows is set.
type storm struct {
	blows atomic.Bool
	fault fault.Fault

	mu     sync.Mutex
	random *rand.Rand
	hit    map[string]int // the number of faults, by operation
}

func stormy(which fault.Fault) *storm {
	return &storm{fault: which, random: rand.New(rand.NewPCG(7, 7)), hit: map[string]int{}}
}

func (s *storm) choose(r fault.Request) fault.Fault {
	// Writes are only throttled: after any other fault, a write may have been applied.
	if !s.blows.Load() || (r.Op == "TransactWriteItems" && s.fault != fault.Throttle) {
		return fault.NoFault
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.random.IntN(10) >= 3 {
		return fault.NoFault
	}
	s.hit[r.Op]++
	return s.fault
}

// large makes a table that is read in several segments: accounts with their locks, and some orphaned locks.
func (f *fixture) large(orphans int) *dynamo.Table {
	f.t.Helper()
	f.create("odd")
	for n := range 12 {
		f.put("odd", row(fmt.Sprint("ACCT#", n), "PROFILE", "username", fmt.Sprint("u", n), "photo", strings.Repeat("x", 390<<10)))
		f.put("odd", handle(fmt.Sprint("u", n)))
	}
	var left []item
	for n := range orphans {
		left = append(left, handle(fmt.Sprint("v", n)))
	}
	f.put("odd", left...)
	return f.open("odd", handles, func(o *dynamo.Options) { o.Settle, o.AutoReadUnits = time.Second, -1 })
}

// Three of ten requests are throttled, or their answers are cut. The repairs get slower, but none is given up, from the
// first read to the last deletion.
func TestMendingUnderThrottling(t *testing.T) {
	t.Parallel()
	for which, ops := range map[fault.Fault][]string{
		fault.Throttle: {"Scan", "BatchGetItem", "TransactWriteItems"},
		fault.Truncate: {"Scan", "BatchGetItem"},
	} {
		t.Run(which.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := stormy(which)
				f := start(t, fault.WithFaults(s.choose))
				f.changer.Pause = nil // the default pauses
				tab := f.large(60)
				f.put("odd", row("ACCT#a", "PROFILE", "username", "unlocked"))
				found := f.checked(tab)
				if len(found) != 61 {
					t.Fatalf("found %d", len(found))
				}
				for n := range found {
					found[n].SuspectLayout = false // the layout is described
				}
				s.blows.Store(true)
				receipts, left := f.mend(tab, found...)
				s.blows.Store(false)
				for _, r := range receipts {
					if r.Outcome != journal.Applied {
						t.Errorf("%s: %s %v %v", r.Plan, r.Outcome, r.Reasons, r.Err)
					}
				}
				if len(receipts) != 61 || len(left) > 0 {
					t.Errorf("%d mended, left %v", len(receipts), left)
				}
				for _, op := range ops {
					if s.hit[op] == 0 {
						t.Errorf("no %s was hit: %v", op, s.hit)
					}
				}
				if now := f.checked(tab); len(now) != 0 {
					t.Errorf("a check finds %v", kinds(now))
				}
			})
		})
	}
}

// The reads before a repair, and the reads of its look, keep to the limit of read units. Without a limit, they use half
// of the table's capacity.
func TestMendingKeepsThePaceOfReads(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]float64{"as said": 20, "by the table": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := start(t)
				tab := f.large(30)
				found := f.checked(tab)
				for n := range found {
					found[n].SuspectLayout = false
				}
				rate := most
				if most == 0 {
					tab.ReadLimit = 40
					rate = scan.RateOf(tab.Description, 0)
				}
				f.changer.MaxReadUnits = most
				used, began := tab.Connection().Units(), time.Now()
				receipts, _ := f.mend(tab, found...)
				used = tab.Connection().Units() - used
				if len(receipts) != 30 || receipts[0].Outcome != journal.Applied {
					t.Fatalf("%d receipts, %+v", len(receipts), receipts)
				}
				// The run does not wait after its last reads: one of a lock, and one of a page.
				const last = 300
				if took := time.Since(began).Seconds(); used < 1000 || took < (used-last)/rate {
					t.Errorf("%v units took %v s at %v a second", used, took, rate)
				}
			})
		})
	}
}

// If a page of a look is damaged at each attempt, every lock stays.
func TestALookOfDamagedPagesDeletesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		tab := f.large(2)
		found := f.checked(tab)
		f.body = func(operation, body string) string {
			if operation == "Scan" && strings.Contains(body, "ACCT#5") {
				return strings.Replace(body, "ACCT#5", "ACCT#x", 1) // its checksum does not match
			}
			return body
		}
		receipts, _ := f.mend(tab, found...)
		f.body = nil
		for _, r := range receipts {
			if r.Outcome != journal.Refused || r.Err == nil || !r.Unmarked {
				t.Errorf("%s: %s %v %v", r.Plan, r.Outcome, r.Reasons, r.Err)
			}
		}
		if len(receipts) != 2 || len(f.get("odd", handle("v0"))) != 2 {
			t.Errorf("%d receipts; the lock is %v", len(receipts), f.get("odd", handle("v0")))
		}
	})
}
