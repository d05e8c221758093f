package change_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/embedded"
	"tallylock/internal/fault"
	"tallylock/internal/model"
	"tallylock/internal/model/trace"
	"tallylock/internal/testrun"
)

// Each play of a world is a trace: the application's transactions, the operators' transactions with their answers, and
// the pages of looks. The trace has to be a behaviour of the model in internal/model.

// worldNames classifies the items of a world.
var worldNames = trace.Names{
	Table: worldTable, Attribute: "username",
	Account: func(key map[string]trace.Attribute) (int, bool) {
		id, isAccount := strings.CutPrefix(key["PK"].S, "ACCT#")
		n := slices.Index(accounts, id)
		return n, isAccount && n >= 0
	},
	Value: func(key map[string]trace.Attribute) (int, bool) {
		v, isLock := strings.CutPrefix(key["PK"].S, "UNIQ#HANDLE#")
		n := slices.Index(values, v)
		return n, isLock && n >= 0
	},
	Holds:  func(item map[string]trace.Attribute) (int, bool) { return numberOf(item["username"].S) },
	Number: numberOf,
}

func numberOf(value string) (int, bool) {
	n := slices.Index(values, value)
	return n, n >= 0
}

// beginTrace begins the trace of a play, from the current items. A world without a wait has no trace: the model does
// not allow its releases.
func (w *world) beginTrace() {
	if w.waitInModel == 0 {
		return
	}
	begin := model.Start{Holds: map[int]int{}, Locks: map[int]model.Lock{}}
	now := w.exactly()
	for n, id := range accounts {
		if v, holds := numberOf(now.holds[id]); holds {
			begin.Holds[n] = v
		}
	}
	for n, v := range values {
		if now.locks[v] != nil {
			begin.Locks[n] = model.Lock{}
		}
	}
	w.trace = trace.New(worldNames, len(accounts), len(values), w.waitInModel, begin)
}

// worldsPerQuintTest is the number of traces for each Quint test: one of them becomes the test, which .ci/spec runs.
const worldsPerQuintTest = 100

// tracesTo is the directory for Quint tests; empty if no trace becomes a Quint test.
func tracesTo() string { return os.Getenv("TALLYLOCK_TRACES") }

// endTrace ends the trace of a play.
func (w *world) endTrace() {
	c := w.trace
	if c == nil {
		return
	}
	w.trace, w.steps = nil, c.Steps()
	if dir := tracesTo(); dir != "" && w.seed%worldsPerQuintTest == 0 && w.wrong == "" {
		name := fmt.Sprintf("trace%d", w.seed)
		if err := os.WriteFile(filepath.Join(dir, name+".qnt"), []byte(c.Quint(name)), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
}

// traceError reports a trace that is no behaviour of the model. After trace.ErrForgotten, the rest of the trace cannot
// be checked, so the trace ends.
func (w *world) traceError(err error) {
	if errors.Is(err, trace.ErrForgotten) {
		w.steps, w.trace = w.trace.Steps(), nil
		return
	}
	if err != nil {
		w.violate("the model: %v\nafter %s", err, w.trace)
	}
}

// traced passes the application's transactions to the trace.
func (w *world) traced() embedded.Option {
	return embedded.WithMiddleware(func(_ *embedded.Engine, next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			if w.trace == nil || !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactWriteItems") {
				return next.RoundTrip(r)
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			response, err := next.RoundTrip(r)
			if err == nil && response.StatusCode == http.StatusOK && strings.HasPrefix(tokenOf(body), appToken) && w.wrong == "" {
				w.traceError(w.trace.Application(body))
			}
			return response, err
		})
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// traceTool passes a transaction of an operator to the trace.
func (w *world) traceTool(p *player, body []byte, applied bool) {
	if w.trace == nil || w.wrong != "" {
		return
	}
	w.traceError(w.trace.Tool(trace.Event{
		At: w.clock().Sub(w.began), Who: p.name(), Body: body, Applied: applied,
		Arrived: w.fault != fault.CloseBefore, Answered: w.fault == fault.NoFault,
	}))
}

// traceLate passes a copy of an operator's transaction to the trace.
func (w *world) traceLate(body []byte, changed bool) {
	if w.trace != nil && w.wrong == "" {
		w.traceError(w.trace.Late(body, changed))
	}
}

// tracePage passes a page that an operator reads to the trace.
func (w *world) tracePage(p *player, body []byte, response *http.Response) {
	if w.trace == nil || w.wrong != "" {
		return
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Error(err)
	}
	response.Body = io.NopCloser(bytes.NewReader(answer))
	var request struct {
		TableName      string
		ConsistentRead bool
	}
	var page struct {
		Items            []map[string]trace.Attribute
		LastEvaluatedKey map[string]trace.Attribute
	}
	if json.Unmarshal(body, &request) != nil || json.Unmarshal(answer, &page) != nil || request.TableName != worldTable {
		return
	}
	w.traceError(w.trace.Page(w.clock().Sub(w.began), p.name(), request.ConsistentRead, page.Items, page.LastEvaluatedKey == nil))
}

func (p *player) name() string { return p.changer.Who }

// TestTracesAreBehavioursOfTheModel plays more worlds than the property test, but only compares them with the model. If
// traces become Quint tests, it plays the worlds of these traces.
func TestTracesAreBehavioursOfTheModel(t *testing.T) {
	t.Parallel()
	steps, every := 0, uint64(1)
	runs := uint64(testrun.Runs(301, 3))
	if tracesTo() != "" {
		runs, every = 301, worldsPerQuintTest
	}
	for seed := uint64(0); seed < runs; seed += every {
		w := newWorld(t, seed, worldLag+worldSpread)
		w.play(4)
		if w.wrong != "" {
			t.Fatalf("seed %d: %s", seed, w.wrong)
		}
		steps += w.steps
	}
	t.Logf("%d steps", steps)
	if steps == 0 {
		t.Error("no trace has a step")
	}
}

// A release that waits for a shorter time than the model is no behaviour of the model.
func TestATraceThatWaitsTooShortIsRefused(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		w := newWorld(t, seed, 0)
		w.waitInModel = worldSpread
		w.play(4)
		if strings.Contains(w.wrong, string(model.LookAfterWait)) {
			return
		}
	}
	t.Errorf("no trace broke the rule %q", model.LookAfterWait)
}
