package embedded

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/embedded/sdk"
)

// TestIndexesFollowTheTable makes random writes. Then it computes each index and each count of bytes
// from the table's items, and compares.
func TestIndexesFollowTheTable(t *testing.T) {
	e := New()
	send := func(operation, body string) int {
		status, answer, err := sdk.Post(t.Context(), e.Transport(), operation, body)
		if err != nil || status >= 500 {
			t.Fatal(answer, err)
		}
		return status
	}
	send("CreateTable", `{"TableName":"tab","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
		"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"N"},{"AttributeName":"o","AttributeType":"S"},{"AttributeName":"r","AttributeType":"N"}],
		"GlobalSecondaryIndexes":[{"IndexName":"all","KeySchema":[{"AttributeName":"o","KeyType":"HASH"},{"AttributeName":"r","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}},
			{"IndexName":"keys","KeySchema":[{"AttributeName":"o","KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"}},
			{"IndexName":"some","KeySchema":[{"AttributeName":"r","KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["v"]}}],
		"LocalSecondaryIndexes":[{"IndexName":"local","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"r","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}]}`)
	if applied := writeAtRandom(3000, send); applied < 1000 {
		t.Fatalf("only %d writes were applied", applied)
	}
	checkIndexes(t, e.tables["tab"])
}

// writeAtRandom makes random writes to a few items, and returns how many the engine accepted.
func writeAtRandom(times int, send func(operation, body string) int) int {
	random := rand.New(rand.NewPCG(1, 2))
	key := func() string {
		return fmt.Sprintf(`"pk":{"S":"p%d"},"sk":{"N":"%d"}`, random.IntN(5), random.IntN(8)-4)
	}
	extra := func() string {
		out := ""
		for _, a := range []string{`,"o":{"S":"o%d"}`, `,"r":{"N":"%d"}`, `,"v":{"S":"v%d"}`, `,"w":{"S":"w%d"}`} {
			if random.IntN(2) == 0 {
				out += fmt.Sprintf(a, random.IntN(4))
			}
		}
		return out
	}
	applied := 0
	for range times {
		var status int
		switch random.IntN(4) {
		case 0:
			status = send("PutItem", fmt.Sprintf(`{"TableName":"tab","Item":{%s%s}}`, key(), extra()))
		case 1:
			status = send("DeleteItem", fmt.Sprintf(`{"TableName":"tab","Key":{%s}}`, key()))
		case 2:
			status = send("UpdateItem", fmt.Sprintf(`{"TableName":"tab","Key":{%s},"UpdateExpression":"SET o = :o ADD r :one REMOVE %s","ExpressionAttributeValues":{":o":{"S":"o%d"},":one":{"N":"1"}}}`, key(), []string{"v", "w"}[random.IntN(2)], random.IntN(4)))
		case 3:
			status = send("TransactWriteItems", fmt.Sprintf(`{"TransactItems":[{"Put":{"TableName":"tab","Item":{%s%s},"ConditionExpression":"attribute_not_exists(v)"}},{"Delete":{"TableName":"tab","Key":{%s},"ConditionExpression":"attribute_exists(pk)"}}]}`, key(), extra(), key()))
		}
		if status == http.StatusOK {
			applied++
		}
	}
	return applied
}

// checkIndexes computes every index from the table, and compares.
func checkIndexes(t *testing.T, tab *table) {
	var bytes int64
	want := map[string][]entry{}
	tab.tree.Scan(func(stored entry) bool {
		it := stored.decode(nil)
		if fresh := newEntry(tab.key.encode(it), it); fresh != stored {
			t.Errorf("stored %v, want %v", stored, fresh)
		}
		bytes += int64(stored.size)
		for _, x := range tab.indexes {
			if xe := x.entry(tab, stored, it); xe.key != "" {
				want[x.name] = append(want[x.name], xe)
			}
		}
		return true
	})
	if bytes != tab.bytes || tab.tree.Len() == 0 {
		t.Errorf("%d items of %d bytes, counted %d", tab.tree.Len(), bytes, tab.bytes)
	}
	for _, x := range tab.indexes {
		slices.SortFunc(want[x.name], func(a, b entry) int { return strings.Compare(a.key, b.key) })
		got := x.tree.Items()
		if !slices.Equal(got, want[x.name]) {
			t.Errorf("%s holds %d entries, want %d: %v, want %v", x.name, len(got), len(want[x.name]), got, want[x.name])
		}
		var bytes int64
		for _, xe := range got {
			bytes += int64(xe.size)
		}
		if bytes != x.bytes {
			t.Errorf("%s has %d bytes, counted %d", x.name, bytes, x.bytes)
		}
	}
}
