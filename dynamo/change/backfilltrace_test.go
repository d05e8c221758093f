package change_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/change"
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
	a := &adopters{random: rand.New(rand.NewPCG(seed, 0)), old: old}
	begin := model.Start{Holds: map[int]int{}}
	a.unadopted = unlocked(t, row("ACCT#0", "PROFILE", "email", "always@x.io"))
	for n, id := range accounts[:2] {
		if v := a.random.IntN(3); v < len(values) && (n == 0 || begin.Holds[0] != v) {
			begin.Holds[n] = v
			a.put("odd", row("ACCT#"+id, "PROFILE", "email", values[v]+"@x.io"))
		}
	}
	a.trace = trace.New(adoptNames, len(accounts), 0, begin)
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

// record passes the tool's transactions and their answers to the trace, and has the application act before each request.
func (a *adopters) record() {
	a.before = func(string, []byte) error {
		for range a.random.IntN(3) {
			a.act()
		}
		return nil
	}
	a.answered = func(operation string, body []byte, response *http.Response) {
		if operation != "TransactWriteItems" || a.wrong != nil {
			return
		}
		applied := response.StatusCode == http.StatusOK
		a.note(a.trace.Tool(trace.Event{Who: "tester", Arrived: true, Answered: true, Applied: applied, Body: body}))
		if applied && bytes.Contains(body, []byte(`"Put"`)) {
			a.puts++
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

// TestTracesOfABackfillAreBehavioursOfTheModel runs backfills and their undos beside an application. Each put has a check
// of its account, overwrites no lock, and is for an account that holds the value. An undo deletes only locks that the
// backfill has put.
func TestTracesOfABackfillAreBehavioursOfTheModel(t *testing.T) {
	t.Parallel()
	puts, steps := 0, 0
	for seed := range uint64(testrun.Runs(200, 6)) {
		a := newAdopters(t, seed, seed%2 == 1)
		b, err := a.planned(t.Context())
		if err != nil {
			continue // nothing to put
		}
		a.record()
		r := a.changer.RunBackfill(t.Context(), b, func(change.BackfillFinding) {}, nil)
		if undo, err := a.changer.PlanBackfillUndo(t.Context(), a.table.Connection(), a.unadopted.record(r.Receipt)); err == nil && r.Err == nil {
			a.changer.RunBackfillUndo(t.Context(), undo, func(change.BackfillFinding) {}, nil)
		}
		a.before, a.answered = nil, nil
		if a.wrong != nil {
			t.Fatalf("seed %d: %v", seed, a.wrong)
		}
		puts += a.puts
		steps += a.trace.Steps()
	}
	t.Logf("%d puts in %d steps", puts, steps)
	if puts == 0 {
		t.Error("no backfill put a lock")
	}
}
