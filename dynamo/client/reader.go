package client

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
)

// Read is one thing that was read for an answer.
type Read struct {
	At    time.Time
	Table string
	What  string // a key, or an index and what it was asked
	Found string // what came back, in words
	How   string // "consistent", "eventual", "transaction", "not read" where it was denied
	Units float64
	// Whole: it was of all items of the table.
	Whole bool
}

// Reader sends the reads of one question and counts what they consume. It is not safe
// for concurrent use.
type Reader struct {
	// Units is the read units consumed so far, and Reads is what was noted of them.
	Units float64
	Reads []Read
	// Again is called on each retry: after throttling with DynamoDB's reasons, or
	// because an answer was damaged or never came. It may be nil.
	Again func(throttled bool, reasons []string)

	client *Client
}

// Reader begins a question. It sends nothing.
func (c *Client) Reader() *Reader { return &Reader{client: c} }

// Fork is a Reader of its own for another goroutine. What it consumes is not counted
// with r.
func (r *Reader) Fork() *Reader { return &Reader{client: r.client, Again: r.Again} }

func (r *Reader) pay(ctx context.Context, capacity *types.ConsumedCapacity) float64 {
	if capacity == nil {
		return 0
	}
	units := aws.ToFloat64(capacity.CapacityUnits)
	r.Units += units
	r.client.spend(units)
	if p := PaceOf(ctx); p != nil {
		p.Use(units)
	}
	return units
}

// Note adds to Reads what was read now.
func (r *Reader) Note(table, what, found, how string, units float64) {
	r.Reads = append(r.Reads, Read{At: time.Now(), Table: table, What: what, Found: found, How: how, Units: units})
}

// MaxBatch is how many keys BatchGetItem takes.
const MaxBatch = 100

// Get reads items by key, any number of them. The answer is by Key.ID; what is not in it
// does not exist.
func (r *Reader) Get(
	ctx context.Context, table string, keys []attr.Key, consistent bool,
) (map[string]attr.Item, error) {
	found := map[string]attr.Item{}
	for batch := range slices.Chunk(unique(keys), MaxBatch) {
		if err := r.getBatch(ctx, table, batch, consistent, found); err != nil {
			return nil, r.client.Explain(fmt.Sprintf("reading %s of %s", phrase.Count(len(keys), "item"), table), err)
		}
	}
	return found, nil
}

// unique leaves each key once.
func unique(keys []attr.Key) []attr.Key {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(keys), func(k attr.Key) bool {
		again := seen[k.ID()]
		seen[k.ID()] = true
		return again
	})
}

func (r *Reader) getBatch(
	ctx context.Context, table string, keys []attr.Key, consistent bool, found map[string]attr.Item,
) error {
	schema := attr.Schema{
		HashName:  keys[0].Hash.Name,
		HashKind:  keys[0].Hash.Value.Kind,
		RangeName: keys[0].Range.Name,
		RangeKind: keys[0].Range.Value.Kind,
	}
	want := types.KeysAndAttributes{ConsistentRead: &consistent}
	for _, k := range keys {
		want.Keys = append(want.Keys, wireItem(k.Item()))
	}
	request := map[string]types.KeysAndAttributes{table: want}
	for attempt := 0; len(request) > 0; attempt++ {
		if attempt > 0 {
			if attempt > 12 {
				return &Error{
					Kind: Throttled,
					Op:   "reading " + phrase.Count(len(keys), "item") + " of " + table,
					Why:  "DynamoDB throttled them, and some were never answered",
					Do:   "try again later",
				}
			}
			if err := Pause(ctx, backoff(attempt)); err != nil {
				return err
			}
		}
		how, err := r.turn(ctx)
		if err != nil {
			return err
		}
		out, err := r.client.sdk.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: request}, how)
		if err != nil {
			return err
		}
		for n := range out.ConsumedCapacity {
			r.pay(ctx, &out.ConsumedCapacity[n])
		}
		for _, wire := range out.Responses[table] {
			item := itemOf(wire)
			if k, ok := schema.KeyOf(item); ok {
				found[k.ID()] = item
			}
		}
		before := len(request[table].Keys)
		if request = out.UnprocessedKeys; len(request) > 0 && r.Again != nil {
			r.Again(true, nil) // what is left of it was turned away
		}
		if len(request[table].Keys) < before {
			attempt = 0 // it goes on, however slowly
		}
	}
	return nil
}

// Address is an item's address.
type Address struct {
	Table string
	Key   attr.Key
}

// backoff is how long to wait before another attempt, from 25 ms to 2 s.
func backoff(attempt int) time.Duration {
	return min(25*time.Millisecond<<min(attempt, 10), 2*time.Second)
}

// Pause waits, or ends with the context.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// batchesAtOnce is how many batches are read at the same time.
const batchesAtOnce = 8

// GetTables is Get of several tables, in batches that are read at the same time: keys and
// answer are by the table's name.
func (r *Reader) GetTables(
	ctx context.Context, keys map[string][]attr.Key, consistent bool,
) (map[string]map[string]attr.Item, error) {
	out := map[string]map[string]attr.Item{}
	for table := range keys {
		out[table] = map[string]attr.Item{}
	}
	var mu sync.Mutex // of what is found and of r's units
	var g errgroup.Group
	g.SetLimit(batchesAtOnce)
	for _, table := range slices.Sorted(maps.Keys(keys)) {
		for some := range slices.Chunk(unique(keys[table]), MaxBatch) {
			g.Go(func() error {
				by := r.Fork()
				found, err := by.Get(ctx, table, some, consistent)
				mu.Lock()
				defer mu.Unlock()
				r.Units += by.Units
				maps.Copy(out[table], found)
				return err
			})
		}
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}
