package adopt_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/adopt"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/schema"
	"tallylock/internal/fault"
	"tallylock/internal/fixture"
	"tallylock/internal/model/trace"
)

// live is a table whose application works between any two requests of an adoption, on an engine whose reads are late. A
// seed decides what the application does, which requests fail, and when the process of the adoption is killed.
type live struct {
	testing.TB
	f        *fixture.Tables
	random   *rand.Rand
	ids      []string // the ids of all accounts that may exist
	values   []string // the values that accounts may hold
	dir      string   // the folder of the journal
	rule     *adopt.Rule
	protocol *adopt.Protocol

	mu  sync.Mutex // lets only one request of the adoption run at a time
	now time.Time
	// printed: the application has the printed transactions. old: it has writers without locks, too. quiet: it does
	// nothing. calm: no request fails.
	printed, old, quiet, calm bool
	pending                   []func() // sign-ups after their existence check
	// killAt is the number of requests until the process is killed; below 0, it is never killed. If applied, its last
	// request still changes the table. If torn, its last line in the file is incomplete.
	killAt        int
	applied, torn bool
	dead          bool
	mark          string               // the mark of the current run
	since         map[string]time.Time // the time since which each account has held its value
	planned       time.Time            // the beginning of the current run
	put           map[string]string    // the locks that the adoption has put, as text, by value
	wrong         string               // the first violation
	did           map[string]int
	trace         *trace.Checker
}

const (
	liveTable  = "people"
	liveLag    = time.Second
	liveSpread = 300 * time.Millisecond
)

func newLive(tb testing.TB, seed uint64) *live {
	w := &live{
		TB: tb, ids: strings.Split("ABCDEFGH", ""), values: strings.Split("tuvwxyz", ""), random: rand.New(rand.NewPCG(seed, 35)), dir: tb.TempDir(), now: time.Now(), killAt: -1,
		since: map[string]time.Time{}, put: map[string]string{}, did: map[string]int{},
	}
	delays := fault.Delays{Seed: seed, Lag: liveLag, Spread: liveSpread, Now: w.clock}
	w.f = fixture.New(tb, embedded.WithClock(w.clock), fault.WithDelays(delays))
	w.f.Create(liveTable, "PK:S", "SK:S")
	// This account has a lock that names it, so a sample always shows the layout. The application does not change it.
	w.f.Put(liveTable, w.account("0", "always"), owned("always", "0"))
	return w
}

// clock returns the engine's time. It takes no lock: each request of the adoption holds mu, and while requests run, now
// changes only under mu.
func (w *live) clock() time.Time { return w.now }

func (w *live) pass(d time.Duration) { w.now = w.now.Add(d) }

func (w *live) choose(n int) int { return w.random.IntN(n) }

func (w *live) violate(format string, args ...any) {
	if w.wrong == "" {
		w.wrong = fmt.Sprintf(format, args...)
	}
}

// open opens the table as a new process does. The process is not killed at these requests.
func (w *live) open() {
	at := w.killAt
	w.dead, w.killAt = false, -1
	defer func() { w.killAt = at }()
	t := w.f.Open(liveTable, fixture.Described(fixture.Layout(liveTable, rule())), func(o *dynamo.Options) {
		o.Transport, o.Write, o.Settle = w, true, time.Millisecond
	})
	r, err := adopt.Open(w.Context(), t, "email")
	if err != nil {
		w.Fatal(err)
	}
	if w.protocol, err = adopt.NewProtocol(r, false); err != nil {
		w.Fatal(err)
	}
	w.rule = r
}

// changer returns a Changer as a new process makes it.
func (w *live) changer() *change.Changer {
	j, err := journal.Open(filepath.Join(w.dir, "journal.jsonl"))
	if err != nil {
		w.Fatal(err)
	}
	return &change.Changer{
		Journal: j, Who: "tester", Now: w.clock, Pause: func(int) time.Duration { return time.Microsecond },
		MaxReadUnits: -1,
	}
}

// exact is the content of the table at one moment.
type exact struct {
	holds map[string]string   // the value of each account, by id
	locks map[string]sdk.Item // each lock, by value
}

// exactly reads the table by transactions, which always return the latest state.
func (w *live) exactly() exact {
	var in dynamodb.TransactGetItemsInput
	get := func(pk, sk string) {
		in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &types.Get{
			TableName: aws.String(liveTable), Key: sdk.Item{"PK": sdk.S(pk), "SK": sdk.S(sk)},
		}})
	}
	for _, id := range w.ids {
		get("ACCT#"+id, "PROFILE")
	}
	for _, v := range w.values {
		get("UNIQ#EMAIL#"+v, "LOCK")
	}
	out, err := w.f.App().TransactGetItems(w.Context(), &in)
	if err != nil {
		w.Fatal(err)
	}
	now := exact{map[string]string{}, map[string]sdk.Item{}}
	for n, id := range w.ids {
		if i := out.Responses[n].Item; i != nil {
			now.holds[id] = textOf(i["email"])
		}
	}
	for n, v := range w.values {
		if i := out.Responses[len(w.ids)+n].Item; i != nil {
			now.locks[v] = i
		}
	}
	return now
}

