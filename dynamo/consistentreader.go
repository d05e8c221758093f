package dynamo

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// ConsistentReader reads single items of a table, strongly consistent, and counts what
// that costs: it proves or disproves what a scan has made likely. It keeps its
// own pace, or the context's where it has no bounds, and does not give up when it is
// throttled. It is safe for concurrent use.
type ConsistentReader struct {
	*client.Pace
	t *Table

	mu        sync.Mutex
	units     float64
	throttled int64
	repeated  int64
	reasons   map[string]int64
}

// ConsistentReader makes one. It sends nothing.
func (t *Table) ConsistentReader() *ConsistentReader {
	return &ConsistentReader{Pace: &client.Pace{}, t: t}
}

// Units is the number of read units that its reads have consumed.
func (w *ConsistentReader) Units() float64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.units
}

// Resent is how many requests, or what was left of them, were turned away for want
// of capacity and sent again, with DynamoDB's reasons, and how many were sent again
// because an answer was damaged or never came.
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

// reading begins a reading, which is counted when it is paid.
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

// Read reads items of the table, or of one that its locks live in, by Key.ID.
// What is not in the answer does not exist.
func (w *ConsistentReader) Read(ctx context.Context, table string, keys []attr.Key) (map[string]attr.Item, error) {
	ctx, r, paid := w.reading(ctx)
	defer paid()
	return r.Get(ctx, table, keys, true)
}

// Moment reads items as they stand together at one moment, 100 at most, in the
// order of the places; nil is one that does not exist. apart is true where the
// endpoint has no transactions, and they were read one after the other.
func (w *ConsistentReader) Moment(
	ctx context.Context, places []client.Address,
) (items []attr.Item, apart bool, err error) {
	ctx, r, paid := w.reading(ctx)
	defer paid()
	return r.Together(ctx, places)
}

// TimeToLive is the attribute by which a table's items expire; empty where they do not.
func (w *ConsistentReader) TimeToLive(ctx context.Context, table string) (string, error) {
	ctx, r, _ := w.reading(ctx)
	return r.TimeToLive(ctx, table)
}

// Describe is Connection.Describe.
func (w *ConsistentReader) Describe(ctx context.Context, table string) (client.Description, error) {
	ctx, r, _ := w.reading(ctx)
	return r.Describe(ctx, table)
}

// With calls read with a reader that keeps the pace, and counts what it takes.
func (w *ConsistentReader) With(ctx context.Context, read func(context.Context, *client.Reader) error) error {
	ctx, r, paid := w.reading(ctx)
	defer paid()
	return read(ctx, r)
}

// Together reads the locks of relations, the given accounts, and those that the locks name, as
// they stand together at one moment. It returns new relations, in order, that are still to be
// judged, and the account that each lock names, if it exists. Accounts beyond the hundred items
// that one transaction reads are left out.
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
		rel.Reads = append(
			slices.Clone(rels[n].Reads),
			client.Read{
				At:    time.Now(),
				Table: rel.Lock.Table,
				What:  rel.Lock.Key.String(),
				Found: LockFound(rel.Lock),
				How:   HowTogether(rel.Apart),
			},
		)
	}
	return fresh, owners, nil
}

// HowTogether says how items were read for a client.Read: at one moment, or apart.
func HowTogether(apart bool) string {
	if apart {
		return "consistent"
	}
	return "transaction"
}
