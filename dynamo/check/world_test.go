package check_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fault"
)

// world is a table of accounts and locks, an application that writes to it, and the network between the table and a
// check. The engine may answer with old data. The clock is that of synctest.
type world struct {
	t      *testing.T
	engine *embedded.Engine
	app    *dynamodb.Client
	// latency is the longest delay of a request of the check, and of an answer.
	latency time.Duration
	rand    *rand.Rand

	mu sync.Mutex // guards the fields below; held while the application writes
	// before and after run around each request of the check.
	before       func(request)
	after        func(request, string)
	accounts     map[string]string    // the username of each account
	locks        map[string]string    // the owner of each lock
	former       map[string]string    // the former value of each account
	freed        map[string]time.Time // when the lock of each value was last noted as absent
	history      map[string][]moment
	begun, ended time.Time // the beginning and the end of the check
	asked        []request // the requests of the check
	moved        bool
	// owned is set if locks name their accounts.
	owned bool
	// refused reports whether the endpoint refuses a request. It may be nil.
	refused func(request) bool
	// untransacted is set if the endpoint has no TransactGetItems.
	untransacted bool
}

// request is a request of the check.
type request struct {
	operation  string
	consistent bool
	// The endpoint carries the request out between the two times. answered is zero until then.
	sent, answered time.Time
}

// look reports whether the request is for a page of a strongly consistent second reading.
func (q request) look() bool { return q.operation == "Scan" && q.consistent }

// single reports whether the request belongs to the last reading of a lock or a counter.
func (q request) single() bool { return q.operation == "TransactGetItems" || q.operation == "GetItem" }

const worldTable = "world"

type doc = sdk.Item

func str(v string) types.AttributeValue { return sdk.S(v) }

func newWorld(t *testing.T, seed uint64, d fault.Delays, more ...embedded.Option) *world {
	w := &world{
		t: t, rand: rand.New(rand.NewPCG(seed, 1)), accounts: map[string]string{}, locks: map[string]string{}, former: map[string]string{}, freed: map[string]time.Time{}, history: map[string][]moment{},
		engine: embedded.New(append([]embedded.Option{fault.WithDelays(d)}, more...)...),
	}
	w.app = sdk.Client(w.engine.Transport())
	if err := sdk.Fill(t.Context(), w.app, sdk.Table(worldTable, "PK:S", "SK:S")); err != nil {
		t.Fatal(err)
	}
	return w
}

// layouts returns the described layout of the table.
func (w *world) layouts() []config.Layout {
	username := config.Constraint{Attribute: "username", PK: "UNIQ#{v}", SK: "LOCK"}
	if w.owned {
		username.Owner = "owner"
	}
	return []config.Layout{{
		Name: "world", Tables: []string{worldTable},
		Accounts: []config.Account{{PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{username}}},
	}}
}

// open opens the table with its described layout.
func (w *world) open(settle time.Duration, change ...func(*dynamo.Options)) *dynamo.Table {
	w.t.Helper()
	o := dynamo.Options{Options: client.Options{Transport: w, Settle: settle, AutoReadUnits: 1e-9}, Layouts: w.layouts()}
	for _, c := range change {
		c(&o)
	}
	return opened(w.t, o, worldTable)
}

// RoundTrip is the network. A request takes some time, and the engine carries it out at one moment of that time.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	sent, back := time.Now(), time.Duration(0)
	if w.latency > 0 {
		w.mu.Lock()
		there := w.upTo(w.latency)
		back = w.upTo(w.latency)
		w.mu.Unlock()
		time.Sleep(there)
	}
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(asked))
	if strings.Contains(string(asked), `"Limit":`) {
		operation = "sample" // sent before the check begins
	}
	q := request{operation: operation, consistent: strings.Contains(string(asked), `"ConsistentRead":true`), sent: sent}
	w.mu.Lock()
	n := len(w.asked)
	defer func() {
		w.mu.Unlock()
		time.Sleep(back)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.asked[n].answered = time.Now()
	}()
	w.asked = append(w.asked, q)
	if w.refused != nil && w.refused(q) {
		return respond(r, http.StatusBadRequest, `{"__type":"com.amazon.coral.service#AccessDeniedException"}`), nil
	}
	if w.before != nil {
		w.before(q)
	}
	if w.untransacted && operation == "TransactGetItems" {
		return respond(r, http.StatusBadRequest, `{"__type":"com.amazon.coral.service#UnknownOperationException"}`), nil
	}
	response, err := w.engine.Transport().RoundTrip(r)
	if w.after != nil && err == nil {
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return nil, err
		}
		response.Body = io.NopCloser(bytes.NewReader(body))
		w.after(q, string(body))
	}
	return response, err
}

func (w *world) upTo(most time.Duration) time.Duration {
	return time.Duration(w.rand.Int64N(int64(most)))
}
