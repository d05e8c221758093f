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

// ConsistentReader reads single items of a table, strongly consistent, and counts the read units: it
// proves or disproves the likely result of a scan. It keeps its own pace, or the context's pace if it
// has no rate of its own. It retries while it is throttled. It is safe for concurrent use.
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

// Resent counts retried requests. throttled counts the requests that DynamoDB throttled, in whole or in
// part, and reasons counts its reasons. repeated counts the requests whose answer was damaged or missing.
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

// reading returns a reader with the context to use. paid adds the reader's units.
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

// Read reads items of the table, or of a table that keeps its locks. The result is by Key.ID. Items that
// do not exist are left out.
func (w *ConsistentReader) Read(ctx context.Context, table string, keys []attr.Key) (map[string]attr.Item, error) {
	ctx, r, paid := w.reading(ctx)
	defer paid()
	return r.Get(ctx, table, keys, true)
}

// Moment reads items at one moment, 100 at most, in the order of places. An item that does not exist
// is nil. apart is true if the endpoint has no transactions, so that the items were read one after the
// other.
func (w *ConsistentReader) Moment(
	ctx context.Context, places []client.Address,
) (items []attr.Item, apart bool, err error) {
	ctx, r, paid := w.reading(ctx)
	defer paid()
	return r.Together(ctx, places)
}

// TimeToLive returns the attribute by which a table's items expire; empty if they do not expire.
func (w *ConsistentReader) TimeToLive(ctx context.Context, table string) (string, error) {
	ctx, r, _ := w.reading(ctx)
	return r.TimeToLive(ctx, table)
}

// Describe describes a table with the paced reader.
func (w *ConsistentReader) Describe(ctx context.Context, table string) (client.Description, error) {
	ctx, r, _ := w.reading(ctx)
	return r.Describe(ctx, table)
}

// With calls the function read. The reader that it passes is paced, and its read units are counted.
func (w *ConsistentReader) With(ctx context.Context, read func(context.Context, *client.Reader) error) error {
	ctx, r, paid := w.reading(ctx)
	defer paid()
	return read(ctx, r)
}

// Together reads the locks of relations, the given accounts, and the accounts that the locks name, at
// one moment. It returns new relations in the same order, which are not judged yet, and the account
// that each lock names, if that exists. It leaves out accounts beyond the hundred items of one
// transaction.
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
