package change_test

import (
	"math/big"
	"sync"
	"testing"
	"testing/synctest"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
)

// Many people reserve numbers of one counter at once: each person gets other numbers.
func TestManyReserveAtOnce(t *testing.T) {
	t.Parallel()
	const people = 20
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		var plans []*plan.Plan
		for range people {
			p, err := planner.Reserve(t.Context(), f.counter("order_id", "order_id"), big.NewInt(3))
			if err != nil {
				t.Fatal(err)
			}
			plans = append(plans, p)
		}
		receipts := make([]change.Receipt, people)
		var all sync.WaitGroup
		for n, p := range plans {
			all.Go(func() { receipts[n] = f.changer.Apply(t.Context(), p, nil) })
		}
		all.Wait()
		seen := map[string]bool{}
		for _, r := range receipts {
			if r.Outcome != journal.Applied || seen[r.After] {
				t.Errorf("%s %v %v: %s → %s", r.Outcome, r.Reasons, r.Err, r.Before, r.After)
			}
			seen[r.After] = true
		}
		if got := f.counter("order_id", "order_id").Value; got != "5060" {
			t.Errorf("the counter says %s; want 5060", got)
		}
	})
}
