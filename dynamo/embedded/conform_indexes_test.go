package embedded_test

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// indexed makes a table with the global indexes all (owner, rank), keys
// (owner) and some (owner, with the attribute extra), and the local index
// local (pk, rank), which projects keys only.
func (t *trial) indexed() *string {
	in := withKey(typeS, typeS)
	in.AttributeDefinitions = append(in.AttributeDefinitions, define("owner", typeS), define("rank", typeN))
	global := func(name string, kind types.ProjectionType, extra []string, keys ...string) {
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: &name, KeySchema: schema(keys...),
			Projection: &types.Projection{ProjectionType: kind, NonKeyAttributes: extra},
		})
	}
	global("all", types.ProjectionTypeAll, nil, "owner", "rank")
	global("keys", types.ProjectionTypeKeysOnly, nil, "owner")
	global("some", types.ProjectionTypeInclude, []string{"extra"}, "owner")
	in.LocalSecondaryIndexes = []types.LocalSecondaryIndex{{IndexName: aws.String("local"), KeySchema: schema("pk", "rank"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}}}
	return t.create(in)
}

func thing(pk, sk, owner, rank string) doc {
	return doc{"pk": s(pk), "sk": s(sk), "owner": s(owner), "rank": n(rank), "extra": s("e"), "more": s("m")}
}

// owned queries an index for an owner, and returns the keys of the items in one line.
func (t *trial) owned(name *string, index, owner string) string {
	out, err := t.db.Query(t.ctx, &dynamodb.QueryInput{
		TableName: name, IndexName: &index, KeyConditionExpression: aws.String("#o = :o"),
		ExpressionAttributeNames: map[string]string{"#o": "owner"}, ExpressionAttributeValues: doc{":o": s(owner)},
	})
	t.ok(err)
	var lines []string
	for _, item := range out.Items {
		lines = append(lines, show(item["pk"])+show(item["sk"]))
	}
	return strings.Join(lines, " ")
}

func (t *trial) badIndexKeys(bad map[string]types.AttributeValue) {
	name := t.indexed()
	for about, v := range bad {
		_, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: doc{"pk": s("p"), "sk": s("1"), "owner": v}})
		t.refused(err, invalid, "put ", about)
		_, err = t.db.UpdateItem(t.ctx, &dynamodb.UpdateItemInput{
			TableName: name, Key: doc{"pk": s("p"), "sk": s("1")}, UpdateExpression: aws.String("SET #o = :o"),
			ExpressionAttributeNames: map[string]string{"#o": "owner"}, ExpressionAttributeValues: doc{":o": v},
		})
		t.refused(err, invalid, "update ", about)
	}
	t.equal(len(t.get(name, doc{"pk": s("p"), "sk": s("1")})), 0)
}

