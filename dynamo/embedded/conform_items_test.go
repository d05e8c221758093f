package embedded_test

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// everything is an item with a value of each type.
func everything() doc {
	return doc{
		"pk": s("all"), "text": s("é \"\\\n\x01 😀 \u2028"), "empty": s(""), "whole": n("42"), "bytes": b("\x00\xff"),
		"yes": yes(true), "no": yes(false), "nothing": null(), "names": ss("b", "a"), "numbers": ns("10", "9", "-1.5"), "blobs": bs("y", "x"),
		"list": l(s("x"), n("1"), l(), m(doc{"in": s("deep")})), "map": m(doc{"a": m(doc{"b": l(n("1"), n("2"), n("3"))}), "nix": m(doc{})}),
	}
}

// nest puts a value into nested lists.
func nest(levels int) types.AttributeValue {
	v := s("core")
	for range levels {
		v = l(v)
	}
	return v
}

func (t *trial) badProjections(expressions ...string) {
	name := t.table(typeS)
	for _, bad := range expressions {
		_, err := t.db.GetItem(t.ctx, &dynamodb.GetItemInput{TableName: name, Key: doc{"pk": s("a")}, ProjectionExpression: &bad})
		t.refused(err, invalid, "projection ", bad)
	}
}

var itemCases = []conformance{
	{"item/every type comes back", func(t *trial) {
		name := t.table(typeS)
		t.put(name, everything())
		t.equal(t.get(name, doc{"pk": s("all")}), everything())
	}},
	{"item/missing", func(t *trial) {
		if got := t.get(t.table(typeS), doc{"pk": s("none")}); got != nil {
			t.errorf("got %s", show(got))
		}
	}},
	{"item/put replaces all", func(t *trial) {
		name := t.table(typeS)
		t.put(name, doc{"pk": s("a"), "x": n("1")}, doc{"pk": s("a"), "y": n("2")})
		t.equal(t.get(name, doc{"pk": s("a")}), doc{"pk": s("a"), "y": n("2")})
	}},
	{"item/keys of each type", func(t *trial) {
		for _, c := range []struct {
			kt   types.ScalarAttributeType
			a, b types.AttributeValue
		}{{typeS, s("a"), s("a\x00")}, {typeN, n("1.0"), n("-1")}, {typeB, b("\xff"), b("\xff\x00")}} {
			name := t.table(c.kt, c.kt)
			t.put(name, doc{"pk": c.a, "sk": c.b, "v": s("first")}, doc{"pk": c.b, "sk": c.a, "v": s("second")})
			t.equal(t.get(name, doc{"pk": c.a, "sk": c.b})["v"], s("first"), c.kt)
			t.equal(t.get(name, doc{"pk": c.b, "sk": c.a})["v"], s("second"), c.kt)
		}
	}},
	{"item/numbers are canonical keys", func(t *trial) {
		name := t.table(typeN)
		t.put(name, doc{"pk": n("1.500"), "v": s("x")})
		t.equal(t.get(name, doc{"pk": n("15e-1")}), doc{"pk": n("1.5"), "v": s("x")})
	}},
	{"item/numbers", func(t *trial) {
		name := t.table(typeS)
		nines := strings.Repeat("9", 38)
		for in, want := range map[string]string{
			"0": "0", "-0": "0", "0.000": "0", "+7": "7", "007": "7", "1.500": "1.5", "-.5": "-0.5", "100": "100", "1e3": "1000", "1E-3": "0.001",
			nines: nines, "-" + nines: "-" + nines, "0." + nines: "0." + nines, nines + "000": nines + "000", "12345.6789": "12345.6789",
			"0e999": "0",
		} {
			t.put(name, doc{"pk": s("n"), "v": n(in)})
			t.equal(t.get(name, doc{"pk": s("n")})["v"], n(want), in)
		}
	}},
	{"item/extreme numbers", func(t *trial) {
		name := t.table(typeS)
		for in, want := range map[string]string{
			"9.9999999999999999999999999999999999999E+125":  strings.Repeat("9", 38) + strings.Repeat("0", 88),
			"-9.9999999999999999999999999999999999999E+125": "-" + strings.Repeat("9", 38) + strings.Repeat("0", 88),
			"1E-130": "0." + strings.Repeat("0", 129) + "1",
		} {
			t.put(name, doc{"pk": s("n"), "v": n(in)})
			t.equal(t.get(name, doc{"pk": s("n")})["v"], n(want), in)
		}
	}},
	{"item/bad numbers", func(t *trial) {
		name := t.table(typeS)
		for _, bad := range []string{
			"", " ", "x", "1x", "--1", "1e", "e1", ".", "NaN", "Infinity", "-inf", "0x10", "1_000", "1,5", "1E126", "-1E126", "1E-131",
			strings.Repeat("1", 39), "1." + strings.Repeat("1", 38),
		} {
			_, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: doc{"pk": s("n"), "v": n(bad)}})
			t.refused(err, invalid, bad)
		}
	}},
	{"item/an exponent beyond sense", func(t *trial) {
		_, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: t.table(typeS), Item: doc{"pk": s("n"), "v": n("1e99999999999999999999")}})
		t.refused(err, invalid)
	}},
	{"item/bad values", func(t *trial) {
		name := t.table(typeS)
		for about, bad := range map[string]types.AttributeValue{
			"empty string set": ss(), "empty number set": ns(), "empty binary set": bs(), "string twice": ss("a", "b", "a"),
			"number twice": ns("1", "1.0"), "binary twice": bs("a", "a"), "bad number in a set": ns("x"),
			"false null": &types.AttributeValueMemberNULL{Value: false}, "bad number within": m(doc{"a": l(n("x"))}),
		} {
			_, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: doc{"pk": s("n"), "v": bad}})
			t.refused(err, invalid, about)
		}
	}},
	{"item/nesting", func(t *trial) {
		name := t.table(typeS)
		t.put(name, doc{"pk": s("a"), "v": nest(31)})
		t.equal(t.get(name, doc{"pk": s("a")})["v"], nest(31))
		_, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: doc{"pk": s("a"), "v": nest(33)}})
		t.refused(err, invalid, "33 levels")
	}},
	{"item/bad keys", func(t *trial) {
		name := t.table(typeS, typeN)
		for about, key := range map[string]doc{
			"no sort key": {"pk": s("a")}, "wrong type": {"pk": s("a"), "sk": s("1")}, "empty": {"pk": s(""), "sk": n("1")},
			"one too many": {"pk": s("a"), "sk": n("1"), "x": n("1")}, "too long": {"pk": s(strings.Repeat("k", 2049)), "sk": n("1")},
		} {
			_, err := t.db.GetItem(t.ctx, &dynamodb.GetItemInput{TableName: name, Key: key})
			t.refused(err, invalid, "get: ", about)
			_, err = t.db.DeleteItem(t.ctx, &dynamodb.DeleteItemInput{TableName: name, Key: key})
			t.refused(err, invalid, "delete: ", about)
			_, err = t.db.UpdateItem(t.ctx, &dynamodb.UpdateItemInput{TableName: name, Key: key})
			t.refused(err, invalid, "update: ", about)
			if about != "one too many" {
				_, err = t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: key})
				t.refused(err, invalid, "put: ", about)
			}
		}
	}},
	{"item/key lengths", func(t *trial) {
		name := t.table(typeS, typeS)
		longest := doc{"pk": s(strings.Repeat("k", 2048)), "sk": s(strings.Repeat("k", 1024))}
		t.put(name, longest)
		t.equal(t.get(name, longest), longest)
		_, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: doc{"pk": s("a"), "sk": s(strings.Repeat("k", 1025))}})
		t.refused(err, invalid, "sort key")
	}},
	{"item/400 KB", func(t *trial) {
		name := t.table(typeS)
		fits := doc{"pk": s("a"), "v": s(strings.Repeat("x", 400*1024-4))}
		t.put(name, fits)
		_, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: doc{"pk": s("a"), "v": s(strings.Repeat("x", 400*1024-3))}})
		t.refused(err, invalid, "put")
		_, err = t.db.UpdateItem(t.ctx, &dynamodb.UpdateItemInput{
			TableName: name, Key: doc{"pk": s("a")},
			UpdateExpression: aws.String("SET w = :w"), ExpressionAttributeValues: doc{":w": s("y")},
		})
		t.refused(err, invalid, "update")
		t.equal(len(t.get(name, doc{"pk": s("a")})), 2)
	}},
	{"item/projection", func(t *trial) {
		name := t.table(typeS)
		t.put(name, everything())
		for expression, want := range map[string]doc{
			"whole, #l":                {"whole": n("42"), "list": everything()["list"]},
			"nope":                     {},
			"#m.a.b[0], #m.a.b[2]":     {"map": m(doc{"a": m(doc{"b": l(n("1"), n("3"))})})},
			"#l[3].#in, #l[0], #l[99]": {"list": l(s("x"), m(doc{"in": s("deep")}))},
			"#m.nix, whole.x, #l.x":    {"map": m(doc{"nix": m(doc{})})},
		} {
			names := map[string]string{}
			for placeholder, attribute := range map[string]string{"#l": "list", "#m": "map", "#in": "in"} {
				if strings.Contains(expression, placeholder) {
					names[placeholder] = attribute
				}
			}
			if len(names) == 0 {
				names = nil
			}
			out, err := t.db.GetItem(t.ctx, &dynamodb.GetItemInput{
				TableName: name, Key: doc{"pk": s("all")},
				ProjectionExpression: &expression, ExpressionAttributeNames: names, ConsistentRead: aws.Bool(true),
			})
			t.ok(err)
			t.equal(out.Item, want, expression)
		}
	}},
	{"item/bad projections", func(t *trial) {
		t.badProjections("", "a,", ",a", "a b", "a.", "a..b", "a[", "a[x]", "a[-1]", "a[1", "a, a", "a, a.b", "a.b, a", "a[0], a[0].b", "#nope", ":v", "status", "a.Name", "a-b", "1a", "size(a)", strings.Repeat("a", 5000))
	}},
	{"item/blank projection", func(t *trial) { t.badProjections(" ") }},
	{"item/conflicting projections", func(t *trial) { t.badProjections("a.b, a[1]", "a[1], a.b") }},
	{"item/deep projection", func(t *trial) { t.badProjections("a" + strings.Repeat(".a", 40)) }},
	{"item/names unused and undefined", func(t *trial) {
		name := t.table(typeS)
		_, err := t.db.GetItem(t.ctx, &dynamodb.GetItemInput{TableName: name, Key: doc{"pk": s("a")}, ProjectionExpression: aws.String("a"), ExpressionAttributeNames: map[string]string{"#x": "x"}})
		t.refused(err, invalid, "unused name")
		_, err = t.db.GetItem(t.ctx, &dynamodb.GetItemInput{TableName: name, Key: doc{"pk": s("a")}, ExpressionAttributeNames: map[string]string{"#x": "x"}})
		t.refused(err, invalid, "name without an expression")
		_, err = t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: doc{"pk": s("a")}, ExpressionAttributeValues: doc{":x": s("x")}})
		t.refused(err, invalid, "value without an expression")
		_, err = t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: doc{"pk": s("a")}, ConditionExpression: aws.String("pk = :y"), ExpressionAttributeValues: doc{":x": s("x")}})
		t.refused(err, invalid, "undefined value")
		_, err = t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: doc{"pk": s("a")}, ConditionExpression: aws.String("pk = x"), ExpressionAttributeValues: doc{"x": s("x")}})
		t.refused(err, invalid, "value without its colon")
	}},
	{"item/unused value", func(t *trial) { // DynamoDB reports this error before it evaluates the condition
		_, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: t.table(typeS), Item: doc{"pk": s("a")}, ConditionExpression: aws.String("attribute_exists(pk)"), ExpressionAttributeValues: doc{":x": s("x")}})
		t.refused(err, invalid)
	}},
	{"item/put returns", func(t *trial) {
		name := t.table(typeS)
		first, second := doc{"pk": s("a"), "v": n("1")}, doc{"pk": s("a"), "v": n("2")}
		for _, want := range []doc{nil, first} {
			out, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: first, ReturnValues: types.ReturnValueAllOld})
			t.ok(err)
			t.equal(out.Attributes, want)
		}
		out, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: second})
		t.ok(err)
		t.equal(len(out.Attributes), 0)
		_, err = t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: second, ReturnValues: types.ReturnValueAllNew})
		t.refused(err, invalid, "ALL_NEW")
	}},
	{"item/delete", func(t *trial) {
		name := t.table(typeS)
		key := doc{"pk": s("a")}
		t.put(name, doc{"pk": s("a"), "v": n("1")})
		for _, want := range []doc{{"pk": s("a"), "v": n("1")}, nil} {
			out, err := t.db.DeleteItem(t.ctx, &dynamodb.DeleteItemInput{TableName: name, Key: key, ReturnValues: types.ReturnValueAllOld})
			t.ok(err)
			t.equal(out.Attributes, want)
		}
		_, err := t.db.DeleteItem(t.ctx, &dynamodb.DeleteItemInput{TableName: name, Key: key, ConditionExpression: aws.String("attribute_exists(pk)")})
		t.refused(err, "ConditionalCheckFailedException")
		_, err = t.db.DeleteItem(t.ctx, &dynamodb.DeleteItemInput{TableName: name, Key: key, ReturnValues: types.ReturnValueUpdatedOld})
		t.refused(err, invalid, "UPDATED_OLD")
	}},
	{"item/legacy parameters", func(t *trial) {
		name := t.table(typeS)
		_, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{
			TableName: name, Item: doc{"pk": s("a")}, ConditionExpression: aws.String("attribute_not_exists(pk)"),
			Expected: map[string]types.ExpectedAttributeValue{"pk": {Exists: aws.Bool(false)}},
		})
		t.refused(err, invalid, "Expected beside an expression")
	}},
	{"item/capacity", func(t *trial) {
		name := t.table(typeS)
		for size, want := range map[int]string{10: "1 0.5 1", 1024: "1 0.5 1", 1025: "2 0.5 1", 4096: "4 0.5 1", 4097: "5 1 2", 10000: "10 1.5 3"} {
			item := doc{"pk": s("a"), "v": s(strings.Repeat("x", size-4))}
			_, err := t.db.DeleteItem(t.ctx, &dynamodb.DeleteItemInput{TableName: name, Key: doc{"pk": s("a")}})
			t.ok(err)
			put, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: item, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
			t.ok(err)
			read := func(consistent bool) string {
				out, err := t.db.GetItem(t.ctx, &dynamodb.GetItemInput{TableName: name, Key: doc{"pk": s("a")}, ConsistentRead: &consistent, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
				t.ok(err)
				return show(out.ConsumedCapacity.CapacityUnits)
			}
			t.equal(show(put.ConsumedCapacity.CapacityUnits)+" "+read(false)+" "+read(true), want, size, " bytes:")
			t.equal(put.ConsumedCapacity.TableName, *name)
		}
		// The price of a write depends on the larger of the old and the new item.
		out, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: doc{"pk": s("a")}, ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes})
		t.ok(err)
		if got := *out.ConsumedCapacity.CapacityUnits; got < 1 || out.ConsumedCapacity.Table == nil || *out.ConsumedCapacity.Table.CapacityUnits != got {
			t.errorf("consumed %v", got)
		}
	}},
}
