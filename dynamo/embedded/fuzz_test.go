package embedded

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// someSubstitutions are the names and values for the fuzzers' expressions.
func someSubstitutions() *substitutions {
	subs, _ := newSubstitutions(map[string]string{"#a": "a", "#m": "m", "#dot": "a.b"}, map[string]value{
		":s": {kind: kindS, text: "s"}, ":n": {kind: kindN, text: "1"}, ":l": {kind: kindL}, ":ss": {kind: kindSS, list: []value{{kind: kindS, text: "x"}}},
	})
	return subs
}

func someItem() item {
	it, _ := decodeItem(`{"a":{"S":"s"},"l":{"L":[{"N":"1"},{"M":{"x":{"S":"y"}}}]},"m":{"M":{"k":{"N":"2"},"l":{"L":[]}}},"n":{"N":"3"},"ss":{"SS":["x","y"]}}`, nil)
	return it
}

func FuzzExpressionCondition(f *testing.F) {
	for _, seed := range []string{"a = :s", "(a = :s) AND NOT (n < :n OR contains(ss, :s))", "size(l) BETWEEN :n AND :n", "m.k IN (:n, :n)", "begins_with(#a, :s)", "attribute_type(l[1].x, :s)", "((", "a = = b", "l[99999999999999999999] = :n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseCondition("ConditionExpression", text, someSubstitutions())
		if (c == nil) == (err == nil) && err == nil {
			t.Fatal("neither a condition nor an error")
		}
		if err == nil {
			if c.holds(someItem()) == (not{c}).holds(someItem()) {
				t.Fatal("a condition holds as much as its opposite")
			}
		}
	})
}

func FuzzExpressionUpdate(f *testing.F) {
	for _, seed := range []string{"SET a = :s", "SET n = n + :n, l[0] = list_append(l, :l) REMOVE m.k ADD c :n DELETE ss :ss", "SET m.l[3] = if_not_exists(x.y, :n)", "REMOVE l[0], l[1]", "SET", "SET a = (((:n)))"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := parseUpdate(text, someSubstitutions())
		if err != nil {
			return
		}
		before := string(appendItem(nil, someItem()))
		it := someItem()
		fresh, err := u.apply(it)
		if string(appendItem(nil, it)) != before {
			t.Fatal("the item itself was changed")
		}
		if err != nil {
			return
		}
		again, err := decodeItem(string(appendItem(nil, fresh)), nil)
		if err != nil || !equalItems(fresh, again) {
			t.Fatalf("%s does not survive its encoding: %v", appendItem(nil, fresh), err)
		}
	})
}

func FuzzExpressionProjection(f *testing.F) {
	for _, seed := range []string{"a, m.k", "l[0], l[1].x", "#m.l", "a.b, a.b", "#dot"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := parseProjection(text, someSubstitutions())
		if err != nil {
			return
		}
		if out := tree.project(someItem()); out.size() > someItem().size() {
			t.Fatal("a projection is larger than its item")
		}
	})
}

func FuzzExpressionKeyCondition(f *testing.F) {
	for _, seed := range []string{"a = :s", "a = :s AND n > :n", "a = :s AND n BETWEEN :n AND :n", "a = :s AND begins_with(n, :s)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key := keySchema{keyAttribute{"a", kindS}, keyAttribute{"n", kindN}}
		c, err := parseKeyCondition(text, key, someSubstitutions())
		if err == nil && c.to != "" && c.from > c.to {
			t.Fatal("a span ends before it begins")
		}
	})
}

func FuzzItem(f *testing.F) {
	for _, seed := range []string{`{"a":{"S":"x"}}`, `{"a":{"N":"1.50e3"},"b":{"B":"AP8="},"c":{"BOOL":true},"d":{"NULL":true}}`, `{"l":{"L":[{"M":{}}]},"s":{"NS":["2","1"]}}`, `{"é\ud83d\ude00":{"S":"\u0000"}}`, `{"a":{}}`, `{"a":`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		it, err := decodeItem(text, nil)
		if err != nil {
			return
		}
		encoded := string(appendItem(nil, it))
		again, err := decodeItem(encoded, nil)
		if err != nil || !equalItems(it, again) || it.size() != again.size() {
			t.Fatalf("%s became %s: %v", text, encoded, err)
		}
	})
}

func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"0", "-0.0", "1.500", "1e125", "-1E-130", "99999999999999999999999999999999999999", ".5", "5.", "e", "+1"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, errX := canonicalNumber(a)
		y, errY := canonicalNumber(b)
		if errX != nil || errY != nil {
			return
		}
		if again, err := canonicalNumber(x); err != nil || again != x {
			t.Fatalf("%q: %q is not canonical: %q %v", a, x, again, err)
		}
		order := compareNumbers(x, y)
		if (order == 0) != (x == y) || order > 0 != (compareNumbers(y, x) < 0) {
			t.Fatalf("order of %s and %s is %d", x, y, order)
		}
		if keys := strings.Compare(string(appendNumberKey(nil, x)), string(appendNumberKey(nil, y))); (order > 0) != (keys > 0) || (order < 0) != (keys < 0) {
			t.Fatalf("%s and %s order %d as numbers, %d as keys", x, y, order, keys)
		}
		sum, err := addNumbers(x, y, false)
		if err != nil {
			return
		}
		if back, err := addNumbers(sum, y, true); err == nil && back != x {
			t.Fatalf("%s + %s - %s = %s", x, y, y, back)
		}
	})
}

// FuzzRequest feeds whole requests to an engine with a table.
func FuzzRequest(f *testing.F) {
	for _, seed := range [][2]string{
		{"PutItem", `{"TableName":"tab","Item":{"pk":{"S":"a"}}}`},
		{"GetItem", `{"TableName":"tab","Key":{"pk":{"S":"a"}}}`},
		{"Scan", `{"TableName":"tab","Limit":1,"Segment":0,"TotalSegments":2}`},
		{"Query", `{"TableName":"tab","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"a"}}}`},
		{"UpdateItem", `{"TableName":"tab","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET v = :v","ExpressionAttributeValues":{":v":null}}`},
		{"TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"tab","Item":{"pk":{"S":"a"}}}},null]}`},
		{"TransactGetItems", `{"TransactItems":[{"Get":{"TableName":"tab","Key":{"pk":{"S":"a"}}}}]}`},
		{"BatchWriteItem", `{"RequestItems":{"tab":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}}]}}`},
		{"BatchGetItem", `{"RequestItems":{"tab":{"Keys":[{"pk":{"S":"a"}},null]}}}`},
		{"CreateTable", `{"TableName":"tab2","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"GlobalSecondaryIndexes":[{}]}`},
		{"DescribeTable", `null`},
		{"ListTables", `{"Limit":0}`},
		{"UpdateTimeToLive", `{"TableName":"tab"}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, operation, body string) {
		e := New()
		for _, request := range [][2]string{
			{"CreateTable", `{"TableName":"tab","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]}`},
			{"PutItem", `{"TableName":"tab","Item":{"pk":{"S":"a"},"v":{"N":"1"}}}`},
			{operation, body},
		} {
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(request[1]))
			r.Header["X-Amz-Target"] = []string{"DynamoDB_20120810." + request[0]}
			w := httptest.NewRecorder()
			e.ServeHTTP(w, r)
			if w.Code >= 500 {
				t.Fatalf("%s %s: %d %s", request[0], request[1], w.Code, w.Body)
			}
		}
	})
}
