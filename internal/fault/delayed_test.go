package fault_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/fault"
)

const (
	lag    = time.Second
	spread = 100 * time.Millisecond
)

// delayed is a table with delayed reads. The test moves its clock.
type delayed struct {
	t   *testing.T
	db  *dynamodb.Client
	now time.Time
}

func newDelayed(t *testing.T, d fault.Delays) *delayed {
	w := &delayed{t: t, now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	d.Now = func() time.Time { return w.now }
	w.db = connectTo(embedded.New(fault.WithDelays(d)))
	in := sdk.Indexed(sdk.Table("tab", "pk:S"), "kind:S")
	in.GlobalSecondaryIndexes[0].Projection.ProjectionType = types.ProjectionTypeAll
	w.ok(sdk.Fill(t.Context(), w.db, in))
	return w
}

func (w *delayed) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func row(pk, v string) sdk.Item {
	return sdk.Item{"pk": sdk.S(pk), "v": sdk.S(v), "kind": sdk.S("row")}
}

func (w *delayed) put(items ...sdk.Item) {
	w.t.Helper()
	w.ok(sdk.Put(w.t.Context(), w.db, "tab", items...))
}

func (w *delayed) delete(pk string) {
	w.t.Helper()
	_, err := w.db.DeleteItem(w.t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("tab"), Key: sdk.Item{"pk": sdk.S(pk)}})
	w.ok(err)
}

// values writes the attribute v of each item by its key: "a=1 b=2".
func values(items ...sdk.Item) string {
	var out []string
	for _, item := range items {
		if item != nil {
			out = append(out, item["pk"].(*types.AttributeValueMemberS).Value+"="+item["v"].(*types.AttributeValueMemberS).Value)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// reads are the reads that may return old items, by name. A read of an index may return
// old items even if consistent is set.
var reads = map[string]func(w *delayed, consistent bool) string{
	"GetItem": func(w *delayed, consistent bool) string {
		var items []sdk.Item
		for _, pk := range []string{"a", "b"} {
			out, err := w.db.GetItem(w.t.Context(), &dynamodb.GetItemInput{TableName: aws.String("tab"), Key: sdk.Item{"pk": sdk.S(pk)}, ConsistentRead: &consistent})
			w.ok(err)
			items = append(items, out.Item)
		}
		return values(items...)
	},
	"BatchGetItem": func(w *delayed, consistent bool) string {
		out, err := w.db.BatchGetItem(w.t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
			"tab": {Keys: []sdk.Item{{"pk": sdk.S("a")}, {"pk": sdk.S("b")}}, ConsistentRead: &consistent},
		}})
		w.ok(err)
		return values(out.Responses["tab"]...)
	},
	"Query": func(w *delayed, consistent bool) string {
		var items []sdk.Item
		for _, pk := range []string{"a", "b"} {
			out, err := w.db.Query(w.t.Context(), &dynamodb.QueryInput{
				TableName: aws.String("tab"), KeyConditionExpression: aws.String("pk = :pk"), ExpressionAttributeValues: sdk.Item{":pk": sdk.S(pk)}, ConsistentRead: &consistent,
			})
			w.ok(err)
			items = append(items, out.Items...)
		}
		return values(items...)
	},
	"Scan": func(w *delayed, consistent bool) string {
		out, err := w.db.Scan(w.t.Context(), &dynamodb.ScanInput{TableName: aws.String("tab"), ConsistentRead: &consistent})
		w.ok(err)
		return values(out.Items...)
	},
	"Query of an index": func(w *delayed, _ bool) string {
		out, err := w.db.Query(w.t.Context(), &dynamodb.QueryInput{
			TableName: aws.String("tab"), IndexName: aws.String("kind-index"), KeyConditionExpression: aws.String("kind = :k"), ExpressionAttributeValues: sdk.Item{":k": sdk.S("row")},
		})
		w.ok(err)
		return values(out.Items...)
	},
	"Scan of an index": func(w *delayed, _ bool) string {
		out, err := w.db.Scan(w.t.Context(), &dynamodb.ScanInput{TableName: aws.String("tab"), IndexName: aws.String("kind-index")})
		w.ok(err)
		return values(out.Items...)
	},
}

// seen reads often, and returns all different answers, sorted.
func (w *delayed) seen(read string, consistent bool) string {
	w.t.Helper()
	answers := map[string]bool{}
	for range 200 {
		answers[reads[read](w, consistent)] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(answers)), ", ")
}
