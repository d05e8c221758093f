package adopt_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/embedded"
	"tallylock/internal/model"
	"tallylock/internal/model/trace"
	"tallylock/internal/testrun"
)

// Each adoption is a trace: it has the transactions of the application, of the backfill and of its undo, with their
// answers. The trace has to be a behaviour of the model in internal/model.

// beginTrace begins the trace of an adoption on an empty table.
func (w *live) beginTrace() {
	number := func(all []string, prefix string) func(map[string]trace.Attribute) (int, bool) {
		return func(key map[string]trace.Attribute) (int, bool) {
			name, has := strings.CutPrefix(key["PK"].S, prefix)
			n := slices.Index(all, name)
			return n, has && n >= 0
		}
	}
	numberOf := func(v string) (int, bool) {
		n := slices.Index(w.values, v)
		return n, n >= 0
	}
	w.trace = trace.New(trace.Names{
		Table: liveTable, Attribute: "email", Number: numberOf,
		Account: number(w.ids, "ACCT#"), Value: number(w.values, "UNIQ#EMAIL#"),
		Holds: func(i map[string]trace.Attribute) (int, bool) { return numberOf(i["email"].S) },
	}, len(w.ids), len(w.values), 0, model.Start{})
	w.trace.AllowOldWriters()
}

// traced records a violation if the trace is not a behaviour of the model.
func (w *live) traced(err error) {
	if err != nil {
		w.violate("the model: %v\nafter %s", err, w.trace)
	}
}

// traceWrite adds a write of one item to the trace: the account gets the value, or the item is deleted.
func (w *live) traceWrite(pk, value string) {
	if w.trace == nil || w.wrong != "" {
		return
	}
	var write model.Write
	if id, isAccount := strings.CutPrefix(pk, "ACCT#"); isAccount {
		write.Item = slices.Index(w.ids, id)
		if value != "" {
			write.Version = model.Holds(slices.Index(w.values, value))
		}
	} else {
		write.Item = model.LockItem(slices.Index(w.values, strings.TrimPrefix(pk, "UNIQ#EMAIL#")))
	}
	w.traced(w.trace.Writes([]model.Write{write}))
}

// traceTool adds a transaction of the adoption to the trace.
func (w *live) traceTool(writes bool, e trace.Event) {
	if writes && w.trace != nil && w.wrong == "" {
		w.traced(w.trace.Tool(e))
	}
}

// busy refuses some transactions without checking their conditions: the answer says that they are throttled, or that
// they conflict with another transaction.
func (w *live) busy(r *http.Request, body []byte, writes bool) *http.Response {
	if !writes || w.calm || w.choose(4) > 0 {
		return nil
	}
	w.did["busy"]++
	answer := `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow down"}`
	if actions, _, err := trace.Actions(body); err == nil && w.choose(2) == 0 {
		others := strings.Repeat(`,{"Code":"None"}`, len(actions)-1)
		answer = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"[TransactionConflict]",` +
			`"CancellationReasons":[{"Code":"TransactionConflict","Message":"Transaction is ongoing for the item"}` + others + `]}`
	}
	return embedded.Respond(r, http.StatusBadRequest, []byte(answer))
}

// TestTracesOfAnAdoptionAreBehavioursOfTheModel runs adoptions in worlds as small as those of the Quint model. If
// traces become Quint tests, it runs only every hundredth adoption.
func TestTracesOfAnAdoptionAreBehavioursOfTheModel(t *testing.T) {
	t.Parallel()
	steps, every, runs := 0, 1, testrun.Runs(301, 3)
	dir := os.Getenv("TALLYLOCK_TRACES")
	if dir != "" {
		runs, every = 301, 100
	}
	for seed := 0; seed < runs; seed += every {
		w := newLive(t, uint64(seed))
		w.ids, w.values = w.ids[:3], w.values[:2]
		w.beginTrace()
		w.adoption()
		if w.wrong != "" {
			t.Fatalf("seed %d: %s", seed, w.wrong)
		}
		steps += w.trace.Steps()
		if dir != "" {
			name := fmt.Sprintf("traceadopt%d", seed)
			if err := os.WriteFile(filepath.Join(dir, name+".qnt"), []byte(w.trace.Quint(name)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d steps", steps)
	if steps == 0 {
		t.Error("no trace has a step")
	}
}
