package browse_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fault"
	"tallylock/internal/fixture"
	"tallylock/internal/testrun"
)

// breaking lets one request fail. Unless once is set, all later requests fail, too.
type breaking struct {
	fault fault.Fault
	from  int64 // the number of the first request that fails, counted from 1; 0 if no request fails
	once  bool
	sent  atomic.Int64
}

func (b *breaking) choose(fault.Request) fault.Fault {
	n := b.sent.Add(1)
	if b.from > 0 && (n == b.from || n > b.from && !b.once) {
		return b.fault
	}
	return fault.NoFault
}

// verdictsOf returns each row of a view as a short text.
func verdictsOf(v browse.View) (all []string) {
	for _, r := range v.Relations {
		all = append(all, fmt.Sprint(r.Value, " ", r.Verdict, " ", r.Lock.Exists))
	}
	return all
}

// firstRows opens a town until its first rows are judged. After a failed step it calls mend and tries again. It returns
// the number of failed steps.
func firstRows(t *testing.T, conn *dynamo.Connection, mend func()) (v browse.View, failed int) {
	t.Helper()
	o, err := conn.Start(t.Context(), "town", 25)
	if err != nil {
		mend()
		failed++
		if o, err = conn.Start(t.Context(), "town", 25); err != nil {
			t.Fatal(err)
		}
	}
	for b := browse.NewOpening(o); b.Table() == nil; {
		before := v
		if v, err = b.Next(t.Context()); err != nil {
			mend()
			if failed++; failed > 3 {
				t.Fatal(err)
			}
		}
		if len(v.Items) < len(before.Items) || len(v.Relations) < len(before.Relations) {
			t.Errorf("%d rows are left of %d: %v", len(v.Items), len(before.Items), err)
		}
		for _, r := range v.Relations {
			if b.Table() == nil && (r.Verdict != verdict.Unknown || !r.Unjudged) {
				t.Errorf("%s is %s before the layout's fit is known", r.Value, r.Verdict)
			}
		}
	}
	return v, failed
}

// Any request may fail while a table is opened. Then no row disappears, no row is judged too early or differently, and
// the next step does the remaining work.
func TestEachRequestOfOpeningMayFail(t *testing.T) {
	t.Parallel()
	for how, kinds := range map[string][]fault.Fault{
		"described":  []fault.Fault{fault.FailAfter, fault.CloseAfter, fault.Truncate, fault.Throttle, fault.CloseBefore}[:testrun.Runs(5, 3)],
		"recognised": {fault.CloseAfter},
	} {
		for _, kind := range kinds {
			t.Run(fmt.Sprint(how, ", ", kind), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					breaks := &breaking{fault: kind}
					f := fixture.New(t, fault.WithFaults(breaks.choose))
					known := f.Town("town", 400)
					connect := func() *dynamo.Connection {
						return f.Connect(func(o *dynamo.Options) {
							if how == "described" {
								o.Layouts = []config.Layout{known}
							}
						})
					}
					mend := func() { breaks.from = 0 }
					breaks.sent.Store(0)
					want, _ := firstRows(t, connect(), mend)
					requests, failed := breaks.sent.Load(), 0
					for from := int64(1); from <= requests; from++ {
						for _, once := range []bool{true, false} {
							if !testrun.Long() && once != (from%2 == 0) {
								continue
							}
							breaks.sent.Store(0)
							breaks.from, breaks.once = from, once
							v, n := firstRows(t, connect(), mend)
							mend()
							if failed += n; once && n > 0 {
								t.Errorf("one %s at request %d is not got over", kind, from)
							}
							if got := verdictsOf(v); !slices.Equal(got, verdictsOf(want)) {
								t.Errorf("from request %d on: %v; want %v", from, got, verdictsOf(want))
							}
						}
					}
					if failed == 0 {
						t.Error("nothing failed")
					}
				})
			})
		}
	}
}
