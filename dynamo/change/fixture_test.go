package change_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout"
	"tallylock/internal/testrun"
)

// fixture has the demo's tables, behind a transport that can fail.
type fixture struct {
	*demo.Demo
	t       *testing.T
	changer *change.Changer
	journal string

	mu   sync.Mutex
	sent []string
	// listed has the conditions that this test has already written to the list of internal/mutate.
	listed map[string]bool
	// before and after run around each request. If before returns an error, the request is not sent. If after returns an
	// error, the engine has executed the request, and the error replaces the answer.
	before, after func(operation string, body []byte) error
	// answered gets each answer of the engine; nil if the answer is lost. If answered is set, only one request runs at a
	// time, so no other request comes between the call of before and the answer.
	answered func(operation string, body []byte, response *http.Response)
	oneByOne sync.Mutex
	// dated sets the date of an answer. If dated is nil, the endpoint uses the changer's clock.
	dated func(http.Header)
	// body changes the body of an answer.
	body func(operation, body string) string
}

func start(t *testing.T, options ...embedded.Option) *fixture {
	t.Helper()
	testrun.OneIn(t, 2)
	f := &fixture{t: t, journal: filepath.Join(t.TempDir(), "state", "journal.jsonl")}
	var err error
	if f.Demo, err = demo.New(t.Context(), append(slices.Clip(options), f.mutated())...); err != nil {
		t.Fatal(err)
	}
	f.changer = f.operator("tester")
	return f
}

// operator returns the changer of another person, with the same journal.
func (f *fixture) operator(who string) *change.Changer {
	f.t.Helper()
	j, err := journal.Open(f.journal)
	if err != nil {
		f.t.Fatal(err)
	}
	return &change.Changer{Journal: j, Who: who, Pause: func(int) time.Duration { return time.Millisecond }}
}

// private makes a directory that only its own user can write, under any umask.
func private(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		tb.Fatal(err)
	}
	return dir
}

func (f *fixture) RoundTrip(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if f.answered != nil {
		f.oneByOne.Lock()
		defer f.oneByOne.Unlock()
	}
	f.mu.Lock()
	f.sent = append(f.sent, operation)
	before, after := f.before, f.after
	f.mu.Unlock()
	if before != nil {
		err := before(operation, body)
		if api, ok := errors.AsType[*smithy.GenericAPIError](err); ok { // the endpoint answers with this error
			said := fmt.Sprintf(`{"__type":"com.amazon.coral.service#%s","message":"no"}`, api.Code)
			return embedded.Respond(r, http.StatusBadRequest, []byte(said)), nil
		}
		if err != nil {
			return nil, err
		}
	}
	again := r.Clone(r.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	response, err := f.Engine.Transport().RoundTrip(again)
	if f.answered != nil {
		f.answered(operation, body, response)
	}
	switch {
	case err != nil:
	case f.dated != nil:
		f.dated(response.Header)
	case f.changer.Now != nil: // the endpoint's clock follows the changer's clock
		response.Header.Set("Date", f.changer.Now().UTC().Format(http.TimeFormat))
	}
	if after != nil {
		if lost := after(operation, body); lost != nil {
			return nil, lost
		}
	}
	if f.body != nil && err == nil {
		all, err := io.ReadAll(response.Body)
		if err != nil {
			return nil, err
		}
		response.Body = io.NopCloser(strings.NewReader(f.body(operation, string(all))))
	}
	return response, err
}

// deliver sends the engine a copy of an earlier transaction.
func (f *fixture) deliver(body []byte) {
	r, err := http.NewRequest(http.MethodPost, "http://embedded.invalid", bytes.NewReader(body))
	if err != nil {
		f.t.Error(err)
		return
	}
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.TransactWriteItems")
	if _, err := f.Engine.Transport().RoundTrip(r); err != nil {
		f.t.Error(err)
	}
}

func (f *fixture) writes() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, operation := range f.sent {
		if operation == "TransactWriteItems" {
			n++
		}
	}
	return n
}

