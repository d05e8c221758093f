package change_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/change"
	"tallylock/dynamo/embedded"
	"tallylock/internal/fault"
	"tallylock/internal/model"
	"tallylock/internal/model/trace"
	"tallylock/internal/testrun"
)

// adopters is a small table on which a backfill and its undo run beside an application. The application uses the printed
// transactions, or knows no locks.
type adopters struct {
	*unadopted
	random *rand.Rand
	old    bool // some writers know no locks
	trace  *trace.Checker
	wrong  error
	puts   int
	now    time.Time
	calm   bool                         // no request fails
	fault  fault.Fault                  // the fault of the current request
	lost   [][]byte                     // the requests without an answer
	was    map[string]map[string]string // the table before the current request
	had    map[string]int
}

// adoptNames has the kinds of the items of this table.
var adoptNames = trace.Names{
	Table: "odd", Attribute: "email", Account: worldNames.Account,
	Value: func(key map[string]trace.Attribute) (int, bool) {
		v, isLock := strings.CutPrefix(key["PK"].S, "UNIQ#")
		n, known := emailNumber(v)
		return n, isLock && known
	},
	Holds:  func(item map[string]trace.Attribute) (int, bool) { return emailNumber(item["email"].S) },
	Number: emailNumber,
}

func emailNumber(email string) (int, bool) { return numberOf(strings.TrimSuffix(email, "@x.io")) }

func newAdopters(t *testing.T, seed uint64, old bool) *adopters {
	a := &adopters{random: rand.New(rand.NewPCG(seed, 0)), old: old, now: time.Now(), had: map[string]int{}}
	begin := model.Start{Holds: map[int]int{}}
	clock := func() time.Time { return a.now }
	a.unadopted = &unadopted{fixture: start(t, embedded.WithClock(clock), fault.WithFaults(a.randomFault))}
	a.changer.Now = clock
	a.create("odd")
	a.put("odd", row("ACCT#0", "PROFILE", "email", "always@x.io"))
	for n, id := range accounts[:2] {
		if v := a.random.IntN(3); v < len(values) && (n == 0 || begin.Holds[0] != v) {
			begin.Holds[n] = v
			a.put("odd", row("ACCT#"+id, "PROFILE", "email", values[v]+"@x.io"))
		}
	}
	a.trace = trace.New(adoptNames, len(accounts), len(values), 0, begin)
	if old {
		a.trace.AllowOldWriters()
	}
	return a
}

// note keeps the first error of the trace.
func (a *adopters) note(err error) {
	if a.wrong == nil && err != nil {
		a.wrong = fmt.Errorf("%w\nafter %s", err, a.trace)
	}
}

// record passes the tool's transactions and their answers to the trace, and lets the application act before each
// request.
func (a *adopters) record() {
	a.before = func(operation string, body []byte) error {
		for range a.random.IntN(3) {
			a.act()
		}
		if a.fault = fault.NoFault; operation != "TransactWriteItems" {
			return nil
		}
		if len(a.lost) > 0 && a.random.IntN(4) == 0 {
			a.deliverLate(a.lost[a.random.IntN(len(a.lost))])
		}
		if !a.calm && a.random.IntN(3) == 0 {
			kinds := []fault.Fault{fault.CloseBefore, fault.CloseAfter, fault.FailAfter, fault.Throttle, fault.Conflict}
			a.fault = kinds[a.random.IntN(len(kinds))]
			a.had[a.fault.String()]++
		}
		if a.fault == fault.CloseBefore {
			a.answer(body, false)
			return errCut
		}
		a.was = a.dump("odd")
		return nil
	}
	a.answered = func(operation string, body []byte, response *http.Response) {
		if operation != "TransactWriteItems" {
			return
		}
		lost := response == nil || a.fault == fault.FailAfter
		a.answer(body, !lost && response.StatusCode == http.StatusOK || lost && !reflect.DeepEqual(a.dump("odd"), a.was))
	}
}

