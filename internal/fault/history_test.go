package fault

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"tallylock/dynamo/embedded"
)

// TestThePastIsForgotten writes for a while under delays. The engine keeps only old items that reads may
// still return.
func TestThePastIsForgotten(t *testing.T) {
	now := time.Unix(0, 0)
	var kept *delays
	e := embedded.New(
		WithDelays(Delays{Lag: 8 * time.Second, Spread: 2 * time.Second, Now: func() time.Time { return now }}),
		embedded.WithMiddleware(func(_ *embedded.Engine, next http.RoundTripper) http.RoundTripper {
			kept = next.(*delays)
			return next
		}))
	send := func(operation, body string) {
		if _, err := ask(e.Transport(), operation, body); err != nil {
			t.Fatal(err)
		}
	}
	send("CreateTable", `{"TableName":"tab","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]}`)
	for i := range 1000 {
		send("TransactWriteItems", fmt.Sprintf(`{"TransactItems":[{"Put":{"TableName":"tab","Item":{"pk":{"S":"p%d"},"o":{"S":"o%d"}}}},{"Delete":{"TableName":"tab","Key":{"pk":{"S":"p%d"}}}}]}`, i%50, i, (i+7)%50))
		now = now.Add(time.Second)
		p, versions := kept.tables["tab"], 0
		for _, h := range p.items {
			versions += len(h.versions)
		}
		if most := 3 * 11; versions > most || len(p.expiry) > most {
			t.Fatalf("%d versions, %d in the queue after %d writes; want %d at most", versions, len(p.expiry), i, most)
		}
	}
}
