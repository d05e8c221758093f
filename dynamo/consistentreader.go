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

// ConsistentReader reads single items of a table, strongly consistent, and counts the read units. Such readings
// prove or disprove what a scan suggests. The reader keeps its own pace, or the context's pace if it has no
// rate of its own. It retries while it is throttled. It is safe for concurrent use.
type ConsistentReader struct {
	*client.Pace
	t *Table

	mu        sync.Mutex
	units     float64
	throttled int64
	repeated  int64
	reasons   map[string]int64
}

// ConsistentReader returns a new reader. It sends nothing.
func (t *Table) ConsistentReader() *ConsistentReader {
	return &ConsistentReader{Pace: &client.Pace{}, t: t}
}

// Units returns how many read units the reader has consumed.
func (w *ConsistentReader) Units() float64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.units
}

// Resent counts retried requests. throttled counts the requests that DynamoDB throttled, in whole or in part.
// reasons counts DynamoDB's reasons for that. repeated counts the requests whose response was damaged or
// missing.
func (w *ConsistentReader) Resent() (throttled, repeated int64, reasons map[string]int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.throttled, w.repeated, maps.Clone(w.reasons)
}

func (w *ConsistentReader) again(throttled bool, reasons []string) {
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

// reading returns a reader, and the context to use with it. The caller calls paid at the end, which adds the
// reader's units.
func (w *ConsistentReader) reading(ctx context.Context) (_ context.Context, r *client.Reader, paid func()) {
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

// Read reads items of the table, or of a table with its locks or ids. The result is by Key.ID, without the
// items that do not exist.
func (w *ConsistentReader) Read(ctx context.Context, table string, keys []attr.Key) (map[string]attr.Item, error) {
	ctx, r, paid := w.reading(ctx)
	defer paid()
	return r.Get(ctx, table, keys, true)
}

// Moment reads at most 100 items at one moment, in the order of places. It returns nil for an item that does
// not exist. apart is true if the items were read one after the other, because the endpoint has no
// transactions.
func (w *ConsistentReader) Moment(
	ctx context.Context, places []client.Address,
) (items []attr.Item, apart bool, err error) {
	ctx, r, paid := w.reading(ctx)
	defer paid()
	return r.Together(ctx, places)
}

// TimeToLive returns the attribute by which a table's items expire. It is empty if they do not expire.
func (w *ConsistentReader) TimeToLive(ctx context.Context, table string) (string, error) {
	ctx, r, _ := w.reading(ctx)
	return r.TimeToLive(ctx, table)
}

// Describe describes a table at the reader's pace.
func (w *ConsistentReader) Describe(ctx context.Context, table string) (client.Description, error) {
	ctx, r, _ := w.reading(ctx)
	return r.Describe(ctx, table)
}

// With passes a reader to the callback read. The reader keeps the pace, and its read units are counted.
func (w *ConsistentReader) With(ctx context.Context, read func(context.Context, *client.Reader) error) error {
	ctx, r, paid := w.reading(ctx)
	defer paid()
	return read(ctx, r)
}

// Together reads the locks of relations, the given accounts, and the accounts that the locks name, at one
// moment. fresh are new relations in the same order, without verdicts. owners are the accounts that the locks
// name, or nil for an account that does not exist. One transaction reads at most 100 items, so Together leaves
// out further accounts.
func (w *ConsistentReader) Together(
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
