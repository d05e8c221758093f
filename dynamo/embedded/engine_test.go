package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo/embedded"
)

// send posts a body to an engine, and returns the status and the body of the answer.
func send(e *embedded.Engine, operation, body string) (int, string) {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

const createTable = `{"TableName":"tab","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]}`

// withTable returns an engine with an empty table called tab.
func withTable(t testing.TB, options ...embedded.Option) *embedded.Engine {
	e := embedded.New(options...)
	if status, body := send(e, "CreateTable", createTable); status != http.StatusOK {
		t.Fatal(body)
	}
	return e
}

func TestTokenIsForgottenTenMinutesAfterCompletion(t *testing.T) {
	var mu sync.Mutex
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	e := withTable(t, embedded.WithClock(func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}))
	bump := `{"ClientRequestToken":"once","TransactItems":[{"Update":{"TableName":"tab","Key":{"pk":{"S":"c"}},"UpdateExpression":"ADD v :one","ExpressionAttributeValues":{":one":{"N":"1"}}}}]}`
	for _, c := range []struct {
		after time.Duration
		want  string
	}{{0, `"1"`}, {0, `"1"`}, {10*time.Minute - time.Second, `"1"`}, {time.Second, `"2"`}, {9 * time.Minute, `"2"`}, {time.Minute, `"3"`}} {
		mu.Lock()
		now = now.Add(c.after)
		mu.Unlock()
		if status, body := send(e, "TransactWriteItems", bump); status != http.StatusOK {
			t.Fatal(body)
		}
		if _, got := send(e, "GetItem", `{"TableName":"tab","Key":{"pk":{"S":"c"}},"ProjectionExpression":"v"}`); got != `{"Item":{"v":{"N":`+c.want+`}}}` {
			t.Errorf("at %v: %s, want %s", now, got, c.want)
		}
	}
}

func TestReplayIsChargedARead(t *testing.T) {
	e := withTable(t)
	put := `{"ClientRequestToken":"once","ReturnConsumedCapacity":"TOTAL","TransactItems":[{"Put":{"TableName":"tab","Item":{"pk":{"S":"c"},"v":{"S":"` + strings.Repeat("x", 5000) + `"}}}}]}`
	for _, want := range []string{`{"ConsumedCapacity":[{"TableName":"tab","CapacityUnits":10.0,"WriteCapacityUnits":10.0}]}`, `{"ConsumedCapacity":[{"TableName":"tab","CapacityUnits":4.0,"ReadCapacityUnits":4.0}]}`} {
		if _, got := send(e, "TransactWriteItems", put); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestUnknownOperationsAreRefused(t *testing.T) {
	e := withTable(t)
	for _, operation := range []string{"", "UpdateContinuousBackups", "ExecuteStatement", "BatchExecuteStatement", "DescribeStream", "getItem", "CreateBackup"} {
		if status, body := send(e, operation, "{}"); status != http.StatusBadRequest || !strings.Contains(body, "#UnknownOperationException") {
			t.Errorf("%q: %d %s", operation, status, body)
		}
	}
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusBadRequest {
		t.Errorf("GET: %d", w.Code)
	}
}

func TestRequestsOver16MBAreRefused(t *testing.T) {
	e := withTable(t)
	status, body := send(e, "GetItem", `{"TableName":"`+strings.Repeat("x", 16<<20)+`"}`)
	if status != http.StatusRequestEntityTooLarge || !strings.Contains(body, "__type") {
		t.Errorf("%d %.200s", status, body)
	}
}

func TestProtectedTableIsNotDeleted(t *testing.T) {
	e := embedded.New()
	send(e, "CreateTable", strings.Replace(createTable, "{", `{"DeletionProtectionEnabled":true,`, 1))
	if status, body := send(e, "DeleteTable", `{"TableName":"tab"}`); status != http.StatusBadRequest || !strings.Contains(body, "#ValidationException") {
		t.Errorf("%d %s", status, body)
	}
}

func TestScanOrderIsTheSameInEveryRun(t *testing.T) {
	e := withTable(t)
	for i := range 6 {
		send(e, "PutItem", fmt.Sprintf(`{"TableName":"tab","Item":{"pk":{"S":"k%d"}}}`, i))
	}
	const want = `{"Items":[{"pk":{"S":"k0"}},{"pk":{"S":"k1"}},{"pk":{"S":"k4"}},{"pk":{"S":"k2"}},{"pk":{"S":"k5"}},{"pk":{"S":"k3"}}],"Count":6,"ScannedCount":6}`
	if _, got := send(e, "Scan", `{"TableName":"tab"}`); got != want {
		t.Errorf("got %s", got)
	}
}

func TestTransportHonoursItsContext(t *testing.T) {
	e := withTable(t)
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	request := func(body io.Reader) *http.Request {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://embedded.invalid/", body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
		return r
	}
	answer, err := e.Transport().RoundTrip(request(strings.NewReader("{}")))
	if err != nil {
		t.Fatal(err)
	}
	cancel(gone)
	if _, err := io.ReadAll(answer.Body); !errors.Is(err, gone) {
		t.Errorf("read of the body: %v", err)
	}
	closed := &closer{Reader: strings.NewReader("{}")}
	if _, err := e.Transport().RoundTrip(request(closed)); !errors.Is(err, gone) {
		t.Errorf("round trip: %v", err)
	}
	if !closed.yes {
		t.Error("the request's body was not closed")
	}
	if _, err := connectTo(e).ListTables(ctx, &dynamodb.ListTablesInput{}); err == nil {
		t.Error("the SDK was answered")
	}
}

type closer struct {
	io.Reader
	yes bool
}

func (c *closer) Close() error {
	c.yes = true
	return nil
}
