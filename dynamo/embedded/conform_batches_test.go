package embedded_test

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func putRequest(item doc) types.WriteRequest {
	return types.WriteRequest{PutRequest: &types.PutRequest{Item: item}}
}

func deleteRequest(key doc) types.WriteRequest {
	return types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: key}}
}

var batchCases = []conformance{
	{"batch/write and get", func(t *trial) {
		one, two := t.table(typeS), t.table(typeN)
		t.put(one, doc{"pk": s("old")})
		out, err := t.db.BatchWriteItem(t.ctx, &dynamodb.BatchWriteItemInput{ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal, RequestItems: map[string][]types.WriteRequest{
			*one: {putRequest(doc{"pk": s("a"), "v": n("1")}), putRequest(doc{"pk": s("b")}), deleteRequest(doc{"pk": s("old")})}, *two: {putRequest(doc{"pk": n("1"), "v": s("x"), "w": s("y")})},
		}})
		t.ok(err)
		units := map[string]float64{}
		for _, c := range out.ConsumedCapacity {
			units[*c.TableName] = *c.CapacityUnits
		}
		t.equal(fmt.Sprint(units[*one], units[*two]), "3 1")
		got, err := t.db.BatchGetItem(t.ctx, &dynamodb.BatchGetItemInput{ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal, RequestItems: map[string]types.KeysAndAttributes{
			*one: {Keys: []doc{{"pk": s("a")}, {"pk": s("none")}, {"pk": s("old")}}, ConsistentRead: aws.Bool(true)},
			*two: {Keys: []doc{{"pk": n("1.0")}}, ProjectionExpression: aws.String("#v"), ExpressionAttributeNames: map[string]string{"#v": "v"}},
		}})
		t.ok(err)
		t.equal(got.Responses[*one], []doc{{"pk": s("a"), "v": n("1")}})
		t.equal(got.Responses[*two], []doc{{"v": s("x")}})
		t.equal(len(got.UnprocessedKeys), 0)
		for _, c := range got.ConsumedCapacity {
			units[*c.TableName] = *c.CapacityUnits
		}
		t.equal(fmt.Sprint(units[*one], units[*two]), "3 0.5", "a missing item costs as well:")
	}},
	{"batch/refusals", func(t *trial) {
		name := t.table(typeS)
		many := func(count int) (requests []types.WriteRequest, keys []doc) {
			for i := range count {
				key := doc{"pk": s(fmt.Sprint(i))}
				requests, keys = append(requests, putRequest(key)), append(keys, key)
			}
			return requests, keys
		}
		a := doc{"pk": s("a")}
		requests, _ := many(26)
		for about, bad := range map[string][]types.WriteRequest{
			"26": requests, "none": {}, "the same twice": {putRequest(a), putRequest(a)}, "put and delete": {putRequest(a), deleteRequest(a)},
			"nothing": {{}}, "bad key": {putRequest(a), deleteRequest(doc{"x": s("y")})}, "empty key": {putRequest(doc{"pk": s("")})},
		} {
			_, err := t.db.BatchWriteItem(t.ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*name: bad}})
			t.refused(err, invalid, "write ", about)
		}
		_, keys := many(101)
		for about, bad := range map[string][]doc{"101": keys, "none": {}, "the same twice": {a, a}, "bad key": {{"x": s("y")}}} {
			_, err := t.db.BatchGetItem(t.ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{*name: {Keys: bad}}})
			t.refused(err, invalid, "get ", about)
		}
		_, err := t.db.BatchWriteItem(t.ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"tallylock-test-none": {putRequest(a)}}})
		t.refused(err, "ResourceNotFoundException", "write to no table")
		_, err = t.db.BatchGetItem(t.ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"tallylock-test-none": {Keys: []doc{a}}}})
		t.refused(err, "ResourceNotFoundException", "get from no table")
		out, err := t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name})
		t.ok(err)
		t.equal(out.Count, 0, "nothing was written:")
	}},
	{"batch/put and delete in one request", func(t *trial) {
		a := doc{"pk": s("a")}
		_, err := t.db.BatchWriteItem(t.ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*t.table(typeS): {{PutRequest: &types.PutRequest{Item: a}, DeleteRequest: &types.DeleteRequest{Key: a}}}}})
		t.refused(err, invalid)
	}},
	{"batch/hundred keys", func(t *trial) {
		name := t.table(typeS)
		t.fill(name, 100, 0)
		var keys []doc
		for i := range 100 {
			keys = append(keys, doc{"pk": s(fmt.Sprintf("a%05d", i))})
		}
		out, err := t.db.BatchGetItem(t.ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{*name: {Keys: keys}}})
		t.ok(err)
		t.equal(len(out.Responses[*name]), 100)
	}},
	{"batch/16 MB an answer", func(t *trial) {
		name := t.table(typeS)
		var keys []doc
		for i := range 50 {
			key := doc{"pk": s(fmt.Sprint(i))}
			keys = append(keys, key)
			t.put(name, doc{"pk": key["pk"], "v": s(strings.Repeat("x", 390*1024))})
		}
		seen, rounds := 0, 0
		for request := map[string]types.KeysAndAttributes{*name: {Keys: keys, ProjectionExpression: aws.String("#p"), ExpressionAttributeNames: map[string]string{"#p": "pk"}}}; len(request) > 0; rounds++ {
			out, err := t.db.BatchGetItem(t.ctx, &dynamodb.BatchGetItemInput{RequestItems: request})
			t.ok(err)
			seen += len(out.Responses[*name])
			request = out.UnprocessedKeys
		}
		t.equal(seen, 50)
		if rounds < 2 {
			t.errorf("%d rounds", rounds)
		}
	}},
}
