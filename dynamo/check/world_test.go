package check_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/layout"
)

// world is a table of accounts and locks on an engine that shows the past, an
// application that works on it, and the network between it and a check. Its time
// is synctest's.
type world struct {
	t      *testing.T
	engine *embedded.Engine
	app    *dynamodb.Client
	// latency is how long a request of the check takes at most.
	latency time.Duration
	rand    *rand.Rand

	mu sync.Mutex // for what follows; held while the application writes
	// before and after run around each request of the check.
	before       func(request)
	after        func(request, string)
	accounts     map[string]string // the username of each
	locks        map[string]bool
	freed        map[string]time.Time // when its lock was seen to be absent
	history      []moment
	begun, ended time.Time // the check
	asked        []request // by the check
	moved        bool
	// untransacted: the endpoint knows no transactions that read.
	untransacted bool
}

// request is one of the check's.
type request struct {
	operation  string
	consistent bool
	at         time.Time
}

// look reports whether it asks for a page of a strongly consistent look.
func (q request) look() bool { return q.operation == "Scan" && q.consistent }

// single reports whether it asks for one thing, after all else: the last reading.
func (q request) single() bool { return q.operation == "TransactGetItems" || q.operation == "GetItem" }

// moment is what is true from a point in time on, of one value.
type moment struct {
	at      time.Time
	value   string
	holders int
	locked  bool
}

const town = "town"

type doc = map[string]types.AttributeValue

func str(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

func newWorld(t *testing.T, seed uint64, d embedded.Delays, more ...embedded.Option) *world {
	w := &world{
		t: t, rand: rand.New(rand.NewPCG(seed, 1)), accounts: map[string]string{}, locks: map[string]bool{}, freed: map[string]time.Time{},
		engine: embedded.New(append(more, embedded.WithDelays(d))...),
	}
	w.app = dynamodb.New(dynamodb.Options{
		Region: "embedded", BaseEndpoint: aws.String("http://embedded.invalid"),
		Credentials: credentials.NewStaticCredentialsProvider("app", "app", ""), HTTPClient: &http.Client{Transport: w.engine.Transport()},
	})
	key := func(name string, k types.KeyType) types.KeySchemaElement {
		return types.KeySchemaElement{AttributeName: &name, KeyType: k}
	}
	define := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: types.ScalarAttributeTypeS}
	}
	_, err := w.app.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(town), BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{key("PK", types.KeyTypeHash), key("SK", types.KeyTypeRange)},
		AttributeDefinitions: []types.AttributeDefinition{define("PK"), define("SK")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// open opens the table with a layout that somebody has described.
func (w *world) open(settle time.Duration) *dynamo.Table {
	w.t.Helper()
	conn, err := dynamo.Connect(w.t.Context(), dynamo.Options{
		Transport: w, Settle: settle, AutoReadUnits: 1e-9,
		Layouts: []layout.Config{{
			Name: "town", Tables: []string{town},
			Accounts: []layout.AccountConfig{{PK: "ACCT#{id}", SK: "PROFILE", Constraints: []layout.ConstraintConfig{{Attribute: "username", PK: "UNIQ#{v}", SK: "LOCK"}}}},
		}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	t, err := conn.Open(w.t.Context(), town)
	if err != nil {
		w.t.Fatal(err)
	}
	return t
}

// RoundTrip is the network: a request takes a while, and is carried out at one
// moment in between.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	if w.latency > 0 {
		w.mu.Lock()
		there, back := w.upTo(w.latency), w.upTo(w.latency)
		w.mu.Unlock()
		time.Sleep(there)
		defer time.Sleep(back)
	}
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(asked))
	if strings.Contains(string(asked), `"Limit":`) {
		operation = "sample" // before the check itself
	}
	q := request{operation, strings.Contains(string(asked), `"ConsistentRead":true`), time.Now()}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, q)
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

func accountKey(id string) doc { return doc{"PK": str("ACCT#" + id), "SK": str("PROFILE")} }
func lockKey(v string) doc     { return doc{"PK": str("UNIQ#" + v), "SK": str("LOCK")} }

func accountItem(id, v string) doc {
	item := accountKey(id)
	item["username"] = str(v)
	return item
}

// write is one transaction of the application. Its locks are put only where there
// is none, and its accounts changed only where they are as it thinks.
func (w *world) write(actions ...types.TransactWriteItem) bool {
	_, err := w.app.TransactWriteItems(context.Background(), &dynamodb.TransactWriteItemsInput{TransactItems: actions})
	if _, refused := errors.AsType[*types.TransactionCanceledException](err); refused {
		return false
	}
	if err != nil {
		w.t.Error(err)
	}
	return err == nil
}

func put(item doc) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{TableName: aws.String(town), Item: item}}
}

func putNew(item doc) types.TransactWriteItem {
	a := put(item)
	a.Put.ConditionExpression = aws.String("attribute_not_exists(PK)")
	return a
}

func remove(key doc) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String(town), Key: key}}
}

// The application's doings, each a transaction. They keep what is true from then
// on.

func (w *world) signUp(id, v string) {
	if w.write(putNew(accountItem(id, v)), putNew(lockKey(v))) {
		w.accounts[id], w.locks[v] = v, true
		w.note(v)
	}
}

func (w *world) leave(id string) {
	v := w.accounts[id]
	if w.write(remove(accountKey(id)), remove(lockKey(v))) {
		delete(w.accounts, id)
		delete(w.locks, v)
		w.note(v)
	}
}

func (w *world) change(id, v string) {
	had := w.accounts[id]
	if w.write(put(accountItem(id, v)), putNew(lockKey(v)), remove(lockKey(had))) {
		w.accounts[id], w.locks[v] = v, true
		delete(w.locks, had)
		w.note(v)
		w.note(had)
	}
}

// expire deletes an account as DynamoDB itself does: its lock stays.
func (w *world) expire(id string) {
	v := w.accounts[id]
	if w.write(remove(accountKey(id))) {
		delete(w.accounts, id)
		w.note(v)
	}
}

// imports writes an account and no lock.
func (w *world) imports(id, v string) {
	if w.write(put(accountItem(id, v))) {
		w.accounts[id] = v
		w.note(v)
	}
}

func (w *world) note(v string) {
	m := moment{at: time.Now(), value: v, locked: w.locks[v]}
	for _, held := range w.accounts {
		if held == v {
			m.holders++
		}
	}
	if !m.locked {
		w.freed[v] = m.at
	}
	w.history = append(w.history, m)
}

// during lists what was true of a value at some moment of a time.
func (w *world) during(v string, from, to time.Time) []moment {
	var out []moment
	for _, m := range w.history {
		if m.value != v || m.at.After(to) {
			continue
		}
		if !m.at.After(from) {
			out = out[:0] // it was replaced before
		}
		out = append(out, m)
	}
	return out
}

func (w *world) values() []string {
	seen := map[string]bool{}
	for _, m := range w.history {
		seen[m.value] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// is reports whether a finding of the kind is true at the moment.
func (m moment) is(kind string) bool {
	switch kind {
	case "orphaned-lock":
		return m.locked && m.holders == 0
	case "missing-lock":
		return !m.locked && m.holders == 1
	case "duplicate-value":
		return m.holders > 1
	}
	return false
}

func (m moment) String() string {
	return fmt.Sprintf("%s %s: %d hold it, locked %v", m.at.Format("04:05.000"), m.value, m.holders, m.locked)
}
