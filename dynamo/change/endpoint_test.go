package change_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/schema"
)

// proxy stands between a connection and the engine. It passes requests on, and can change requests and answers.
type proxy struct {
	to http.Handler
	mu sync.Mutex
	// request changes the body of a request on its way.
	request func(operation string, body []byte) []byte
	// answer changes an answer on its way. It returns false if the client gets no answer.
	answer func(operation string, request []byte, answer *httptest.ResponseRecorder) bool
	// writes has the bodies of the received transactions, without the probes for tokens.
	writes [][]byte
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if operation == "TransactWriteItems" && !onlyChecks(body) {
		p.writes = append(p.writes, body)
	}
	sent := body
	if p.request != nil {
		sent = p.request(operation, body)
	}
	again := r.Clone(r.Context())
	again.Body, again.ContentLength = io.NopCloser(bytes.NewReader(sent)), int64(len(sent))
	answer := httptest.NewRecorder()
	p.to.ServeHTTP(answer, again)
	if p.answer != nil && !p.answer(operation, body, answer) {
		panic(http.ErrAbortHandler) // the connection is closed
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// spoil sets the function that changes answers. An earlier request may still be running.
func (p *proxy) spoil(answer func(operation string, request []byte, answer *httptest.ResponseRecorder) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

// sent returns the number of received transactions that write.
func (p *proxy) sent() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.writes)
}

// onlyChecks reports whether a transaction writes nothing.
func onlyChecks(body []byte) bool {
	return !bytes.Contains(body, []byte(`"Update":`)) && !bytes.Contains(body, []byte(`"Put":`)) &&
		!bytes.Contains(body, []byte(`"Delete":`))
}

// withoutTokens gives each transaction a new token. The engine then behaves like an engine that ignores tokens.
func withoutTokens() func(string, []byte) []byte {
	n := 0
	return func(operation string, body []byte) []byte {
		var request map[string]any
		if operation != "TransactWriteItems" || json.Unmarshal(body, &request) != nil {
			return body
		}
		n++
		request["ClientRequestToken"] = fmt.Sprintf("another token %d", n)
		again, _ := json.Marshal(request)
		return again
	}
}

// replace replaces an answer's body, with its checksum if it has one.
func replace(answer *httptest.ResponseRecorder, code int, body string) {
	answer.Code = code
	answer.Body.Reset()
	answer.Body.WriteString(body)
	answer.Header().Set("Content-Length", fmt.Sprint(len(body)))
	if answer.Header().Get("X-Amz-Crc32") != "" {
		answer.Header().Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE([]byte(body))))
	}
}

// bumpOnce bumps the demo's order_id by one.
func (f *fixture) bumpOnce(table *dynamo.Table) change.Receipt {
	f.t.Helper()
	counters, _, err := counter.Read(f.t.Context(), table)
	if err != nil {
		f.t.Fatal(err)
	}
	p, err := planner.Bump(f.t.Context(), counters[0], big.NewInt(1))
	if err != nil {
		f.t.Fatal(err)
	}
	return f.changer.Apply(f.t.Context(), p, nil)
}

// An engine may omit the consumed capacity from its answer to a transaction, and may ignore request tokens. The answer
// counts all the same. If an answer is lost, the change is not sent again, and stays open in the journal.
func TestAnEndpointThatIgnoresTokens(t *testing.T) {
	f := start(t)
	p := &proxy{to: f.Engine, request: withoutTokens()}
	bare := func(operation string, _ []byte, answer *httptest.ResponseRecorder) bool {
		if operation == "TransactWriteItems" && answer.Code == http.StatusOK {
			replace(answer, http.StatusOK, "{}")
		}
		return true
	}
	p.spoil(bare)
	table := f.served(p, "order_id")
	if r := f.bumpOnce(table); r.Outcome != journal.Applied || p.sent() != 1 {
		t.Fatalf("%s %v %v, sent %d times", r.Outcome, r.Reasons, r.Err, p.sent())
	}
	p.spoil(func(operation string, request []byte, _ *httptest.ResponseRecorder) bool {
		return operation != "TransactWriteItems" || onlyChecks(request)
	})
	r := f.bumpOnce(table)
	if r.Outcome != journal.Unknown || p.sent() != 2 {
		t.Fatalf("%s %v %v, sent %d times", r.Outcome, r.Reasons, r.Err, p.sent())
	}
	p.spoil(bare)
	if now := f.counter("order_id", "order_id").Value; now != "5002" {
		t.Errorf("the counter says %s", now)
	}
	all, err := f.changer.Journal.Records()
	if err != nil {
		t.Fatal(err)
	}
	open := all[len(all)-1]
	if !open.Open {
		t.Fatalf("the change is closed: %+v", open)
	}
	s, err := f.changer.Examine(t.Context(), table.Connection(), open)
	if err != nil {
		t.Fatal(err)
	}
	if c, offered := s.Choice(change.SendAgain); offered {
		t.Errorf("it offers %+v", c)
	}
}

