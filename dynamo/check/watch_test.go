package check_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo/check/setting"
	"tallylock/internal/fault"
	"tallylock/internal/testrun"
)

// Values that are given up and taken again at full speed look like orphans to a slow reading: it reads each account
// while the account holds another value. If values changed owners during the second reading, the check watches the
// suspected locks before it calls them orphaned.
func TestValuesThatMoveFast(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testrun.Runs(4, 2)) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, seed, fault.Delays{})
			w.latency = time.Second
			for n := range 40 {
				w.signUp(fmt.Sprint("id", n), fmt.Sprint("v", n))
			}
			for n := range 3 {
				w.signUp(fmt.Sprint("gone", n), fmt.Sprint("left", n))
				w.expire(fmt.Sprint("gone", n))
			}
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				for ctx.Err() == nil {
					time.Sleep(25 * time.Millisecond)
					w.mu.Lock()
					id, v := fmt.Sprint("id", w.rand.IntN(40)), fmt.Sprint("v", w.rand.IntN(48))
					if w.locks[v] == "" {
						w.change(id, v)
					}
					w.mu.Unlock()
				}
			}()
			w.begun = time.Now()
			found, sum, err := run(t.Context(), w.open(time.Second), setting.Options{Segments: 24})
			stop()
			<-ended
			if err != nil || !sum.Complete {
				t.Fatalf("%+v, %v", sum, err)
			}
			if want := []string{"orphaned-lock left0", "orphaned-lock left1", "orphaned-lock left2"}; !slices.Equal(said(found), want) {
				t.Errorf("seed %d: found %q, want %q", seed, said(found), want)
				for _, f := range found {
					t.Logf("%s: %s %v", f.Value, f.Evidence, w.during(f.Value, w.begun, time.Now()))
				}
			}
		})
	}
}