// holders lists the accounts that hold a value.
func (e exact) holders(v string) (all []string) {
	for _, id := range slices.Sorted(maps.Keys(e.holds)) {
		if e.holds[id] == v {
			all = append(all, id)
		}
	}
	return all
}

// unsound returns the first contradiction to the rule; empty if the rule holds.
func (e exact) unsound() string {
	for _, id := range slices.Sorted(maps.Keys(e.holds)) {
		v := e.holds[id]
		switch {
		case len(e.holders(v)) > 1:
			return fmt.Sprintf("%v hold %q", e.holders(v), v)
		case e.locks[v] == nil:
			return fmt.Sprintf("%s holds %q without a lock", id, v)
		case textOf(e.locks[v]["owner"]) != id:
			return fmt.Sprintf("%s holds %q, whose lock names %s", id, v, textOf(e.locks[v]["owner"]))
		}
	}
	return ""
}

func textOf(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

func shown(i sdk.Item) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(i)) {
		all = append(all, name+"="+textOf(i[name]))
	}
	return strings.Join(all, " ")
}

// transact sends an operation of the application, and reports whether its conditions were satisfied.
func (w *live) transact(op adopt.Operation, in adopt.Inputs) bool {
	writes, err := w.protocol.Fill(op, in)
	if err != nil {
		w.Fatal(err)
	}
	body, err := client.Transaction{Token: fmt.Sprint("app-", w.did["printed"], "-", w.did["refused"]), Actions: writes}.Body()
	if err != nil {
		w.Fatal(err)
	}
	before := w.exactly()
	status, answer, err := sdk.Post(w.Context(), w.f.Engine.Transport(), "TransactWriteItems", string(body))
	if err != nil || status == http.StatusBadRequest && !strings.Contains(answer, "TransactionCanceled") {
		w.Fatalf("%s of %+v: %v %s", op, in, err, answer)
	}
	if status != http.StatusOK {
		w.did["refused"]++
		return false
	}
	w.did["printed"]++
	if w.trace != nil && w.wrong == "" {
		w.traced(w.trace.Application(body))
	}
	after := w.exactly()
	for _, v := range w.values {
		if len(after.holders(v)) > max(1, len(before.holders(v))) && before.locks[v] != nil {
			w.violate("a printed %s gave %q a second holder beside its lock: %v", op, v, after.holders(v))
		}
	}
	return true
}

func (w *live) account(id, v string) sdk.Item { return fixture.Account(id, v, "name-"+id) }

// act does one operation of the application, or lets an account expire.
func (w *live) act() {
	id, v := w.ids[w.choose(len(w.ids))], w.values[w.choose(len(w.values))]
	now := w.exactly()
	had, exists := now.holds[id]
	parts := map[string]string{"id": id}
	old := !w.printed || w.old && w.choose(3) == 0
	switch {
	case len(w.pending) > 0 && w.choose(2) == 0:
		w.pending[0]()
		w.pending = w.pending[1:]
	case exists && w.choose(12) == 0: // the account expires
		w.did["expired"]++
		w.remove("ACCT#"+id, "PROFILE")
	case !exists && len(now.holders(v)) > 0: // the application's own check: the value is taken
	case !exists && old:
		w.pending = append(w.pending, func() { w.did["old"]++; w.putAccount(id, v) })
	case !exists:
		other := sdkItem(w.account(id, v))
		w.pending = append(w.pending, func() { w.transact(adopt.SignUp, adopt.Inputs{Parts: parts, New: v, Other: other}) })
	case old && w.choose(2) == 0 && len(now.holders(v)) == 0:
		w.did["old"]++
		w.putAccount(id, v)
	case old:
		w.did["old"]++
		w.remove("ACCT#"+id, "PROFILE")
	case w.choose(2) == 0 && len(now.holders(v)) == 0:
		w.transact(adopt.Change, adopt.Inputs{Parts: parts, Old: had, New: v})
	case w.choose(2) == 0:
		w.transact(adopt.Delete, adopt.Inputs{Parts: parts, Old: had})
	}
}

// putAccount puts an account without a lock.
func (w *live) putAccount(id, v string) {
	w.f.Put(liveTable, w.account(id, v))
	w.traceWrite("ACCT#"+id, v)
}

func (w *live) remove(pk, sk string) {
	_, err := w.f.App().DeleteItem(w.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String(liveTable), Key: sdk.Item{"PK": sdk.S(pk), "SK": sdk.S(sk)},
	})
	if err != nil {
		w.Fatal(err)
	}
	w.traceWrite(pk, "")
}

// traffic lets the application work between two requests of the adoption.
func (w *live) traffic() {
	before := w.exactly()
	if !w.quiet {
		for range w.choose(3) {
			w.act()
		}
	}
	w.pass(time.Duration(w.choose(5)) * liveSpread / 4)
	after := w.exactly()
	for _, id := range w.ids {
		if before.holds[id] != after.holds[id] {
			w.since[id] = w.now
		}
	}
}

