package dynamo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/attr"
)

// Read is one thing that was read for an answer.
type Read struct {
	At    time.Time
	Table string
	What  string // a key, or an index and what it was asked
	Found string // what came back, in words
	How   string // "consistent", "eventual", "transaction"
	Units float64
}

// reading collects what one question reads.
type reading struct {
	conn  *Connection
	units float64
	reads []Read
	// again, where it is set, is told of each request that is sent once more: see
	// Pace.Keep.
	again func(throttled bool, reasons []string)
}

func (c *Connection) reading() *reading { return &reading{conn: c} }

func (r *reading) pay(ctx context.Context, capacity *types.ConsumedCapacity) float64 {
	if capacity == nil {
		return 0
	}
	units := aws.ToFloat64(capacity.CapacityUnits)
	r.units += units
	r.conn.spend(units)
	if p := paceOf(ctx); p != nil {
		p.Use(units)
	}
	return units
}

func (r *reading) note(table, what, found, how string, units float64) {
	r.reads = append(r.reads, Read{At: time.Now(), Table: table, What: what, Found: found, How: how, Units: units})
}

// batchLimit is how many keys BatchGetItem takes.
const batchLimit = 100

// get reads items by key, by Key.ID. What is not in the answer does not exist.
func (r *reading) get(ctx context.Context, table string, keys []attr.Key, consistent bool) (map[string]attr.Item, error) {
	found := map[string]attr.Item{}
	seen := map[string]bool{}
	var unique []attr.Key
	for _, k := range keys {
		if id := k.ID(); !seen[id] {
			seen[id] = true
			unique = append(unique, k)
		}
	}
	for batch := range slices.Chunk(unique, batchLimit) {
		if err := r.getBatch(ctx, table, batch, consistent, found); err != nil {
			return nil, r.conn.Explain(fmt.Sprintf("reading %s of %s", count(len(keys), "item"), table), err)
		}
	}
	return found, nil
}

func (r *reading) getBatch(ctx context.Context, table string, keys []attr.Key, consistent bool, found map[string]attr.Item) error {
	schema := attr.Schema{HashName: keys[0].Hash.Name, HashKind: keys[0].Hash.Value.Kind, RangeName: keys[0].Range.Name, RangeKind: keys[0].Range.Value.Kind}
	want := types.KeysAndAttributes{ConsistentRead: &consistent}
	for _, k := range keys {
		want.Keys = append(want.Keys, wireItem(k.Item()))
	}
	request := map[string]types.KeysAndAttributes{table: want}
	for attempt := 0; len(request) > 0; attempt++ {
		if attempt > 0 {
			if attempt > 12 {
				return &Error{Kind: Throttled, Op: "reading " + count(len(keys), "item") + " of " + table, Why: "the capacity is used up, and some were never answered", Do: "try again later"}
			}
			if err := pause(ctx, backoff(attempt)); err != nil {
				return err
			}
		}
		how, err := r.turn(ctx)
		if err != nil {
			return err
		}
		out, err := r.conn.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: request}, how)
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
		if request = out.UnprocessedKeys; len(request) > 0 && r.again != nil {
			r.again(true, nil) // what is left of it was turned away
		}
		if len(request[table].Keys) < before {
			attempt = 0 // it goes on, however slowly
		}
	}
	return nil
}

// Place is an item's address.
type Place struct {
	Table string
	Key   attr.Key
}

