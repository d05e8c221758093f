package embedded_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// fill writes so many items a0…, each of the given size, in batches.
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

// scan reads all pages and counts how often each partition key came.
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

// once checks that each of so many items came exactly once.
func (t *trial) once(seen map[string]int, count int, about string) {
	t.equal(len(seen), count, about, ": items")
	for key, times := range seen {
		if times != 1 {
			t.errorf("%s: %s came %d times", about, key, times)
		}
	}
}

func (t *trial) badQueries(conditions ...string) {
	name := t.table(typeS, typeS)
	values := doc{":p": s("p"), ":a": s("a"), ":b": s("b"), ":n": n("1"), ":e": s("")}
	for _, bad := range conditions {
		_, err := t.db.Query(t.ctx, &dynamodb.QueryInput{TableName: name, KeyConditionExpression: &bad, ExpressionAttributeValues: given(bad, values)})
		t.refused(err, invalid, bad)
	}
}

// queried checks the sort keys that a query finds, forwards and backwards, on
// one page and on several.
func (t *trial) queried(in *dynamodb.QueryInput, key func(string) types.AttributeValue, want []string) {
	for _, forward := range []bool{true, false} {
		texts := slices.Clone(want)
		if !forward {
			slices.Reverse(texts)
		}
		for _, limit := range []int32{1000, 4} {
			in.ScanIndexForward, in.Limit, in.ExclusiveStartKey = &forward, &limit, nil
			var got, expected []types.AttributeValue
			for pager := dynamodb.NewQueryPaginator(t.db, in); pager.HasMorePages(); {
				out, err := pager.NextPage(t.ctx)
				t.ok(err)
				for _, item := range out.Items {
					got = append(got, item["sk"])
				}
			}
			for _, text := range texts {
				expected = append(expected, key(text))
			}
			t.equal(showAll(got, false), showAll(expected, false), *in.KeyConditionExpression, " ", show(in.ExpressionAttributeValues), " forward ", forward, " limit ", limit, ":")
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
		writers.Add(1)
		go func() {
			defer writers.Done()
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
		}()
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
	{"query/sort key conditions", func(t *trial) {
		for _, kt := range []types.ScalarAttributeType{typeS, typeB, typeN} {
			name := t.table(typeS, kt)
			texts := []string{"-20", "-3.5", "-3", "-2", "-0.5", "-0.25", "0", "0.25", "1", "1.5", "9", "10", "99", "100"}
			key := n
			if kt != typeN {
				key, texts = s, []string{"", "a", "a\x00", "a\x00b", "aa", "ab", "abc", "b", "b\x7f", "é"}[1:]
			}
			if kt == typeB {
				key = b
				texts = append(texts, "\xfe", "\xfe\x01", "\xff", "\xff\xfe", "\xff\xff")
			}
			for _, text := range texts {
				t.put(name, doc{"pk": s("p"), "sk": key(text)}, doc{"pk": s("q"), "sk": key(text)})
			}
			for i := range texts {
				j := min(i+3, len(texts)-1)
				for condition, want := range map[string][]string{
					"pk = :p":                             texts,
					"pk = :p AND sk = :a":                 texts[i : i+1],
					"pk = :p AND sk < :a":                 texts[:i],
					"sk <= :a AND pk = :p":                texts[:i+1],
					"(pk = :p) AND (sk > :a)":             texts[i+1:],
					"pk = :p AND sk >= :a":                texts[i:],
					"pk = :p AND sk BETWEEN :a AND :b":    texts[i : j+1],
					"pk = :p and sk between :a and :same": texts[i : i+1],
				} {
					values := given(condition, doc{":p": s("p"), ":a": key(texts[i]), ":b": key(texts[j]), ":same": key(texts[i])})
					t.queried(&dynamodb.QueryInput{TableName: name, KeyConditionExpression: &condition, ExpressionAttributeValues: values}, key, want)
				}
			}
			if kt != typeN {
				out, err := t.db.Query(t.ctx, &dynamodb.QueryInput{TableName: name, KeyConditionExpression: aws.String("pk = :p AND begins_with(sk, :a)"), ExpressionAttributeValues: doc{":p": s("p"), ":a": key("a")}})
				t.ok(err)
				t.equal(out.Count, 6, kt, " begins_with:")
			}
		}
	}},
	{"query/partitions stay apart", func(t *trial) {
		for kt, keys := range map[types.ScalarAttributeType][]types.AttributeValue{
			typeS: {s("a"), s("a\x00"), s("aa"), s("é"), s("\U0010ffff")}, typeB: {b("\x00"), b("\xfe"), b("\xfe\xff"), b("\xff"), b("\xff\xff"), b("\xff\x00")}, typeN: {n("-1"), n("0"), n("1"), n("10"), n("0.1")},
		} {
			name := t.table(kt, typeS)
			for i, pk := range keys {
				t.put(name, doc{"pk": pk, "sk": s(fmt.Sprint(i))})
			}
			for i, pk := range keys {
				t.queried(&dynamodb.QueryInput{TableName: name, KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: doc{":p": pk}}, s, []string{fmt.Sprint(i)})
			}
		}
	}},
	{"query/bad key conditions", func(t *trial) {
		t.badQueries(
			"", "sk = :a", "pk < :p", "begins_with(pk, :p)", "pk BETWEEN :a AND :b", "pk IN (:p)", "pk = :p OR sk = :a", "NOT pk = :p", "pk = :p AND x = :a", "pk = :p AND sk <> :a", "pk = :p AND contains(sk, :a)",
			"pk = :p AND pk = :a", "pk = :p AND sk > :a AND sk < :b", "pk = :p AND sk BETWEEN :b AND :a", "pk = sk", "attribute_exists(pk)", "pk = :p AND size(sk) = :n", "pk.x = :p",
		)
		_, err := t.db.Query(t.ctx, &dynamodb.QueryInput{TableName: t.table(typeS)})
		t.refused(err, invalid, "no condition")
		_, err = t.db.Query(t.ctx, &dynamodb.QueryInput{TableName: t.table(typeS, typeS), KeyConditionExpression: aws.String("pk = :p"), FilterExpression: aws.String("sk = :a"), ExpressionAttributeValues: doc{":p": s("p"), ":a": s("a")}})
		t.refused(err, invalid, "a filter on the key")
	}},
	{"query/keys of a wrong type, or empty", func(t *trial) { t.badQueries("pk = :n", "pk = :p AND sk = :n", "pk = :e") }},
	{"query/start key of another partition", func(t *trial) {
		_, err := t.db.Query(t.ctx, &dynamodb.QueryInput{TableName: t.table(typeS, typeS), KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: doc{":p": s("p")}, ExclusiveStartKey: doc{"pk": s("other"), "sk": s("a")}})
		t.refused(err, invalid)
	}},
	{"query/filter, projection and capacity", func(t *trial) {
		name := t.table(typeS, typeN)
		for i := range 10 {
			t.put(name, doc{"pk": s("p"), "sk": n(fmt.Sprint(i)), "v": s(strings.Repeat("x", 1000)), "odd": yes(i%2 == 1)})
		}
		out, err := t.db.Query(t.ctx, &dynamodb.QueryInput{
			TableName: name, KeyConditionExpression: aws.String("pk = :p"), FilterExpression: aws.String("odd = :t"), ProjectionExpression: aws.String("sk"),
			ExpressionAttributeValues: doc{":p": s("p"), ":t": yes(true)}, ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes, ConsistentRead: aws.Bool(true),
		})
		t.ok(err)
		t.equal(fmt.Sprint(out.Count, out.ScannedCount), "5 10")
		t.equal(out.Items[0], doc{"sk": n("1")})
		t.equal(out.ConsumedCapacity.CapacityUnits, "3")
		t.equal(out.ConsumedCapacity.Table.CapacityUnits, "3")
		none, err := t.db.Query(t.ctx, &dynamodb.QueryInput{TableName: name, KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: doc{":p": s("nobody")}, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
		t.ok(err)
		t.equal(fmt.Sprint(none.Count, len(none.Items), *none.ConsumedCapacity.CapacityUnits, none.LastEvaluatedKey == nil), "0 0 0.5 true")
	}},
}
