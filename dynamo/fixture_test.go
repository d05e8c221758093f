package dynamo_test

import (
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/testrun"
)

func TestMain(m *testing.M) {
	testrun.Isolate()
	os.Exit(m.Run())
}

// fixture is the demo's tables, and the requests that a connection sends.
type fixture struct {
	*demo.Demo
	t    testing.TB
	mu   sync.Mutex
	sent []string
	// deny names operations that are answered with AccessDeniedException.
	deny map[string]bool
	// unknown names operations that the endpoint does not know.
	unknown map[string]bool
	// fail denies every third request.
	fail bool
	n    int
}

func start(t testing.TB, options ...embedded.Option) *fixture {
	t.Helper()
	d, err := demo.New(t.Context(), options...)
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{Demo: d, t: t, deny: map[string]bool{}, unknown: map[string]bool{}}
}

func (f *fixture) RoundTrip(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	f.mu.Lock()
	f.sent = append(f.sent, operation)
	refusal := ""
	f.n++
	switch {
	case f.deny[operation]:
		refusal = "AccessDeniedException"
	case f.fail && f.n%3 == 0:
		refusal = "AccessDeniedException"
	case f.unknown[operation]:
		refusal = "UnknownOperationException"
	}
	f.mu.Unlock()
	if refusal != "" {
		body := `{"__type":"com.amazon.coral.service#` + refusal + `","message":"no"}`
		return &http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, Body: readCloser{strings.NewReader(body)}, Request: r}, nil
	}
	return f.Engine.Transport().RoundTrip(r)
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

// requests returns and forgets what was sent.
func (f *fixture) requests() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	sent := f.sent
	f.sent = nil
	return sent
}

func (f *fixture) connect(change ...func(*dynamo.Options)) *dynamo.Connection {
	f.t.Helper()
	o := f.Options()
	o.Transport, o.Asked = f, true
	for _, c := range change {
		c(&o)
	}
	c, err := dynamo.Connect(f.t.Context(), o)
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

func (f *fixture) open(table string, change ...func(*dynamo.Options)) *dynamo.Table {
	f.t.Helper()
	t, err := f.connect(change...).Open(f.t.Context(), table)
	if err != nil {
		f.t.Fatal(err)
	}
	return t
}

type item = sdk.Item

func str(v string) types.AttributeValue { return sdk.S(v) }
func num(v string) types.AttributeValue { return sdk.N(v) }

// uniqPreset names the preset of the accounts and locks in most tests.
func uniqPreset(o *dynamo.Options) { o.Layout = "uniq" }

// create makes a table. Keys are written name:type; an index is the attribute
// that is its partition key.
func (f *fixture) create(table, hash, rng string, indexes ...string) {
	f.t.Helper()
	in := sdk.Table(table, hash, rng)
	for _, attribute := range indexes {
		sdk.Indexed(in, attribute+":S")
	}
	if err := sdk.Fill(f.t.Context(), f.App(), in); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) put(table string, items ...item) {
	f.t.Helper()
	if err := sdk.Put(f.t.Context(), f.App(), table, items...); err != nil {
		f.t.Fatal(err)
	}
}

func account(id, email, username string) item {
	return item{"PK": str("ACCT#" + id), "SK": str("PROFILE"), "email": str(email), "username": str(username)}
}

func lock(kind, v string) item {
	return item{"PK": str("UNIQ#" + kind + "#" + v), "SK": str("LOCK")}
}

func binary(v string) types.AttributeValue { return sdk.B(v) }