// RoundTrip answers a request of the adoption.
func (w *live) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if w.dead {
		return denied(r), nil
	}
	w.traffic()
	writes := strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactWriteItems")
	die := w.killAt == 0
	w.killAt--
	lost := fault.NoFault
	if writes && !w.calm && w.choose(4) == 0 {
		lost = []fault.Fault{fault.CloseBefore, fault.CloseAfter, fault.FailAfter}[w.choose(3)]
	}
	event := trace.Event{Who: "tester", Body: body}
	if die && !w.applied || lost == fault.CloseBefore {
		w.traceTool(writes, event)
		if die {
			w.die(writes)
			return denied(r), nil
		}
		return nil, io.EOF
	}
	if answer := w.busy(r, body, writes); answer != nil {
		event.Arrived, event.Answered, event.Busy = true, true, true
		w.traceTool(writes, event)
		if die {
			w.die(false)
		}
		return answer, nil
	}
	before := w.exactly()
	again := r.Clone(r.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	answer, err := w.f.Engine.Transport().RoundTrip(again)
	if err == nil {
		answer.Header.Set("Date", w.now.UTC().Format(http.TimeFormat))
	}
	w.compare(before, w.exactly(), string(body))
	event.Arrived, event.Answered = true, !die && lost == fault.NoFault
	event.Applied = err == nil && answer.StatusCode == http.StatusOK
	w.traceTool(writes, event)
	switch {
	case die:
		w.die(false)
		return denied(r), nil
	case lost == fault.CloseAfter:
		return nil, io.EOF
	case lost == fault.FailAfter:
		return embedded.Respond(r, http.StatusInternalServerError, []byte(`{"__type":"InternalServerError"}`)), nil
	}
	return answer, err
}

// denied is an answer that the SDK does not retry. It ends a process that was killed.
func denied(r *http.Request) *http.Response {
	return embedded.Respond(r, http.StatusBadRequest, []byte(`{"__type":"com.amazon.coral.service#AccessDeniedException","message":"no"}`))
}

// compare reports changes that a request of the adoption must never make.
func (w *live) compare(before, after exact, body string) {
	if !maps.Equal(before.holds, after.holds) {
		w.violate("the adoption changed accounts: %v, %v", before.holds, after.holds)
	}
	for _, v := range w.values {
		had, has := before.locks[v], after.locks[v]
		switch {
		case had == nil && has == nil:
		case had == nil:
			w.compareNew(before, v, has)
		case has == nil && (textOf(had[schema.AdoptAttribute]) != w.mark || shown(had) != w.put[v] || !strings.Contains(body, `"Delete"`)):
			w.violate("the adoption deleted a lock that is not as it was put: %s", shown(had))
		case has != nil && shown(had) != shown(has):
			w.violate("the adoption changed a lock: %s, %s", shown(had), shown(has))
		}
	}
}

// compareNew checks a lock that the adoption has put.
func (w *live) compareNew(before exact, v string, lock sdk.Item) {
	w.put[v] = shown(lock)
	w.did["put"]++
	owner := textOf(lock["owner"])
	if before.holds[owner] != v {
		w.violate("a lock of %q names %s, which holds %q", v, owner, before.holds[owner])
	}
	if textOf(lock[schema.AdoptAttribute]) != w.mark {
		w.violate("a lock of %q has the mark of another run", v)
	}
	known := 0
	for _, id := range before.holders(v) {
		if w.since[id].Before(w.planned.Add(-liveLag - liveSpread)) {
			known++
		}
	}
	if known > 1 {
		w.violate("a lock of %q was put although %v held it before the run began", v, before.holders(v))
	}
}

// die ends the process of the adoption: its later writes are lost.
func (w *live) die(tears bool) {
	w.dead = true
	w.did["killed"]++
	if err := os.CopyFS(w.dir+".kept", os.DirFS(w.dir)); err != nil {
		w.Fatal(err)
	}
	if tears && w.torn {
		w.tear()
	}
}

// tear cuts the end off the newest line of the run's file, as if the process was killed while it wrote the line.
func (w *live) tear() {
	files, _ := filepath.Glob(filepath.Join(w.dir+".kept", "adopt", "R-*.jsonl"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			w.Fatal(err)
		}
		lines := bytes.SplitAfter(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
		last := lines[len(lines)-1]
		if bytes.Contains(last, []byte(`"event":"send"`)) {
			if err := os.Truncate(file, int64(len(data)-1-len(last)/2)); err != nil {
				w.Fatal(err)
			}
		}
	}
}

// revive restores the files of a process that was killed.
func (w *live) revive() {
	if w.killAt = -1; !w.dead {
		return
	}
	for _, err := range []error{os.RemoveAll(w.dir), os.Rename(w.dir+".kept", w.dir)} {
		if err != nil {
			w.Fatal(err)
		}
	}
}