// together reads items as they stand at one moment (TransactGetItems). The
// answer is in the order of the places; nil is an item that does not exist. Where the
// endpoint or a table has no transactions they are read one after the other: apart is
// true.
func (r *reading) together(ctx context.Context, places []Place) (items []attr.Item, apart bool, err error) {
	in := &dynamodb.TransactGetItemsInput{}
	for _, p := range places {
		in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &types.Get{TableName: aws.String(p.Table), Key: wireItem(p.Key.Item())}})
	}
	if slices.ContainsFunc(places, func(p Place) bool { strong, _ := r.conn.strong.Load(p.Table); return strong == true }) {
		items, err := r.oneByOne(ctx, places)
		return items, true, err
	}
	for attempt := 1; ; attempt++ {
		how, err := r.turn(ctx)
		if err != nil {
			return nil, false, r.conn.Explain(fmt.Sprintf("reading %s together", count(len(places), "item")), err)
		}
		out, err := r.conn.client.TransactGetItems(ctx, in, how)
		if err == nil {
			for n := range out.ConsumedCapacity {
				r.pay(ctx, &out.ConsumedCapacity[n])
			}
			items = make([]attr.Item, len(places))
			for n, response := range out.Responses {
				if len(response.Item) > 0 {
					items[n] = itemOf(response.Item)
				}
			}
			return items, false, nil
		}
		err = r.conn.Explain(fmt.Sprintf("reading %s together", count(len(places), "item")), err)
		switch kind := KindOf(err); {
		case kind == Unsupported:
			items, err := r.oneByOne(ctx, places)
			return items, true, err
		case kind != Conflict || attempt == conflicts:
			return nil, false, err
		case r.again != nil:
			r.again(false, nil)
		}
		if err := pause(ctx, backoff(attempt)); err != nil {
			return nil, false, err
		}
	}
}

// conflicts is how often items are read together that others write to at that moment:
// a transaction of the application is over soon.
const conflicts = 8

// Items reads items as they stand at one moment, 100 at most, in the order of the
// places; nil is one that does not exist. apart: the endpoint has no
// transactions, and they were read one after the other.
func (c *Connection) Items(ctx context.Context, places []Place) (items []attr.Item, apart bool, err error) {
	return c.reading().together(ctx, places)
}

func (r *reading) oneByOne(ctx context.Context, places []Place) ([]attr.Item, error) {
	byTable := map[string][]attr.Key{}
	for _, p := range places {
		byTable[p.Table] = append(byTable[p.Table], p.Key)
	}
	found, err := r.getTables(ctx, byTable)
	if err != nil {
		return nil, err
	}
	items := make([]attr.Item, len(places))
	for n, p := range places {
		items[n] = found[p.Table][p.Key.ID()]
	}
	return items, nil
}

// scanInput is one page of a scan.
type scanInput struct {
	Limit      int
	Start      attr.Item
	Consistent bool
	Segment    int
	Segments   int      // 0: no segments
	Attributes []string // none: all
}

// scanPage is its answer. Last is nil after the last page.
type scanPage struct {
	Items []attr.Item
	Last  attr.Item
	Units float64
}

func (r *reading) scan(ctx context.Context, table string, in scanInput) (scanPage, error) {
	request := &dynamodb.ScanInput{
		TableName: &table, ConsistentRead: &in.Consistent,
	}
	if in.Limit > 0 {
		request.Limit = aws.Int32(int32(in.Limit))
	}
	if in.Start != nil {
		request.ExclusiveStartKey = wireItem(in.Start)
	}
	if in.Segments > 0 {
		request.Segment, request.TotalSegments = aws.Int32(int32(in.Segment)), aws.Int32(int32(in.Segments))
	}
	request.ExpressionAttributeNames, request.ProjectionExpression = projection(in.Attributes)
	how, err := r.turn(ctx)
	if err != nil {
		return scanPage{}, r.conn.Explain("reading the table "+table, err)
	}
	out, err := r.conn.client.Scan(ctx, request, how)
	if err != nil {
		return scanPage{}, r.conn.Explain("reading the table "+table, err)
	}
	page := scanPage{Items: make([]attr.Item, len(out.Items)), Units: r.pay(ctx, out.ConsumedCapacity)}
	for n, wire := range out.Items {
		page.Items[n] = itemOf(wire)
	}
	if len(out.LastEvaluatedKey) > 0 {
		page.Last = itemOf(out.LastEvaluatedKey)
	}
	return page, nil
}

// backoff is how long to wait before another attempt, from 25 ms to 2 s.
func backoff(attempt int) time.Duration {
	return min(25*time.Millisecond<<min(attempt, 10), 2*time.Second)
}

// pause waits, or ends with the context.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// getTables reads keys of several tables.
func (r *reading) getTables(ctx context.Context, keys map[string][]attr.Key) (map[string]map[string]attr.Item, error) {
	out := map[string]map[string]attr.Item{}
	for table, list := range keys {
		if len(list) == 0 {
			continue
		}
		found, err := r.get(ctx, table, list, true)
		if err != nil {
			return nil, err
		}
		out[table] = found
	}
	return out, nil
}
