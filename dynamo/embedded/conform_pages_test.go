package embedded_test

import (
	"fmt"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// fill writes items in batches. count is the number of items, and size is the size of each in bytes.
func (t *trial) fill(name *string, count, size int) {
	for from := 0; from < count; from += 25 {
		var requests []types.WriteRequest
		for i := from; i < min(count, from+25); i++ {
			item := doc{"pk": s(fmt.Sprintf("a%05d", i)), "i": n(fmt.Sprint(i))}
			if size > 0 {
				item["v"] = s(strings.Repeat("x", size-2-6-1-(len(fmt.Sprint(i))+1)/2-1-1))
			}
			requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
		}
		out, err := t.db.BatchWriteItem(t.ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*name: requests}})
		t.ok(err)
		t.equal(len(out.UnprocessedItems), 0, "unprocessed")
	}
}

// scan reads all pages and counts each partition key.
func (t *trial) scan(in dynamodb.ScanInput) (seen map[string]int, pages []*dynamodb.ScanOutput) {
	seen = map[string]int{}
	for {
		out, err := t.db.Scan(t.ctx, &in)
		t.ok(err)
		for _, item := range out.Items {
			seen[show(item["pk"])]++
		}
		pages = append(pages, out)
		if out.LastEvaluatedKey == nil || len(pages) > 10_000 {
			return seen, pages
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// once checks that a scan returned each item exactly once. count is the number of items.
func (t *trial) once(seen map[string]int, count int, about string) {
	t.equal(len(seen), count, about, ": items")
	for key, times := range seen {
		if times != 1 {
			t.errorf("%s: %s came %d times", about, key, times)
		}
	}
}

var pageCases = []conformance{
	{"scan/limit", func(t *trial) {
		name := t.table(typeS)
		t.fill(name, 30, 0)
		for _, limit := range []int32{1, 7, 30, 31, 1000} {
			seen, pages := t.scan(dynamodb.ScanInput{TableName: name, Limit: &limit})
			t.once(seen, 30, fmt.Sprint("limit ", limit))
			for i, p := range pages {
				if p.ScannedCount > limit {
					t.errorf("a page of %d under a limit of %d", p.ScannedCount, limit)
				}
				if i < len(pages)-1 {
					t.equal(p.ScannedCount, limit, "page")
					t.equal(len(p.LastEvaluatedKey), 1)
				}
			}
		}
	}},
	{"scan/is not in key order", func(t *trial) {
		name := t.table(typeS)
		t.fill(name, 100, 0)
		out, err := t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name})
		t.ok(err)
		sorted := true
		for i := 1; i < len(out.Items); i++ {
			sorted = sorted && show(out.Items[i-1]["pk"]) < show(out.Items[i]["pk"])
		}
		t.equal(sorted, false, "sorted")
	}},
	{"scan/segments", func(t *trial) {
		name := t.table(typeS)
		t.fill(name, 200, 0)
		for _, total := range []int32{1, 2, 3, 16, 1000} {
			all := map[string]int{}
			busy := 0
			for segment := range total {
				seen, _ := t.scan(dynamodb.ScanInput{TableName: name, Segment: aws.Int32(segment), TotalSegments: aws.Int32(total), Limit: aws.Int32(40)})
				for key, times := range seen {
					all[key] += times
				}
				if len(seen) > 0 {
					busy++
				}
			}
			t.once(all, 200, fmt.Sprint(total, " segments"))
			if want := min(int(total), 16); busy < want {
				t.errorf("%d of %d segments have items", busy, total)
			}
		}
	}},
	{"scan/bad segments", func(t *trial) {
		name := t.table(typeS)
		t.fill(name, 50, 0)
		for _, c := range [][2]*int32{{aws.Int32(0), nil}, {nil, aws.Int32(1)}, {aws.Int32(1), aws.Int32(1)}, {aws.Int32(-1), aws.Int32(1)}, {aws.Int32(0), aws.Int32(0)}, {aws.Int32(0), aws.Int32(1_000_001)}} {
			_, err := t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name, Segment: c[0], TotalSegments: c[1]})
			t.refused(err, invalid, aws.ToInt32(c[0]), " of ", aws.ToInt32(c[1]))
		}
		_, err := t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name, Limit: aws.Int32(0)})
		t.refused(err, invalid, "limit 0")
	}},
	{"scan/start key of another segment", func(t *trial) {
		name := t.table(typeS)
		t.fill(name, 50, 0)
		first, err := t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name, Segment: aws.Int32(0), TotalSegments: aws.Int32(2), Limit: aws.Int32(3)})
		t.ok(err)
		_, err = t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name, Segment: aws.Int32(1), TotalSegments: aws.Int32(2), ExclusiveStartKey: first.LastEvaluatedKey})
		t.refused(err, invalid)
	}},
	{"scan/bad start keys", func(t *trial) {
		name := t.table(typeS)
		for about, key := range map[string]doc{"empty": {}, "other name": {"x": s("a")}, "other type": {"pk": n("1")}, "one too many": {"pk": s("a"), "x": s("a")}} {
			_, err := t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name, ExclusiveStartKey: key})
			t.refused(err, invalid, about)
		}
	}},
	{"scan/start key of a deleted item", func(t *trial) {
		name := t.table(typeS)
		t.fill(name, 20, 0)
		first, err := t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name, Limit: aws.Int32(5)})
		t.ok(err)
		_, err = t.db.DeleteItem(t.ctx, &dynamodb.DeleteItemInput{TableName: name, Key: first.LastEvaluatedKey})
		t.ok(err)
		seen, _ := t.scan(dynamodb.ScanInput{TableName: name, ExclusiveStartKey: first.LastEvaluatedKey})
		t.once(seen, 15, "the rest")
	}},
	{"scan/one megabyte a page, before the filter", func(t *trial) {
		name := t.table(typeS)
		t.fill(name, 260, 10*1024)
		for about, in := range map[string]dynamodb.ScanInput{
			"all": {}, "count": {Select: types.SelectCount},
			"filter": {FilterExpression: aws.String("i < :i"), ExpressionAttributeValues: doc{":i": n("10")}}, "projection": {ProjectionExpression: aws.String("pk")},
		} {
			in.TableName, in.ReturnConsumedCapacity = name, types.ReturnConsumedCapacityTotal
			_, pages := t.scan(in)
			t.equal(len(pages), 3, about, ": pages")
			scanned, count := 0, 0
			for _, p := range pages {
				scanned += int(p.ScannedCount)
				count += int(p.Count)
			}
			t.equal(scanned, 260, about, ": scanned")
			t.equal(count, map[string]int{"filter": 10}[about]+map[bool]int{true: 260}[about != "filter"], about, ": count")
			if p := pages[0]; p.ScannedCount < 100 || p.ScannedCount > 105 || *p.ConsumedCapacity.CapacityUnits < 125 || *p.ConsumedCapacity.CapacityUnits > 131 {
				t.errorf("%s: the first page has %d items for %v units", about, p.ScannedCount, *p.ConsumedCapacity.CapacityUnits)
			}
		}
		out, err := t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name, Limit: aws.Int32(10), ConsistentRead: aws.Bool(true), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
		t.ok(err)
		t.equal(out.ConsumedCapacity.CapacityUnits, "25", "10 of 10 KB, consistent:")
	}},
	{"scan/under writes", func(t *trial) {
		name := t.table(typeS)
		t.fill(name, 100, 0)
		var writers sync.WaitGroup
		stop := make(chan struct{})
		writers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				key := doc{"pk": s(fmt.Sprintf("b%05d", i%50))}
				if i%2 == 0 {
					_, _ = t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: key})
				} else {
					_, _ = t.db.DeleteItem(t.ctx, &dynamodb.DeleteItemInput{TableName: name, Key: key})
				}
			}
		})
		for range 5 {
			seen, _ := t.scan(dynamodb.ScanInput{TableName: name, Limit: aws.Int32(9), FilterExpression: aws.String("begins_with(pk, :a)"), ExpressionAttributeValues: doc{":a": s("a")}})
			t.once(seen, 100, "items that stay")
		}
		close(stop)
		writers.Wait()
	}},
	{"scan/selections", func(t *trial) {
		name := t.table(typeS)
		t.fill(name, 3, 0)
		out, err := t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name, Select: types.SelectCount})
		t.ok(err)
		t.equal(fmt.Sprint(out.Count, out.ScannedCount, len(out.Items)), "3 3 0")
		p := aws.String("pk")
		for about, in := range map[string]dynamodb.ScanInput{
			"count and projection": {Select: types.SelectCount, ProjectionExpression: p}, "all and projection": {Select: types.SelectAllAttributes, ProjectionExpression: p},
			"projected without an index": {Select: types.SelectAllProjectedAttributes}, "specific without a projection": {Select: types.SelectSpecificAttributes}, "nonsense": {Select: "SOME"},
		} {
			in.TableName = name
			_, err := t.db.Scan(t.ctx, &in)
			t.refused(err, invalid, about)
		}
		out, err = t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name, Select: types.SelectSpecificAttributes, ProjectionExpression: p})
		t.ok(err)
		t.equal(len(out.Items[0]), 1)
	}},
}
