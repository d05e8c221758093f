package embedded_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/embedded"
)

func BenchmarkGetItem(b *testing.B) {
	e := withTable(b)
	send(e, "PutItem", `{"TableName":"tab","Item":{"pk":{"S":"UNIQ#EMAIL#ada@lovelace.io"},"owner":{"S":"ACCT#1"}}}`)
	b.Run("wire", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			send(e, "GetItem", `{"TableName":"tab","Key":{"pk":{"S":"UNIQ#EMAIL#ada@lovelace.io"}},"ConsistentRead":true}`)
		}
	})
	b.Run("sdk", func(b *testing.B) {
		db := connectTo(e)
		in := &dynamodb.GetItemInput{TableName: aws.String("tab"), Key: doc{"pk": s("UNIQ#EMAIL#ada@lovelace.io")}}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := db.GetItem(b.Context(), in); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkTransactWriteItems takes a lock and updates its owner.
func BenchmarkTransactWriteItems(b *testing.B) {
	e := withTable(b)
	b.Run("wire", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			status, body := send(e, "TransactWriteItems", fmt.Sprintf(`{"TransactItems":[{"Put":{"TableName":"tab","Item":{"pk":{"S":"UNIQ#%d"}},"ConditionExpression":"attribute_not_exists(pk) OR pk = :pk","ExpressionAttributeValues":{":pk":{"S":"UNIQ#%d"}}}},{"Update":{"TableName":"tab","Key":{"pk":{"S":"ACCT"}},"UpdateExpression":"ADD n1 :one","ExpressionAttributeValues":{":one":{"N":"1"}}}}]}`, i, i))
			if status != 200 {
				b.Fatal(body)
			}
		}
	})
	b.Run("sdk", func(b *testing.B) {
		db := connectTo(e)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			name := aws.String("tab")
			_, err := db.TransactWriteItems(b.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{txPut(name, doc{"pk": s(fmt.Sprint("LOCK#", i))}, ""), txAdd(name, "ACCT", "1")}})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// million returns an engine with a table of a million small items. Only the first call fills the table.
var million = sync.OnceValue(func() *embedded.Engine {
	e := embedded.New()
	send(e, "CreateTable", createTable)
	for i := 0; i < 1_000_000; i += 25 {
		var items []string
		for j := i; j < i+25; j++ {
			items = append(items, fmt.Sprintf(`{"PutRequest":{"Item":{"pk":{"S":"UNIQ#EMAIL#user%07d@example.com"},"owner":{"S":"ACCT#%07d"},"kind":{"S":"lock"},"since":{"N":"%d"}}}}`, j, j, 1700000000+j))
		}
		if status, body := send(e, "BatchWriteItem", `{"RequestItems":{"tab":[`+strings.Join(items, ",")+`]}}`); status != 200 {
			panic(body)
		}
	}
	return e
})

// BenchmarkScanMillion reads all pages of a million items, and does not decode the items.
func BenchmarkScanMillion(b *testing.B) {
	e := million()
	for name, more := range map[string]string{"all": "", "filter": `,"FilterExpression":"begins_with(#k, :k)","ExpressionAttributeNames":{"#k":"kind"},"ExpressionAttributeValues":{":k":{"S":"x"}}`, "projection": `,"ProjectionExpression":"pk"`} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			transport, total, page := e.Transport(), int64(0), new(bytes.Buffer)
			for b.Loop() {
				for start := ""; ; {
					r, _ := http.NewRequestWithContext(b.Context(), http.MethodPost, "http://embedded.invalid/", strings.NewReader(`{"TableName":"tab"`+more+start+`}`))
					r.Header.Set("X-Amz-Target", "DynamoDB_20120810.Scan")
					answer, err := transport.RoundTrip(r)
					if err != nil {
						b.Fatal(err)
					}
					page.Reset()
					n, _ := page.ReadFrom(answer.Body)
					total += n
					end := page.Bytes()[max(0, page.Len()-200):]
					at := strings.Index(string(end), `"LastEvaluatedKey":`)
					if at < 0 {
						break
					}
					start = `,"ExclusiveStartKey":` + strings.TrimSuffix(string(end[at+len(`"LastEvaluatedKey":`):]), "}")
				}
			}
			b.ReportMetric(float64(b.N)*1e6/b.Elapsed().Seconds(), "items/s")
			b.SetBytes(total / int64(b.N))
		})
	}
}

// BenchmarkFill writes items in batches of 25.
func BenchmarkFill(b *testing.B) {
	e := withTable(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		var items []string
		for j := range 25 {
			items = append(items, fmt.Sprintf(`{"PutRequest":{"Item":{"pk":{"S":"k%d"},"v":{"N":"%d"}}}}`, i*25+j, j))
		}
		send(e, "BatchWriteItem", `{"RequestItems":{"tab":[`+strings.Join(items, ",")+`]}}`)
	}
}
