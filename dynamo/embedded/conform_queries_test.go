package embedded_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

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

var queryCases = []conformance{
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