var indexCases = []conformance{
	{"index/order and paging", func(t *trial) {
		name := t.indexed()
		for i := range 20 { // ten ranks, two items for each
			t.put(name, thing(fmt.Sprint("p", i%3), fmt.Sprint("s", i), "ann", fmt.Sprint(10-i%10)), thing("other", fmt.Sprint("s", i), "bob", "1"))
		}
		for _, limit := range []int32{1, 3, 100} {
			for _, forward := range []bool{true, false} {
				seen := map[string]bool{}
				last := 0
				pager := dynamodb.NewQueryPaginator(t.db, &dynamodb.QueryInput{
					TableName: name, IndexName: aws.String("all"), KeyConditionExpression: aws.String("#o = :o AND #r >= :r"),
					ExpressionAttributeNames: map[string]string{"#o": "owner", "#r": "rank"}, ExpressionAttributeValues: doc{":o": s("ann"), ":r": n("3")}, Limit: &limit, ScanIndexForward: &forward,
				})
				for pager.HasMorePages() {
					out, err := pager.NextPage(t.ctx)
					t.ok(err)
					if out.LastEvaluatedKey != nil {
						t.equal(len(out.LastEvaluatedKey), 4, "keys of the index and of the table")
					}
					for _, item := range out.Items {
						seen[show(item["pk"])+show(item["sk"])] = true
						var rank int
						_, _ = fmt.Sscan(show(item["rank"]), &rank)
						if last != 0 && (forward && rank < last || !forward && rank > last) {
							t.errorf("rank %d after %d, forward %v", rank, last, forward)
						}
						last = rank
					}
				}
				t.equal(len(seen), 16, "limit ", limit)
			}
		}
	}},
	{"index/follows the table", func(t *trial) {
		name := t.indexed()
		t.put(name, thing("p", "1", "ann", "1"), thing("p", "2", "ann", "2"))
		for _, index := range []string{"all", "keys", "some"} {
			t.equal(len(strings.Fields(t.owned(name, index, "ann"))), 2, index)
		}
		set := func(key doc, expression string, values doc) {
			_, err := t.db.UpdateItem(t.ctx, &dynamodb.UpdateItemInput{
				TableName: name, Key: key, UpdateExpression: &expression,
				ExpressionAttributeNames: given(expression, map[string]string{"#o": "owner", "#r": "rank"}), ExpressionAttributeValues: values,
			})
			t.ok(err)
		}
		first, second := doc{"pk": s("p"), "sk": s("1")}, doc{"pk": s("p"), "sk": s("2")}
		set(first, "SET #o = :o", doc{":o": s("bob")})
		t.equal(t.owned(name, "all", "ann"), `"p""2"`, "moved away:")
		t.equal(t.owned(name, "all", "bob"), `"p""1"`, "moved here:")
		set(first, "REMOVE #r", nil)
		t.equal(t.owned(name, "all", "bob"), "", "sparse:")
		t.equal(t.owned(name, "keys", "bob"), `"p""1"`, "still has its key:")
		_, err := t.db.DeleteItem(t.ctx, &dynamodb.DeleteItemInput{TableName: name, Key: second})
		t.ok(err)
		t.equal(t.owned(name, "some", "ann"), "", "deleted:")
		t.put(name, doc{"pk": s("p"), "sk": s("1")})
		t.equal(t.owned(name, "keys", "bob"), "", "replaced:")
	}},
	{"index/projections", func(t *trial) {
		name := t.indexed()
		whole := thing("p", "1", "ann", "1")
		t.put(name, whole)
		keys := doc{"pk": s("p"), "sk": s("1"), "owner": s("ann")}
		some := doc{"pk": s("p"), "sk": s("1"), "owner": s("ann"), "extra": s("e")}
		for index, want := range map[string]doc{"all": whole, "keys": keys, "some": some, "local": {"pk": s("p"), "sk": s("1"), "rank": n("1")}} {
			out, err := t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name, IndexName: aws.String(index)})
			t.ok(err)
			t.equal(out.Items, []doc{want}, index, ":")
		}
		query := func(index string, change func(*dynamodb.QueryInput)) ([]doc, error) {
			in := &dynamodb.QueryInput{TableName: name, IndexName: &index, KeyConditionExpression: aws.String("#k = :k"), ExpressionAttributeNames: map[string]string{"#k": "owner"}, ExpressionAttributeValues: doc{":k": s("ann")}}
			if index == "local" {
				in.ExpressionAttributeNames["#k"], in.ExpressionAttributeValues[":k"] = "pk", s("p")
			}
			change(in)
			out, err := t.db.Query(t.ctx, in)
			if err != nil {
				return nil, err
			}
			return out.Items, nil
		}
		_, err := query("keys", func(in *dynamodb.QueryInput) { in.Select = types.SelectAllAttributes })
		t.refused(err, invalid, "ALL_ATTRIBUTES of a global index with less")
		_, err = query("all", func(in *dynamodb.QueryInput) { in.ConsistentRead = aws.Bool(true) })
		t.refused(err, invalid, "a consistent read")
		_, err = query("nope", func(*dynamodb.QueryInput) {})
		t.refused(err, invalid, "no such index")
		got, err := query("all", func(in *dynamodb.QueryInput) { in.Select = types.SelectAllAttributes })
		t.ok(err)
		t.equal(got, []doc{whole})
		got, err = query("local", func(in *dynamodb.QueryInput) {
			in.Select = types.SelectAllAttributes
			in.ConsistentRead = aws.Bool(true)
		})
		t.ok(err)
		t.equal(got, []doc{whole}, "a local index fetches:")
	}},
	{"index/projecting what it lacks", func(t *trial) {
		_, err := t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: t.indexed(), IndexName: aws.String("some"), ProjectionExpression: aws.String("more")})
		t.refused(err, invalid)
	}},
	{"index/refuses bad keys", func(t *trial) {
		t.badIndexKeys(map[string]types.AttributeValue{"number": n("1"), "empty": s(""), "null": null()})
	}},
	{"index/refuses long keys", func(t *trial) {
		t.badIndexKeys(map[string]types.AttributeValue{"too long": s(strings.Repeat("x", 2049))})
	}},
	{"index/capacity", func(t *trial) {
		name := t.indexed()
		put := func(item doc) string {
			out, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: item, ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes})
			t.ok(err)
			c := out.ConsumedCapacity
			line := fmt.Sprintf("%v: table %v", *c.CapacityUnits, *c.Table.CapacityUnits)
			for _, index := range []string{"all", "keys", "some"} {
				if x, ok := c.GlobalSecondaryIndexes[index]; ok {
					line += fmt.Sprintf(" %s %v", index, *x.CapacityUnits)
				}
			}
			if x, ok := c.LocalSecondaryIndexes["local"]; ok {
				line += fmt.Sprintf(" local %v", *x.CapacityUnits)
			}
			return line
		}
		item := thing("p", "1", "ann", "1")
		t.equal(put(item), "5: table 1 all 1 keys 1 some 1 local 1", "new:")
		t.equal(put(item), "1: table 1", "the same:")
		item["more"] = s("other")
		t.equal(put(item), "2: table 1 all 1", "what one index has:")
		item["owner"] = s("bob")
		t.equal(put(item), "7: table 1 all 2 keys 2 some 2", "another index key:")
		out, err := t.db.Query(t.ctx, &dynamodb.QueryInput{
			TableName: name, IndexName: aws.String("all"), KeyConditionExpression: aws.String("#o = :o"), ExpressionAttributeNames: map[string]string{"#o": "owner"},
			ExpressionAttributeValues: doc{":o": s("bob")}, ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
		})
		t.ok(err)
		t.equal(fmt.Sprint(*out.ConsumedCapacity.CapacityUnits, " ", *out.ConsumedCapacity.GlobalSecondaryIndexes["all"].CapacityUnits), "0.5 0.5")
	}},
	{"index/scan segments", func(t *trial) {
		name := t.indexed()
		for i := range 60 {
			t.put(name, thing("p", fmt.Sprint(i), fmt.Sprint("owner", i%20), fmt.Sprint(i)))
		}
		seen := map[string]int{}
		for segment := range int32(4) {
			in := dynamodb.ScanInput{TableName: name, IndexName: aws.String("keys"), Segment: &segment, TotalSegments: aws.Int32(4), Limit: aws.Int32(7)}
			for {
				out, err := t.db.Scan(t.ctx, &in)
				t.ok(err)
				for _, item := range out.Items {
					seen[show(item["sk"])]++
				}
				if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
					break
				}
			}
		}
		t.once(seen, 60, "index")
	}},
	{"index/start key", func(t *trial) {
		name := t.indexed()
		t.put(name, thing("p", "1", "ann", "1"), thing("p", "2", "ann", "2"))
		_, err := t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name, IndexName: aws.String("all"), ExclusiveStartKey: doc{"pk": s("p"), "sk": s("1")}})
		t.refused(err, invalid, "lacks the index's key")
		_, err = t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name, IndexName: aws.String("all"), ExclusiveStartKey: doc{"owner": s("ann"), "rank": n("1")}})
		t.refused(err, invalid, "lacks the table's key")
	}},
}
