package warehouse

import (
	"context"
	"regexp"
	"sync"
	"time"

	"tallylock/dynamo/check/sql"
)

// The ages of runs. Another run of the same check removes the tables of a run without a sign of life for maxAge. A run
// gives a sign of life each renewal, so that it may miss two.
const (
	maxAge  = 24 * time.Hour
	renewal = 6 * time.Hour
)

// markers matches the name of a marker, a table with a time.
var markers = regexp.MustCompile(`^tallylock_alive_(\d{14})_`)

// Renew shows that the run still runs at this time: it creates a marker, and drops the marker before.
func (r *Run) Renew(ctx context.Context, now time.Time) error {
	s := sql.Marker(r.engine.Dialect(), r.check, "alive_"+now.UTC().Format(stamp))
	before := r.marker
	r.marker = s.Table // it may exist even if the statement fails
	if err := r.engine.Exec(ctx, r.id, s.Text, func(int64) {}); err != nil {
		if before != "" {
			_, _ = r.drop(ctx, r.id, s.Table)
			r.marker = before
		}
		return err
	}
	if before != "" {
		if _, err := r.drop(ctx, r.id, before); err != nil {
			return err
		}
	}
	return nil
}

// marking renews the marker until the caller calls end. A failed renewal is repeated at the next one.
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
