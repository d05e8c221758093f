package warehouse

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"sync"
	"time"

	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/client"
)

// The ages of runs. If a run gives no sign of life for maxAge, another run of the same check removes its tables. A run
// gives a sign of life every renewal, so it may miss two.
const (
	maxAge  = 24 * time.Hour
	renewal = 6 * time.Hour
)

// markers matches the name of a marker, a table with a time.
var markers = regexp.MustCompile(`^tallylock_alive_(\d{14})_`)

// Renew shows that the run still runs at this time: it creates a marker, and drops the earlier markers.
func (r *Run) Renew(ctx context.Context, now time.Time) error {
	s := sql.Marker(r.engine.Dialect(), r.check, "alive_"+now.UTC().Format(stamp))
	r.markers = append(r.markers, s.Table) // the marker may exist even if the statement fails
	if err := r.engine.Exec(ctx, r.id, s.Text, func(int64) {}); err != nil {
		if outcomeOf(err) == client.ExecutionUnknown {
			r.pending = append(r.pending, s.Table)
		}
		return err
	}
	var failed error
	r.markers = slices.DeleteFunc(r.markers, func(name string) bool {
		if name == s.Table {
			return false
		}
		_, err := r.drop(ctx, r.id, name)
		failed = cmp.Or(failed, err)
		if err == nil { // the marker's statement ended hours ago, even if its answer was lost
			r.pending = slices.DeleteFunc(r.pending, func(pending string) bool { return pending == name })
		}
		return err == nil
	})
	return failed
}

// marking renews the marker at intervals until the caller calls end. It ignores a failed renewal, because the next
// renewal follows soon.
func (r *Run) marking(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		each := time.NewTicker(renewal)
		defer each.Stop()
		for {
			select {
			case now := <-each.C:
				_ = r.Renew(ctx, now)
			case <-ctx.Done():
				return
			}
		}
	})
	return func() { cancel(); done.Wait() }
}