// randomFault returns the fault of the tool's current request.
func (a *adopters) randomFault(r fault.Request) fault.Fault {
	if r.Op != "TransactWriteItems" || strings.HasPrefix(tokenOf(r.Body), appToken) {
		return fault.NoFault
	}
	return a.fault
}

// answer passes a request with its answer to the trace.
func (a *adopters) answer(body []byte, applied bool) {
	if a.wrong != nil {
		return
	}
	e := trace.Event{Who: "tester", Arrived: true, Answered: true, Applied: applied, Body: body}
	switch a.fault {
	case fault.CloseBefore, fault.CloseAfter, fault.FailAfter:
		e.Arrived, e.Answered = a.fault != fault.CloseBefore, false
		a.lost = append(a.lost, body)
	case fault.Throttle, fault.Conflict:
		e.Busy = true
	}
	a.note(a.trace.Tool(e))
	if applied && bytes.Contains(body, []byte(`"Put"`)) {
		a.puts++
	}
}

// deliverLate delivers a copy of a request that was not answered.
func (a *adopters) deliverLate(body []byte) {
	before := a.dump("odd")
	a.fault = fault.NoFault
	a.deliver(body)
	if changed := !reflect.DeepEqual(a.dump("odd"), before); a.wrong == nil {
		a.note(a.trace.Late(body, changed))
		if changed {
			a.had["late"]++
		}
	}
}

// act makes one transaction of the application.
func (a *adopters) act() {
	id, v := accounts[a.random.IntN(len(accounts))], values[a.random.IntN(len(values))]+"@x.io"
	has := text(a.get("odd", profile(id))["email"])
	holder := ""
	for _, other := range accounts {
		if text(a.get("odd", profile(other))["email"]) == v {
			holder = other
		}
	}
	lock := func(email string) item { return row("UNIQ#"+email, "LOCK", "owner", id) }
	const fresh = "attribute_not_exists(PK)"
	put := func(i item, condition string) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{TableName: aws.String("odd"), Item: i, ConditionExpression: aws.String(condition)}}
	}
	drop := types.TransactWriteItem{Delete: &types.Delete{
		TableName: aws.String("odd"), Key: row("UNIQ#"+has, "LOCK"), ConditionExpression: aws.String("attribute_not_exists(PK) OR #o = :me"),
		ExpressionAttributeNames: map[string]string{"#o": "owner"}, ExpressionAttributeValues: item{":me": str(id)},
	}}
	account := row("ACCT#"+id, "PROFILE", "email", v)
	leave := types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String("odd"), Key: profile(id)}}
	change := types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String("odd"), Key: profile(id), UpdateExpression: aws.String("SET email = :v"),
		ConditionExpression: aws.String("email = :had"), ExpressionAttributeValues: item{":v": str(v), ":had": str(has)},
	}}
	knowsLocks := !a.old || a.random.IntN(2) == 0
	switch leaves := a.random.IntN(3) == 0; {
	case has != "" && leaves && knowsLocks:
		a.do(leave, drop)
	case has != "" && leaves:
		a.do(leave)
	case holder != "": // the application's own check finds another account
	case has == "" && knowsLocks:
		a.do(put(account, fresh), put(lock(v), fresh))
	case has == "":
		a.do(put(account, fresh))
	case knowsLocks:
		a.do(change, put(lock(v), fresh), drop)
	default:
		a.do(change)
	}
}

// do sends a transaction of the application, and passes it to the trace if it was applied.
func (a *adopters) do(actions ...types.TransactWriteItem) {
	if !a.transact(actions...) {
		return
	}
	var writes []model.Write
	for _, one := range actions {
		switch {
		case one.Put != nil:
			writes = append(writes, a.written(one.Put.Item, one.Put.Item["email"], true))
		case one.Update != nil:
			writes = append(writes, a.written(one.Update.Key, one.Update.ExpressionAttributeValues[":v"], true))
		case one.Delete != nil:
			writes = append(writes, a.written(one.Delete.Key, nil, false))
		}
	}
	if a.wrong == nil {
		a.note(a.trace.Writes(writes))
	}
}

