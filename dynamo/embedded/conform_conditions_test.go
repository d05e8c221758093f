package embedded_test

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// given returns the placeholders that an expression uses, with their values.
func given[V any](expression string, all map[string]V) map[string]V {
	var out map[string]V
	for placeholder, v := range all {
		for _, word := range strings.FieldsFunc(expression, func(r rune) bool { return strings.ContainsRune(" ()[],.=<>+-", r) }) {
			if word == placeholder {
				if out == nil {
					out = map[string]V{}
				}
				out[placeholder] = v
			}
		}
	}
	return out
}

var testNames = map[string]string{"#l": "list", "#m": "map", "#n": "names", "#b": "bytes", "#dot": "a.b"}

var testValues = doc{
	":s": s("hello"), ":h": s("hel"), ":z": s("z"), ":e": s(""), ":1": n("1"), ":2": n("2"), ":5": n("5"), ":10": n("10"), ":one": n("1.0"),
	":b": b("\x00\xff"), ":b0": b("\x00"), ":t": yes(true), ":f": yes(false), ":null": null(), ":l": l(s("x"), n("1")), ":m": m(doc{"k": n("1")}),
	":ss": ss("b", "a"), ":ns": ns("10", "9"), ":bs": bs("x"), ":S": s("S"), ":N": s("N"), ":L": s("L"), ":M": s("M"), ":SS": s("SS"), ":NULL": s("NULL"), ":BOOL": s("BOOL"), ":bad": s("X"), ":x": s("x"),
}

func subject() doc {
	return doc{
		"pk": s("subject"), "s": s("hello"), "n1": n("5"), "bytes": b("\x00\xff"), "flag": yes(true), "nothing": null(),
		"list": l(s("x"), n("1")), "map": m(doc{"k": n("1"), "deep": m(doc{"list": l(n("7"), n("8"))})}),
		"names": ss("a", "b"), "nums": ns("9", "10.0"), "blobs": bs("x"), "another": s("hello"), "a.b": n("1"), "blank": s(""),
	}
}

// evaluate checks that every expression has the result want, as the condition of a transaction and as the filter of a
// scan.
func (t *trial) evaluate(want bool, expressions ...string) {
	name := t.table(typeS)
	t.put(name, subject())
	for _, expression := range expressions {
		names, values := given(expression, testNames), given(expression, testValues)
		_, err := t.db.TransactWriteItems(t.ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{ConditionCheck: &types.ConditionCheck{
			TableName: name, Key: doc{"pk": s("subject")}, ConditionExpression: &expression, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
		}}}})
		if err != nil {
			t.refused(err, "TransactionCanceledException", expression)
		}
		t.equal(err == nil, want, "condition ", expression, ":")
		out, err := t.db.Scan(t.ctx, &dynamodb.ScanInput{
			TableName: name, FilterExpression: &expression,
			ExpressionAttributeNames: names, ExpressionAttributeValues: values, ConsistentRead: aws.Bool(true),
		})
		if err != nil {
			t.errorf("filter %s: %v", expression, err)
			continue
		}
		t.equal(out.Count == 1, want, "filter ", expression, ":")
	}
}

func (t *trial) badConditions(expressions ...string) {
	name := t.table(typeS)
	for _, bad := range expressions {
		in := &dynamodb.PutItemInput{TableName: name, Item: subject(), ConditionExpression: &bad, ExpressionAttributeNames: given(bad, testNames), ExpressionAttributeValues: given(bad, testValues)}
		_, err := t.db.PutItem(t.ctx, in)
		if len(bad) > 60 {
			bad = bad[:60] + "…"
		}
		t.refused(err, invalid, "condition ", bad)
	}
}