// errCut is the error of a connection that was closed during a request.
var errCut = errors.New("read: connection reset by peer")

// open opens a table with an accepted layout.
func (f *fixture) open(table string, change ...func(*dynamo.Options)) *dynamo.Table {
	f.t.Helper()
	return sure(f.opened(table, change...))
}

// opened opens a table, and does not accept its layout.
func (f *fixture) opened(table string, change ...func(*dynamo.Options)) *dynamo.Table {
	f.t.Helper()
	o := f.Options()
	o.Transport, o.Settle, o.Asked = f, time.Millisecond, true
	for _, c := range change {
		c(&o)
	}
	c, err := dynamo.Connect(f.t.Context(), o)
	if err != nil {
		f.t.Fatal(err)
	}
	t, err := c.Open(f.t.Context(), table)
	if err != nil {
		f.t.Fatal(err)
	}
	return t
}

// undescribed removes the layouts of the config, so that the tables are recognised.
func undescribed(o *dynamo.Options) { o.Layouts = nil }

// sure marks the whole layout of a table as accepted by a person, except the described parts. It returns the table.
func sure(t *dynamo.Table) *dynamo.Table {
	for _, c := range t.Layout.Rules() {
		if c.State != layout.Described {
			c.State = layout.Accepted
		}
		if c.AlsoIn == nil {
			c.AlsoIn = []string{}
		}
	}
	for _, c := range t.Layout.Counters {
		if c.State != layout.Described {
			c.State = layout.Accepted
		}
	}
	return t
}

// owners opens the table members. It first corrects the only lock whose owner does not hold the value, so that the
// program can rely on the owners.
func (f *fixture) owners(change ...func(*dynamo.Options)) *dynamo.Table {
	f.t.Helper()
	lock := handle("mhamilton")
	lock["memberId"] = str("MEM#07be3a")
	f.put("members", lock)
	return f.open("members", change...)
}

func (f *fixture) counter(table, name string, change ...func(*dynamo.Options)) counter.Counter {
	f.t.Helper()
	counters, _, err := counter.Read(f.t.Context(), f.open(table, change...))
	if err != nil {
		f.t.Fatal(err)
	}
	for _, c := range counters {
		if c.Name == name {
			return c
		}
	}
	f.t.Fatalf("%s has no counter %s: %v", table, name, counters)
	return counter.Counter{}
}

// get reads an item as the application sees it.
func (f *fixture) get(table string, key item) item {
	f.t.Helper()
	yes := true
	out, err := f.App().GetItem(context.Background(), &dynamodb.GetItemInput{TableName: &table, Key: key, ConsistentRead: &yes})
	if err != nil {
		f.t.Fatal(err)
	}
	return out.Item
}

// put writes items with different keys.
func (f *fixture) put(table string, items ...item) {
	f.t.Helper()
	if err := sdk.Put(context.Background(), f.App(), table, items...); err != nil {
		f.t.Error(err)
	}
}

func (f *fixture) plan(t *dynamo.Table, constraint, v string) (*plan.Plan, error) {
	f.t.Helper()
	rel, err := t.LockOf(f.t.Context(), constraint, v, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	return planner.Release(f.t.Context(), t, rel, false)
}

func (f *fixture) mustPlan(t *dynamo.Table, constraint, v string) *plan.Plan {
	f.t.Helper()
	p, err := f.plan(t, constraint, v)
	if err != nil {
		f.t.Fatal(err)
	}
	return p
}

type item = sdk.Item

func str(v string) types.AttributeValue { return sdk.S(v) }
func num(v string) types.AttributeValue { return sdk.N(v) }

func handle(v string) item { return item{"PK": str("UNIQ#HANDLE#" + v), "SK": str("LOCK")} }

func codes(reasons []plan.Reason) string {
	var out []string
	for _, r := range reasons {
		out = append(out, r.Code)
	}
	return strings.Join(out, " ")
}

// text returns the text of a string, or the digits of a number.
func text(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	}
	return ""
}