// written returns the write of one item.
func (a *adopters) written(key item, email types.AttributeValue, exists bool) model.Write {
	pk := text(key["PK"])
	if id, isAccount := strings.CutPrefix(pk, "ACCT#"); isAccount {
		w := model.Write{Item: slices.Index(accounts, id)}
		if v, holds := emailNumber(text(email)); holds {
			w.Version = model.Holds(v)
		}
		return w
	}
	v, _ := emailNumber(strings.TrimPrefix(pk, "UNIQ#"))
	w := model.Write{Item: model.LockItem(v)}
	if exists {
		w.Version = model.Lock{}.Version()
	}
	return w
}

// run runs backfills until one reaches its end, and undoes it.
func (a *adopters) run(ctx context.Context) error {
	for n := range 4 {
		a.calm = n == 3
		b, err := a.planned(ctx)
		if err != nil {
			return nil // nothing to put
		}
		a.record()
		r := a.changer.RunBackfill(ctx, b, func(change.BackfillFinding) {}, nil)
		if a.before, a.answered = nil, nil; r.Err != nil {
			a.now = a.now.Add(time.Hour) // no copy can arrive any more, and DynamoDB has forgotten all tokens
			a.lost = nil
			continue
		}
		a.undo(ctx, r.Receipt)
		break
	}
	a.before, a.answered = nil, nil
	return a.wrong
}

// undo undoes a backfill. Copies of its transactions may still arrive: some arrive after DynamoDB has forgotten their
// tokens, and the undo waits until no other copy can arrive.
func (a *adopters) undo(ctx context.Context, receipt string) {
	u, err := a.changer.PlanBackfillUndo(ctx, a.table.Connection(), a.unadopted.record(receipt))
	if err != nil && len(a.lost) > 0 {
		a.now = a.now.Add(11 * time.Minute)
		for range a.random.IntN(3) {
			a.act()
			a.deliverLate(a.lost[a.random.IntN(len(a.lost))])
		}
		a.had["waited"]++
		a.now, a.lost = a.now.Add(5*time.Minute), nil
		u, err = a.changer.PlanBackfillUndo(ctx, a.table.Connection(), a.unadopted.record(receipt))
	}
	if err != nil {
		return
	}
	a.record()
	a.changer.RunBackfillUndo(ctx, u, func(change.BackfillFinding) {}, nil)
}

// TestTracesOfABackfillAreBehavioursOfTheModel runs backfills and their undos beside an application. Requests and answers
// get lost, requests are throttled or collide, and copies arrive late. Each put has a check of its account, overwrites no
// lock, and is for an account that holds the value. An undo deletes only locks that the backfill has put. Every hundredth
// trace becomes a Quint test.
func TestTracesOfABackfillAreBehavioursOfTheModel(t *testing.T) {
	t.Parallel()
	puts, steps, every := 0, 0, uint64(1)
	runs := uint64(testrun.Runs(301, 8))
	if tracesTo() != "" {
		runs, every = 301, worldsPerQuintTest
	}
	had := map[string]int{}
	for seed := uint64(0); seed < runs; seed += every {
		a := newAdopters(t, seed, seed/every%2 == 1)
		if err := a.run(t.Context()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		puts += a.puts
		steps += a.trace.Steps()
		for what, n := range a.had {
			had[what] += n
		}
		if dir := tracesTo(); dir != "" {
			name := fmt.Sprintf("tracefill%d", seed)
			if err := os.WriteFile(filepath.Join(dir, name+".qnt"), []byte(a.trace.Quint(name)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d puts in %d steps; %v", puts, steps, had)
	if puts == 0 {
		t.Error("no backfill put a lock")
	}
}