var conditionCases = []conformance{
	{"condition/true", func(t *trial) {
		t.evaluate(true,
			"s = :s", "s <> :h", "s > :h", "s >= :s", "s < :z", "s <= :s", ":s = s", "n1 < :10", "n1 > :1", "n1 = :5", "#b = :b", "#b > :b0",
			"flag = :t", "nothing = :null", "#l = :l", "#n = :ss", "nums = :ns", "blobs = :bs", "s = another", "#dot = :1", "#dot = :one",
			"#m.k = :1", "#m.deep.#l[1] > :5", "#l[0] = :x", "absent <> :s", "n1 <> :s", "#l[9] <> :1",
			"s BETWEEN :h AND :z", "n1 BETWEEN :5 AND :5", "n1 between :1 and :10", "s IN (:h, :s)", "n1 IN (:5)", "s in (another)",
			"attribute_exists(s)", "attribute_exists(#m.deep.#l[0])", "attribute_not_exists(absent)", "attribute_not_exists(#l[2])", "attribute_not_exists(s.x)",
			"attribute_type(s, :S)", "attribute_type(n1, :N)", "attribute_type(#l, :L)", "attribute_type(#m, :M)", "attribute_type(#n, :SS)", "attribute_type(nothing, :NULL)", "attribute_type(flag, :BOOL)",
			"begins_with(s, :h)", "begins_with(s, :e)", "begins_with(#b, :b0)", "begins_with(s, another) OR s = another",
			"contains(s, :h)", "contains(#n, :x) OR contains(blobs, :b) OR contains(#l, :x)", "contains(#l, :1)", "contains(nums, :10)", "contains(#b, :b0)",
			"size(s) = :5", "size(#l) = :2", "size(#m) = :2", "size(#n) = :2", "size(#b) = :2", "size(s) > size(#l)", "size(blank) < :1", "size(s) BETWEEN :5 AND :10",
			"NOT s = :h", "not attribute_exists(absent)", "s = :h OR n1 = :5", "s = :s AND n1 = :5", "NOT (s = :h OR n1 = :1)", "(s = :s) AND (NOT n1 = :1)",
			"s = :h AND n1 = :5 OR flag = :t", "flag = :t OR s = :h AND n1 = :1", "NOT s = :h AND flag = :t", "NOT NOT s = :s", "NOT absent < :5",
		)
	}},
	{"condition/false", func(t *trial) {
		t.evaluate(false,
			"s = :h", "s <> :s", "n1 > :10", "n1 = :s", "n1 < :s", "absent = :s", "absent < :s", "absent = gone", "flag = :f", "#l = :m", "#m = :l",
			"s BETWEEN :x AND :z", "n1 BETWEEN :h AND :s", "n1 IN (:1, :2, :10)", "absent IN (:s)", "attribute_exists(absent)", "attribute_exists(#m.k.x)", "attribute_not_exists(s)",
			"attribute_type(s, :N)", "attribute_type(absent, :S)", "begins_with(s, :z)", "begins_with(n1, :h)", "begins_with(absent, :h)",
			"contains(s, :z)", "contains(#n, :1)", "contains(absent, :s)", "contains(n1, :5)", "contains(s, :1)", "size(absent) = :5", "size(n1) = :1", "size(flag) > :1", "size(s) = :s",
			"s = :h OR n1 = :1", "s = :s AND n1 = :1", "NOT s = :s", "NOT (s = :s OR n1 = :1)", "NOT s = :h AND flag = :f", "s = :h AND (n1 = :5 OR flag = :t)",
			"nums = :ss", "names2 = :ss", "s.x = :s", "s[0] = :s", "#m[0] = :1", "#l.x = :1",
		)
	}},
	{"condition/operands in parentheses", func(t *trial) {
		t.evaluate(true, "(s) = :s", "s = (:s)", "(s) BETWEEN (:h) AND (:z)", "((s) = (:s)) AND n1 = :5")
	}},
	{"condition/on no item", func(t *trial) {
		name := t.table(typeS)
		for expression, want := range map[string]bool{"attribute_not_exists(pk)": true, "attribute_exists(pk)": false, "pk = :s": false, "pk <> :s": true, "NOT pk = :s": true, "size(pk) > :1": false} {
			_, err := t.db.DeleteItem(t.ctx, &dynamodb.DeleteItemInput{TableName: name, Key: doc{"pk": s("none")}, ConditionExpression: &expression, ExpressionAttributeValues: given(expression, testValues)})
			t.equal(err == nil, want, expression, ":")
		}
	}},
	{"condition/bad expressions", func(t *trial) {
		t.badConditions(
			"", " ", "s", "(s)", "s =", "= :s", "s = :s AND", "AND s = :s", "s = :s OR OR s = :s", "NOT", "(s = :s", "s = :s)", "()", "s == :s", "s != :s", "s = 'x'", "s = 5", "s = :s s = :s",
			"s BETWEEN :h", "s BETWEEN :h AND", "s BETWEEN :h OR :s", "s IN ()", "s IN (:s", "s IN :s", "s IN (:s,)", "NOT s", "s AND n1",
			"attribute_exists()", "attribute_exists(:s)", "attribute_exists(s, n1)", "attribute_exists s", "attribute_not_exists(:s)", "exists(s)",
			"attribute_type(s)", "attribute_type(:s, :S)",
			"begins_with(s)", "begins_with(s, :1)", "begins_with(s, :h, :h)", "contains(s)", "size(s)", "size(s) = ", "size() = :1", "size(:1) = :1", "if_not_exists(s, :s) = :s", "size(size(s)) = :1",
			"s BETWEEN :z AND :h", "s BETWEEN :1 AND :s",
			"((s = :s))", "(((s)) = :s)",
			"s = :nope", "#nope = :s", ":s", "status = :s", "Name = :s", "#m.value = :1", "s. = :s", "s[x] = :s", "s[0 = :s", "s.[0] = :s", "1s = :s", "a-b = :s", "s = :s;", "s = \"x\"", "s @ :s", "s = :", "# = :s",
			strings.Repeat("s = :s OR ", 500)+"s = :s", strings.Repeat("(", 1000)+"s = :s"+strings.Repeat(")", 1000),
			"size((s)) = = :1",
		)
	}},
	{"condition/functions are in lower case", func(t *trial) { t.badConditions("ATTRIBUTE_EXISTS(s)", "Size(s) = :5") }},
	{"condition/bad attribute types", func(t *trial) {
		t.badConditions("attribute_type(s, :1)", "attribute_type(s, :bad)", "attribute_type(s, n1)")
	}},
	{"condition/no order between values", func(t *trial) {
		t.badConditions("s < :t", "s < :null", "s < :l", "s < :ss", "s BETWEEN :t AND :t")
	}},
	{"condition/operands must differ", func(t *trial) { t.badConditions("s = s", "s IN (s)", "s BETWEEN s AND :z") }},
	{"condition/too long", func(t *trial) {
		t.badConditions("s IN ("+strings.Repeat(":s,", 100)+":s)", strings.Repeat("NOT ", 1000)+"s = :s", "s = :s OR n1 = :1"+strings.Repeat(" OR n1 = :1", 301))
	}},
	{"condition/reserved words", func(t *trial) {
		name := t.table(typeS)
		for _, word := range []string{"ABORT", "abort", "Zone", "name", "status", "count", "counter", "hash", "owner", "lock", "ttl", "value", "percentile", "size", "and", "between", "timestamp", "token", "user"} {
			expression := word + " = :s"
			_, err := t.db.DeleteItem(t.ctx, &dynamodb.DeleteItemInput{TableName: name, Key: doc{"pk": s("a")}, ConditionExpression: &expression, ExpressionAttributeValues: doc{":s": s("x")}})
			t.refused(err, invalid, expression)
		}
		for _, word := range []string{"email", "handle", "pk", "contains", "attribute_exists", "names2", "constraints_", "abort1"} {
			expression := word + " <> :s"
			_, err := t.db.DeleteItem(t.ctx, &dynamodb.DeleteItemInput{TableName: name, Key: doc{"pk": s("a")}, ConditionExpression: &expression, ExpressionAttributeValues: doc{":s": s("x")}})
			if err != nil {
				t.errorf("%s: %v", expression, err)
			}
		}
	}},
	{"condition/failure gives the item", func(t *trial) {
		name := t.table(typeS)
		t.put(name, doc{"pk": s("a"), "v": n("1")})
		key, exp := doc{"pk": s("a")}, aws.String("attribute_not_exists(pk)")
		for _, old := range []types.ReturnValuesOnConditionCheckFailure{"", types.ReturnValuesOnConditionCheckFailureNone, types.ReturnValuesOnConditionCheckFailureAllOld} {
			_, put := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: key, ConditionExpression: exp, ReturnValuesOnConditionCheckFailure: old})
			_, update := t.db.UpdateItem(t.ctx, &dynamodb.UpdateItemInput{TableName: name, Key: key, ConditionExpression: exp, ReturnValuesOnConditionCheckFailure: old})
			_, del := t.db.DeleteItem(t.ctx, &dynamodb.DeleteItemInput{TableName: name, Key: key, ConditionExpression: exp, ReturnValuesOnConditionCheckFailure: old})
			for _, err := range []error{put, update, del} {
				failed, ok := err.(interface{ Unwrap() error })
				if !ok {
					t.fatalf("%v", err)
				}
				var want doc
				if old == types.ReturnValuesOnConditionCheckFailureAllOld {
					want = doc{"pk": s("a"), "v": n("1")}
				}
				t.equal(itemOf(failed.(error)), want, "with ", string(old), ":")
			}
		}
	}},
	{"condition/failure gives nothing else", func(t *trial) {
		_, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: t.table(typeS), Item: doc{"pk": s("a")}, ReturnValuesOnConditionCheckFailure: "SOME"})
		t.refused(err, invalid, "SOME")
	}},
	{"condition/forty operators", func(t *trial) {
		name := t.table(typeS)
		terms := make([]string, 40)
		values := doc{}
		for i := range terms {
			terms[i] = fmt.Sprintf("pk <> :v%d", i)
			values[fmt.Sprintf(":v%d", i)] = n(fmt.Sprint(i))
		}
		all := strings.Join(terms, " AND ")
		_, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: name, Item: doc{"pk": s("a")}, ConditionExpression: &all, ExpressionAttributeValues: values})
		t.ok(err)
	}},
}
