package embedded_test

import (
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/embedded/sdk"
)

// itemOf returns the item in the error of a failed condition.
func itemOf(err error) doc {
	if e := (*types.ConditionalCheckFailedException)(nil); errors.As(err, &e) {
		return e.Item
	}
	return doc{"error": s(sdk.Code(err))}
}

// start is the item before each update of updateCases.
func start() doc {
	return doc{
		"pk": s("a"), "n1": n("10"), "txt": s("x"), "list": l(n("0"), n("1"), n("2"), n("3")), "map": m(doc{"k": n("1"), "nested": m(doc{"z": s("z")}), "list": l(s("p"))}),
		"names": ss("a", "b"), "nums": ns("1", "2"), "flag": yes(true),
	}
}

var updateNames = map[string]string{"#l": "list", "#m": "map", "#n": "names", "#new": "brand.new"}

var updateValues = doc{":1": n("1"), ":2": n("2"), ":tenth": n("0.1"), ":s": s("s"), ":l": l(s("u"), s("v")), ":e": l(), ":m": m(doc{"x": n("1")}), ":ss": ss("b", "c"), ":ab": ss("a", "b"), ":ns": ns("2", "3.0"), ":t": yes(false), ":null": null(), ":neg": n("-3")}

func (t *trial) update(name *string, key doc, expression string, returns types.ReturnValue) (doc, error) {
	out, err := t.db.UpdateItem(t.ctx, &dynamodb.UpdateItemInput{
		TableName: name, Key: key, UpdateExpression: &expression,
		ExpressionAttributeNames: given(expression, updateNames), ExpressionAttributeValues: given(expression, updateValues), ReturnValues: returns,
	})
	if err != nil {
		return nil, err
	}
	return out.Attributes, nil
}

// changed returns the item of the function start with changed attributes. A nil value removes its attribute.
func changed(with doc) doc {
	out := start()
	for name, v := range with {
		if out[name] = v; v == nil {
			delete(out, name)
		}
	}
	return out
}

// updates checks the results of updates. Each update begins with the item of the function start.
func (t *trial) updates(cases map[string]doc) {
	name := t.table(typeS)
	for expression, with := range cases {
		t.put(name, start())
		got, err := t.update(name, doc{"pk": s("a")}, expression, types.ReturnValueAllNew)
		if err != nil {
			t.errorf("%s: %v", expression, err)
			continue
		}
		t.equal(got, changed(with), expression, ":")
		t.equal(t.get(name, doc{"pk": s("a")}), changed(with), "stored by ", expression, ":")
	}
}

func (t *trial) badUpdates(expressions ...string) {
	name := t.table(typeS)
	for _, bad := range expressions {
		t.put(name, start())
		_, err := t.update(name, doc{"pk": s("a")}, bad, "")
		if len(bad) > 60 {
			bad = bad[:60] + "…"
		}
		t.refused(err, invalid, "update ", bad)
		t.equal(t.get(name, doc{"pk": s("a")}), start(), "after the refusal of ", bad, ":")
	}
}

