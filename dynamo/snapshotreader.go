package dynamo

import (
	"context"
	"maps"
	"slices"
	"sync"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// SnapshotReader reads single items of a table, strongly consistent, and counts the read units. Such readings
// prove or disprove the findings of a scan. If the reader has a Rate, it keeps its own pace, and otherwise the
// pace of the context. It retries throttled requests. It is safe for concurrent use.
type SnapshotReader struct {
	*client.Pace
	t *Table

	mu        sync.Mutex
	units     float64
	throttled int64
	repeated  int64
	reasons   map[string]int64
}

// SnapshotReader returns a new reader. It sends nothing.
func (t *Table) SnapshotReader() *SnapshotReader {
	return &SnapshotReader{Pace: &client.Pace{}, t: t}
}

// Units returns the number of read units that the reader has consumed.
func (w *SnapshotReader) Units() float64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.units
}

// Resent returns counts of the requests that were sent again. throttled counts the requests that DynamoDB
// throttled, in whole or in part. reasons counts DynamoDB's reasons for throttling. repeated counts the requests
// whose response was damaged or missing.
func (w *SnapshotReader) Resent() (throttled, repeated int64, reasons map[string]int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.throttled, w.repeated, maps.Clone(w.reasons)
}

func (w *SnapshotReader) again(throttled bool, reasons []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !throttled {
		w.repeated++
		return
	}
	w.throttled++
	if w.reasons == nil {
		w.reasons = map[string]int64{}
	}
	for _, r := range reasons {
		w.reasons[r]++
	}
}

// reading returns a reader, and the context to use with that reader. At the end the caller calls paid, which
// adds the reader's units to the units of w.
func (w *SnapshotReader) reading(ctx context.Context) (_ context.Context, r *client.Reader, paid func()) {
	if w.Rate > 0 || client.PaceOf(ctx) == nil {
		ctx = w.Keep(ctx)
	}
	r = w.t.conn.Reader()
	r.Again = w.again
	return ctx, r, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.units += r.Units
	}
}

// Read reads items by their keys, from the table itself, or from a table with its locks or ids. The result maps
// the ID of a key to the item. It has no entry for an item that does not exist.
func (w *SnapshotReader) Read(ctx context.Context, table string, keys []attr.Key) (map[string]attr.Item, error) {
	ctx, r, paid := w.reading(ctx)
	defer paid()
	return r.Get(ctx, table, keys, true)
}

// Moment reads at most 100 items at one moment. The result is in the order of places, with nil for an item that
// does not exist. If the endpoint or a table has no transactions, the items are read one after the other, and
// apart is true.
func (w *SnapshotReader) Moment(
	ctx context.Context, places []client.Address,
) (items []attr.Item, apart bool, err error) {
	ctx, r, paid := w.reading(ctx)
	defer paid()
	return r.Together(ctx, places)
}

// TimeToLive returns the name of the table's TTL attribute. The name is empty if the table's items do not expire.
func (w *SnapshotReader) TimeToLive(ctx context.Context, table string) (string, error) {
	ctx, r, _ := w.reading(ctx)
	return r.TimeToLive(ctx, table)
}

// Describe describes a table at the reader's pace.
func (w *SnapshotReader) Describe(ctx context.Context, table string) (client.Description, error) {
	ctx, r, _ := w.reading(ctx)
	return r.Describe(ctx, table)
}

// With calls the function read with a reader. That reader keeps the pace of w, and w counts its read units.
func (w *SnapshotReader) With(ctx context.Context, read func(context.Context, *client.Reader) error) error {
	ctx, r, paid := w.reading(ctx)
	defer paid()
	return read(ctx, r)
}

// Together reads the locks of relations, the given accounts, and the accounts that the locks name, at one
// moment. fresh has a new relation without a verdict for each old one, in the same order. owners has the
// account that each lock names, or nil if that account does not exist. One transaction reads at most 100 items,
// so Together leaves out further accounts.
func (w *SnapshotReader) Together(
	ctx context.Context, accounts []attr.Key, rels ...*verdict.Relation,
) (fresh []*verdict.Relation, owners []*schema.Account, err error) {
	ctx, r, paid := w.reading(ctx)
	defer paid()
	fresh, owners, err = NewLockReader(w.t, r).moment(ctx, accounts, rels)
	if err != nil {
		return nil, nil, err
	}
	for n, rel := range fresh {
		if len(rel.Claimants) > 0 {
			rel.Account = &rel.Claimants[0]
		}
		rel.Reads = append(slices.Clone(rels[n].Reads), LockRead(rel))
	}
	return fresh, owners, nil
}
