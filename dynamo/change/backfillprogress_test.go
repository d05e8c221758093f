package change_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"tallylock/dynamo/change"
)

// The progress of a backfill counts the missing locks, and not all values. A run that goes on tells how many locks
// earlier processes have put: its pace depends on the other ones.
func TestBackfillProgressCountsMissingLocks(t *testing.T) {
	t.Parallel()
	items := append(holdersOf(35), row("ACCT#twin", "PROFILE", "email", "p34@x.io"))
	for n := range 6 {
		items = append(items, adoptedLock(fmt.Sprint("p", n), fmt.Sprint("p", n)))
	}
	u := unlocked(t, items...)
	run := func(ctx context.Context) (all []string) {
		b, err := u.planned(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		u.changer.RunBackfill(ctx, b, nil, func(p change.Progress) {
			mu.Lock()
			defer mu.Unlock()
			if said := fmt.Sprintf("%d of %d, %d earlier", p.Locks, p.AllLocks, p.EarlierLocks); p.Stage == change.StageBackfill {
				all = append(all, said)
			}
		})
		if n := b.Expected(); n != 28 {
			t.Errorf("it expects %d locks", n)
		}
		return slices.Compact(all)
	}
	ctx, cancel := context.WithCancel(t.Context())
	u.after = func(op string, _ []byte) error {
		if op == "TransactWriteItems" && u.writes() == 1 {
			cancel()
		}
		return nil
	}
	if got, want := run(ctx), []string{"0 of 28, 0 earlier", "10 of 28, 0 earlier"}; !slices.Equal(got, want) {
		t.Errorf("the first run reports %q", got)
	}
	u.after = nil
	want := []string{"10 of 28, 10 earlier", "20 of 28, 10 earlier", "28 of 28, 10 earlier"}
	if got := run(t.Context()); !slices.Equal(got, want) {
		t.Errorf("the second run reports %q", got)
	}
}