// A proxy may pass a write on, and replace the answer with an error of its own. An error without a request id does not
// count as an answer: the token decides.
func TestAnErrorWithoutARequestIDIsNoAnswer(t *testing.T) {
	for name, body := range map[string]string{
		"cancelled": `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"no","CancellationReasons":[{"Code":"ConditionalCheckFailed"}]}`,
		"throttled": `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"no"}`,
		"denied":    `{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"no"}`,
		"page":      `<html>Log in</html>`,
	} {
		for _, without := range []string{"X-Amzn-Requestid", "X-Amz-Crc32"} {
			t.Run(name+" without "+without, func(t *testing.T) {
				f := start(t)
				p := &proxy{to: f.Engine}
				seen := map[string]bool{}
				p.answer = func(operation string, request []byte, answer *httptest.ResponseRecorder) bool {
					if operation == "TransactWriteItems" && !onlyChecks(request) && !seen[string(request)] {
						seen[string(request)] = true
						replace(answer, http.StatusBadRequest, body)
						answer.Header().Del(without)
					}
					return true
				}
				table := f.served(p, "order_id")
				for range 3 {
					if r := f.bumpOnce(table); r.Outcome != journal.Applied {
						t.Errorf("%s %v %v", r.Outcome, r.Reasons, r.Err)
					}
				}
				if now := f.counter("order_id", "order_id").Value; now != "5003" {
					t.Errorf("the counter says %s", now)
				}
			})
		}
	}
}

// A transaction that was cancelled because one of its actions is not allowed is denied, like a request that is not
// allowed.
func TestAnActionThatIsNotAllowed(t *testing.T) {
	f := start(t)
	p := &proxy{to: f.Engine}
	p.answer = func(operation string, request []byte, answer *httptest.ResponseRecorder) bool {
		if operation == "TransactWriteItems" && !onlyChecks(request) {
			replace(answer, http.StatusBadRequest, `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"no",`+
				`"CancellationReasons":[{"Code":"AccessDenied","Message":"not authorized to perform: dynamodb:UpdateItem on resource: x"}]}`)
		}
		return true
	}
	r := f.bumpOnce(f.served(p, "order_id"))
	e, ok := errors.AsType[*client.Error](r.Err)
	if r.Outcome != journal.Refused || len(r.Reasons) > 0 || !ok || e.Kind != client.Denied || e.Permission != "dynamodb:UpdateItem" {
		t.Errorf("%s %v %v", r.Outcome, r.Reasons, r.Err)
	}
}

// The endpoint ignores tokens, and the removal of a mark was lost. The mark can still be removed: the removal requires
// the mark, so it takes effect only once.
func TestAMarkIsTakenOffWithoutTokens(t *testing.T) {
	f := start(t)
	p := &proxy{to: f.Engine}
	ignores, dropped, away := withoutTokens(), false, true
	p.request = func(operation string, body []byte) []byte {
		if dropped = away && operation == "TransactWriteItems" && bytes.Contains(body, []byte("REMOVE")); dropped {
			return []byte("{")
		}
		return ignores(operation, body)
	}
	p.answer = func(operation string, _ []byte, answer *httptest.ResponseRecorder) bool {
		if away && operation == "Scan" && bytes.Contains(answer.Body.Bytes(), []byte(schema.MarkAttribute)) {
			replace(answer, http.StatusBadRequest, `{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"no"}`)
		}
		return !dropped
	}
	table := f.served(p, "accounts")
	if r := f.changer.Apply(t.Context(), f.mustPlan(table, "username", "alan"), nil); r.Outcome != journal.Refused {
		t.Fatalf("%s %v %v", r.Outcome, r.Reasons, r.Err)
	}
	p.mu.Lock()
	away = false
	p.mu.Unlock()
	r := f.changer.Resolve(t.Context(), f.examine(table), change.TakeOff, nil)
	if lock := f.get("accounts", handle("alan")); r.Outcome != journal.Refused || lock == nil || lock[schema.MarkAttribute] != nil {
		t.Errorf("%s %v %v; the lock is %v", r.Outcome, r.Reasons, r.Err, lock)
	}
}
