package client

import (
	"context"
	"fmt"
	"hash/maphash"
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

// Read is one read, as evidence for an answer.
type Read struct {
	At    time.Time
	Table string
	What  string // a key, or an index and the value
	Found string // the result in words
	How   string // "consistent", "eventual", "transaction"; "not read" after a denial
	Units float64
	// Whole is true if the read covered the whole table.
	Whole bool
}

// Reader sends the reads of one question and counts their read units. It is not safe for concurrent use.
type Reader struct {
	// Units is the number of read units consumed so far. Reads are the reads that Note has added.
	Units float64
	Reads []Read
	// Again is called before retries. It misses some retries of reads without a Pace, since the SDK's retryer does not
	// call it. throttled is true if DynamoDB throttled the request, and reasons are then DynamoDB's reasons. Otherwise an
	// answer was damaged or never came, or the application was writing to the items. Again may be nil.
	Again func(throttled bool, reasons []string)

	client *Client
}

// Reader returns a reader for a question. It sends nothing.
func (c *Client) Reader() *Reader { return &Reader{client: c} }

// Fork returns a Reader for another goroutine. r.Units does not count the reads of the new Reader.
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

// Note adds a read to Reads.
func (r *Reader) Note(table, what, found, how string, units float64) {
	r.Reads = append(r.Reads, Read{At: time.Now(), Table: table, What: what, Found: found, How: how, Units: units})
}

// MaxBatch is the greatest number of keys in one BatchGetItem.
const MaxBatch = 100

// Get reads any number of items by key. The result maps Key.ID to the item. It has no entry for an item
// that does not exist.
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

// unique returns the keys without duplicates.
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
		want.Keys = append(want.Keys, WireItem(k.Item()))
	}
	request := map[string]types.KeysAndAttributes{table: want}
	for attempt := 0; len(request) > 0; attempt++ {
		if attempt > 0 {
			if attempt > 12 {
				return &Error{
					Kind: Throttled,
					Op:   "reading " + phrase.Count(len(keys), "item") + " of " + table,
					Why:  "DynamoDB throttled the requests, and never answered some of them",
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
			item := r.client.sawItem(table, itemOf(wire))
			if k, ok := schema.KeyOf(item); ok {
				found[k.ID()] = item
			}
		}
		before := len(request[table].Keys)
		if request = out.UnprocessedKeys; len(request) > 0 && r.Again != nil {
			r.Again(true, nil) // DynamoDB throttled the rest of the batch
		}
		if len(request[table].Keys) < before {
			attempt = 0 // only attempts without progress count
		}
	}
	return nil
}

// Address names one item: its table and its key.
type Address struct {
	Table string
	Key   attr.Key
}

// backoff returns the time to wait before another attempt, from 25 ms to 2 s.
func backoff(attempt int) time.Duration {
	return min(25*time.Millisecond<<min(attempt, 10), 2*time.Second)
}

// Pause waits. It returns an error if the context ends first.
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

// batchesAtOnce is the number of batches that GetTables reads at once.
const batchesAtOnce = 8

// GetTables is Get for several tables. keys maps the name of a table to its keys. The result maps the
// name of a table to its items. GetTables reads several batches at once.
func (r *Reader) GetTables(
	ctx context.Context, keys map[string][]attr.Key, consistent bool,
) (map[string]map[string]attr.Item, error) {
	out := map[string]map[string]attr.Item{}
	for table := range keys {
		out[table] = map[string]attr.Item{}
	}
	var mu sync.Mutex // guards the found items and r.Units
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

// PageInput asks for one page of a scan or a query.
type PageInput struct {
	Limit      int
	Start      attr.Item
	Consistent bool
	Backward   bool   // for Query: from the highest sort key down
	Index      string // for Query: an index; the schema is then the index's
	Segment    int
	Segments   int      // 0: the scan is not divided
	Attributes []string // empty: all attributes
}

// Page is one page of a scan or a query. Last is the LastEvaluatedKey; nil on the last page.
type Page struct {
	Items []attr.Item
	Last  attr.Item
	Units float64
}

// Scan reads a page of a table.
func (r *Reader) Scan(ctx context.Context, table string, in PageInput) (Page, error) {
	request := &dynamodb.ScanInput{
		TableName: &table, ConsistentRead: &in.Consistent,
	}
	if in.Limit > 0 {
		request.Limit = aws.Int32(int32(in.Limit))
	}
	if in.Start != nil {
		request.ExclusiveStartKey = WireItem(in.Start)
	}
	if in.Segments > 0 {
		request.Segment, request.TotalSegments = aws.Int32(int32(in.Segment)), aws.Int32(int32(in.Segments))
	}
	request.ExpressionAttributeNames, request.ProjectionExpression = projection(in.Attributes)
	out, err := ask(ctx, r, "reading the table "+table, request, r.client.sdk.Scan)
	if err != nil {
		return Page{}, err
	}
	return r.page(ctx, table, out.Items, out.LastEvaluatedKey, out.ConsumedCapacity), nil
}

// Query reads a page of a partition: the items whose sort keys begin with prefix, or all items if prefix is
// empty.
func (r *Reader) Query(
	ctx context.Context, table string, schema attr.Schema, hash attr.Value, prefix string, in PageInput,
) (Page, error) {
	op := "reading the items of " + hash.Display() + " in " + table
	request := &dynamodb.QueryInput{
		TableName: &table, ConsistentRead: &in.Consistent,
		KeyConditionExpression:    aws.String("#h = :h"),
		ExpressionAttributeNames:  map[string]string{"#h": schema.HashName},
		ExpressionAttributeValues: map[string]types.AttributeValue{":h": wireValue(hash)},
	}
	if in.Index != "" {
		op = "asking the index " + in.Index
		request.IndexName = &in.Index
	}
	if in.Backward {
		request.ScanIndexForward = aws.Bool(false)
	}
	if in.Limit > 0 {
		request.Limit = aws.Int32(int32(in.Limit))
	}
	if prefix != "" {
		request.KeyConditionExpression = aws.String("#h = :h AND begins_with(#r, :r)")
		request.ExpressionAttributeNames["#r"] = schema.RangeName
		request.ExpressionAttributeValues[":r"] = wireValue(attr.String(prefix))
	}
	if in.Start != nil {
		request.ExclusiveStartKey = WireItem(in.Start)
	}
	out, err := ask(ctx, r, op, request, r.client.sdk.Query)
	if err != nil {
		return Page{}, err
	}
	return r.page(ctx, table, out.Items, out.LastEvaluatedKey, out.ConsumedCapacity), nil
}

// page converts the answer of a scan or a query.
func (r *Reader) page(
	ctx context.Context, table string, items []map[string]types.AttributeValue, last map[string]types.AttributeValue,
	capacity *types.ConsumedCapacity,
) Page {
	page := Page{Items: make([]attr.Item, len(items)), Units: r.pay(ctx, capacity)}
	for n, wire := range items {
		page.Items[n] = r.client.sawItem(table, itemOf(wire))
	}
	if len(last) > 0 {
		page.Last = itemOf(last)
	}
	return page
}

// Together reads up to 100 items at one moment (TransactGetItems). The result is in the order of places.
// It has nil for an item that does not exist. If the endpoint or a table has no transactions, Together
// reads the items with GetTables. apart is then true: the items were not read at one moment.
func (r *Reader) Together(ctx context.Context, places []Address) (items []attr.Item, apart bool, err error) {
	in := &dynamodb.TransactGetItemsInput{}
	for _, p := range places {
		in.TransactItems = append(in.TransactItems,
			types.TransactGetItem{Get: &types.Get{TableName: aws.String(p.Table), Key: WireItem(p.Key.Item())}})
	}
	if slices.ContainsFunc(places,
		func(p Address) bool { strong, _ := r.client.strong.Load(p.Table); return strong == true }) {
		items, err := r.oneByOne(ctx, places)
		return items, true, err
	}
	op := fmt.Sprintf("reading %s together", phrase.Count(len(places), "item"))
	for attempt := 1; ; attempt++ {
		out, err := ask(ctx, r, op, in, r.client.sdk.TransactGetItems)
		if err == nil {
			for n := range out.ConsumedCapacity {
				r.pay(ctx, &out.ConsumedCapacity[n])
			}
			items = make([]attr.Item, len(places))
			for n, response := range out.Responses {
				if len(response.Item) > 0 {
					items[n] = r.client.sawItem(places[n].Table, itemOf(response.Item))
				}
			}
			return items, false, nil
		}
		switch kind := KindOf(err); {
		case kind == Unsupported:
			items, err := r.oneByOne(ctx, places)
			return items, true, err
		case kind != Conflict || attempt == conflicts:
			return nil, false, err
		case r.Again != nil:
			r.Again(false, nil)
		}
		if err := Pause(ctx, backoff(attempt)); err != nil {
			return nil, false, err
		}
	}
}

// conflicts is the number of attempts that Together makes while the application writes to the items. More are not
// needed, because the application's transactions end soon.
const conflicts = 8

func (r *Reader) oneByOne(ctx context.Context, places []Address) ([]attr.Item, error) {
	byTable := map[string][]attr.Key{}
	for _, p := range places {
		byTable[p.Table] = append(byTable[p.Table], p.Key)
	}
	found, err := r.GetTables(ctx, byTable, true)
	if err != nil {
		return nil, err
	}
	items := make([]attr.Item, len(places))
	for n, p := range places {
		items[n] = found[p.Table][p.Key.ID()]
	}
	return items, nil
}

// TimeToLive returns the TTL attribute of a table; empty if its items do not expire. It retries as often as
// a scan, since DynamoDB throttles this request early.
func (r *Reader) TimeToLive(ctx context.Context, table string) (string, error) {
	out, err := r.client.sdk.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &table},
		func(o *dynamodb.Options) { o.Retryer = scanRetryer(r.Again) })
	if err != nil {
		return "", r.client.Explain(fmt.Sprintf("reading the TTL settings of %s", table), err)
	}
	if d := out.TimeToLiveDescription; d != nil &&
		(d.TimeToLiveStatus == types.TimeToLiveStatusEnabled || d.TimeToLiveStatus == types.TimeToLiveStatusEnabling) {
		return aws.ToString(d.AttributeName), nil
	}
	return "", nil
}

// Cursors remembers the LastEvaluatedKeys of a scan or a query. If a faulty endpoint repeated a key, the
// reader would read in a circle: Next reports this as an error. The zero Cursors is ready for use.
type Cursors struct {
	seed maphash.Seed
	seen map[uint64]bool // hashes of keys, since a scan may have a million pages
}

// Next records the LastEvaluatedKey of a page, which is nil on the last page. It returns an error if an
// earlier page had the same key. The parameter what is the name of the table or list, for the error.
func (c *Cursors) Next(what string, last attr.Item) error {
	if last == nil {
		return nil
	}
	if c.seen == nil {
		c.seed, c.seen = maphash.MakeSeed(), map[uint64]bool{}
	}
	at := maphash.Bytes(c.seed, last.AppendCanonical(nil))
	if c.seen[at] {
		return &Error{
			Kind: Failed, Op: "reading " + what,
			Why: fmt.Sprintf(
				"the endpoint repeats its pages: after %s it sent the same LastEvaluatedKey a second time",
				phrase.Count(len(c.seen)+1, "page"),
			),
			Do: "check the endpoint, and look for a proxy or a cache in between",
		}
	}
	c.seen[at] = true
	return nil
}