var updateCases = []conformance{
	{"update/expressions", func(t *trial) {
		nested := m(doc{"z": s("z")})
		t.updates(map[string]doc{
			"SET n1 = :1":                                       {"n1": n("1")},
			"set n1 = n1 + :1":                                  {"n1": n("11")},
			"SET n1 = n1 - :tenth":                              {"n1": n("9.9")},
			"SET n1 = :1 - n1":                                  {"n1": n("-9")},
			"SET n1 = (n1 + :1)":                                {"n1": n("11")},
			"SET txt = n1, n1 = :2":                             {"txt": n("10"), "n1": n("2")}, // txt gets the old n1
			"SET txt = :t, flag = :m":                           {"txt": yes(false), "flag": m(doc{"x": n("1")})},
			"SET #new = :null":                                  {"brand.new": null()},
			"SET c = if_not_exists(c, :1) + :1":                 {"c": n("2")},
			"SET n1 = if_not_exists(n1, :1) + :1":               {"n1": n("11")},
			"SET c = if_not_exists(#m.k, :s)":                   {"c": n("1")},
			"SET c = if_not_exists(c, txt)":                     {"c": s("x")},
			"SET #l = list_append(#l, :l)":                      {"list": l(n("0"), n("1"), n("2"), n("3"), s("u"), s("v"))},
			"SET #l = list_append(:l, #l)":                      {"list": l(s("u"), s("v"), n("0"), n("1"), n("2"), n("3"))},
			"SET c = list_append(if_not_exists(c, :e), :l)":     {"c": l(s("u"), s("v"))},
			"SET #l[1] = :s":                                    {"list": l(n("0"), s("s"), n("2"), n("3"))},
			"SET #l[0] = #l[3], #l[3] = #l[0]":                  {"list": l(n("3"), n("1"), n("2"), n("0"))},
			"SET #m.k = :s, #m.fresh = :1":                      {"map": m(doc{"k": s("s"), "fresh": n("1"), "nested": nested, "list": l(s("p"))})},
			"SET #m.nested.z = #m.k":                            {"map": m(doc{"k": n("1"), "nested": m(doc{"z": n("1")}), "list": l(s("p"))})},
			"SET #m.#l[0] = :1":                                 {"map": m(doc{"k": n("1"), "nested": nested, "list": l(n("1"))})},
			"REMOVE txt, n1":                                    {"txt": nil, "n1": nil},
			"REMOVE absent":                                     {},
			"REMOVE #m.nested.z, #m.nope":                       {"map": m(doc{"k": n("1"), "nested": m(doc{}), "list": l(s("p"))})},
			"REMOVE #l[0] SET #l[1] = :s":                       {"list": l(s("s"), n("2"), n("3"))},
			"ADD n1 :1":                                         {"n1": n("11")},
			"ADD n1 :neg, fresh :2":                             {"n1": n("7"), "fresh": n("2")},
			"ADD #n :ss":                                        {"names": ss("a", "b", "c")},
			"ADD nums :ns":                                      {"nums": ns("1", "2", "3")},
			"ADD fresh :ss":                                     {"fresh": ss("b", "c")},
			"ADD #m.k :1, #m.c :2":                              {"map": m(doc{"k": n("2"), "c": n("2"), "nested": nested, "list": l(s("p"))})},
			"DELETE #n :ss":                                     {"names": ss("a")},
			"DELETE #n :ab":                                     {"names": nil},
			"DELETE absent :ss":                                 {},
			"DELETE nums :ns":                                   {"nums": ns("1")},
			"ADD nums :ns REMOVE txt SET n1 = :1 DELETE #n :ss": {"nums": ns("1", "2", "3"), "txt": nil, "n1": n("1"), "names": ss("a")},
		})
	}},
	{"update/setting beyond the end of a list", func(t *trial) {
		t.updates(map[string]doc{
			"SET #l[9] = :s":             {"list": l(n("0"), n("1"), n("2"), n("3"), s("s"))},
			"SET #l[9] = :s, #l[7] = :1": {"list": l(n("0"), n("1"), n("2"), n("3"), n("1"), s("s"))},
		})
	}},
	{"update/removing from a list", func(t *trial) { // an index counts in the list before the update
		t.updates(map[string]doc{
			"REMOVE #l[0], #l[2]":        {"list": l(n("1"), n("3"))},
			"REMOVE #l[2], #l[0], #l[9]": {"list": l(n("1"), n("3"))},
		})
	}},
	{"update/bad expressions", func(t *trial) {
		t.badUpdates(
			"", "SET", "SET n1", "SET n1 =", "SET n1 = :1,", "SET n1 = :1 + ", "SET n1 = :1 :2", "SET n1 = :1 + :1 + :1", "SET n1 = :1 * :2", "n1 = :1", "PUT n1 = :1", "SET n1 :1", "SET :1 = n1",
			"SET n1 = :1 SET txt = :1", "REMOVE n1 REMOVE txt", "REMOVE", "REMOVE n1,", "REMOVE :1", "ADD n1", "ADD n1 = :1", "ADD n1 txt", "ADD n1 :s", "ADD n1 :l", "DELETE #n :1", "DELETE #n :s", "DELETE #n", "DELETE #n #n",
			"SET n1 = :1, n1 = :2", "SET n1 = :1 REMOVE n1", "SET #m = :m, #m.k = :1", "SET #m.k = :1 REMOVE #m", "SET #l[0] = :1, #l[0] = :2", "SET #m.k = :1, #m[0] = :1", "ADD n1 :1 SET n1 = :1",
			"SET pk = :s", "REMOVE pk", "ADD pk :1", "SET status = :s", "SET #m.value = :s", "REMOVE name",
			"SET n1 = nope", "SET n1 = nope + :1", "SET n1 = txt + :1", "SET n1 = n1 + :s", "SET n1 = :t + :1", "SET n1 = list_append(#l, :s)", "SET n1 = list_append(#l, txt)", "SET n1 = list_append(#l)", "SET n1 = list_append(nope, :l)",
			"SET n1 = if_not_exists(:1, :1)", "SET n1 = if_not_exists(n1)", "SET n1 = size(txt)", "SET n1 = nonsense(n1)", "SET n1 = if_not_exists(nope, gone)",
			"SET #m.no.where = :1", "SET txt.k = :1", "SET txt[0] = :1", "SET #l.k = :1", "SET #m[0] = :1", "SET nope.k = :1", "SET nope[0] = :1", "REMOVE #m.no.where",
			"ADD txt :1", "ADD n1 :ss", "ADD #n :1", "ADD #n :ns", "DELETE nums :ss", "DELETE txt :ss", "ADD nope.k :1",
			"SET n1 = :nope", "SET #nope = :1", "SET a"+strings.Repeat("a", 4096)+" = :1",
		)
	}},
	{"update/blank expression", func(t *trial) { t.badUpdates(" ") }},
	{"update/into what is not there", func(t *trial) { t.badUpdates("SET #l[9].x = :1", "REMOVE nope.k") }},
	{"update/many parentheses", func(t *trial) {
		t.badUpdates("SET n1 = " + strings.Repeat("(", 1000) + ":1" + strings.Repeat(")", 1000))
	}},
	{"update/makes an item", func(t *trial) {
		name := t.table(typeS, typeN)
		key := doc{"pk": s("a"), "sk": n("1.0")}
		_, err := t.update(name, key, "SET v = :s ADD c :1", "")
		t.ok(err)
		t.equal(t.get(name, key), doc{"pk": s("a"), "sk": n("1"), "v": s("s"), "c": n("1")})
		_, err = t.db.UpdateItem(t.ctx, &dynamodb.UpdateItemInput{TableName: name, Key: doc{"pk": s("b"), "sk": n("1")}})
		t.ok(err)
		t.equal(t.get(name, doc{"pk": s("b"), "sk": n("1")}), doc{"pk": s("b"), "sk": n("1")}, "without an expression:")
	}},
	{"update/returns", func(t *trial) {
		name := t.table(typeS)
		expression := "SET n1 = :1, #m.k = :2, fresh = :s REMOVE txt"
		after := changed(doc{"n1": n("1"), "fresh": s("s"), "txt": nil, "map": m(doc{"k": n("2"), "nested": m(doc{"z": s("z")}), "list": l(s("p"))})})
		for returns, want := range map[types.ReturnValue]doc{
			"": nil, types.ReturnValueNone: nil, types.ReturnValueAllOld: start(), types.ReturnValueAllNew: after,
			types.ReturnValueUpdatedOld: {"n1": n("10"), "map": m(doc{"k": n("1")}), "txt": s("x")},
			types.ReturnValueUpdatedNew: {"n1": n("1"), "map": m(doc{"k": n("2")}), "fresh": s("s")},
		} {
			t.put(name, start())
			got, err := t.update(name, doc{"pk": s("a")}, expression, returns)
			t.ok(err)
			t.equal(got, want, returns, ":")
		}
		_, err := t.update(name, doc{"pk": s("a")}, "SET n1 = :1", "SOME")
		t.refused(err, invalid, "SOME")
	}},
	{"update/returns nothing of no item", func(t *trial) {
		got, err := t.update(t.table(typeS), doc{"pk": s("none")}, "SET n1 = :1", types.ReturnValueAllOld)
		t.ok(err)
		t.equal(got, doc(nil))
	}},
	{"update/arithmetic is exact", func(t *trial) {
		name := t.table(typeS)
		add := func(from, by string) (string, error) {
			t.put(name, doc{"pk": s("a"), "v": n(from)})
			out, err := t.db.UpdateItem(t.ctx, &dynamodb.UpdateItemInput{
				TableName: name, Key: doc{"pk": s("a")}, UpdateExpression: aws.String("SET v = v + :d"),
				ExpressionAttributeValues: doc{":d": n(by)}, ReturnValues: types.ReturnValueUpdatedNew,
			})
			if err != nil {
				return "", err
			}
			return show(out.Attributes["v"]), nil
		}
		nines := strings.Repeat("9", 37)
		for _, c := range [][3]string{
			{"9007199254740992", "1", "9007199254740993"},
			{"0.1", "0.2", "0.3"},
			{nines, "1", "1" + strings.Repeat("0", 37)},
			{"9" + nines, "1", "1" + strings.Repeat("0", 38)},
			{"9223372036854775807", "9223372036854775807", "18446744073709551614"},
			{"999999999999999999", "1", "1000000000000000000"},
			{"1E37", "1", "1" + strings.Repeat("0", 36) + "1"},
			{"5", "-5", "0"},
			{"-0.5", "0.25", "-0.25"},
		} {
			got, err := add(c[0], c[1])
			t.ok(err)
			t.equal(got, c[2], c[0], " + ", c[1], ":")
		}
		for _, c := range [][2]string{{"9.9999999999999999999999999999999999999E125", "1E125"}, {"1E125", "1E-130"}, {"1E38", "1"}} {
			_, err := add(c[0], c[1])
			t.refused(err, invalid, c[0], " + ", c[1])
		}
	}},
	{"update/condition", func(t *trial) {
		name := t.table(typeS)
		t.put(name, start())
		in := &dynamodb.UpdateItemInput{
			TableName: name, Key: doc{"pk": s("a")}, UpdateExpression: aws.String("SET n1 = :new"), ConditionExpression: aws.String("n1 = :old"),
			ExpressionAttributeValues: doc{":new": n("11"), ":old": n("10")},
		}
		_, err := t.db.UpdateItem(t.ctx, in)
		t.ok(err)
		_, err = t.db.UpdateItem(t.ctx, in)
		t.refused(err, "ConditionalCheckFailedException")
		t.equal(t.get(name, doc{"pk": s("a")})["n1"], n("11"))
	}},
	{"update/of a key is refused before its condition", func(t *trial) {
		_, err := t.db.UpdateItem(t.ctx, &dynamodb.UpdateItemInput{
			TableName: t.table(typeS), Key: doc{"pk": s("a")}, UpdateExpression: aws.String("SET pk = :s"),
			ConditionExpression: aws.String("attribute_exists(pk)"), ExpressionAttributeValues: doc{":s": s("s")},
		})
		t.refused(err, invalid)
	}},
	{"update/nesting", func(t *trial) {
		name := t.table(typeS)
		t.put(name, doc{"pk": s("a"), "v": l(s("x"))})
		_, err := t.db.UpdateItem(t.ctx, &dynamodb.UpdateItemInput{TableName: name, Key: doc{"pk": s("a")}, UpdateExpression: aws.String("SET v[0] = :deep"), ExpressionAttributeValues: doc{":deep": nest(32)}})
		t.refused(err, invalid)
	}},
}
