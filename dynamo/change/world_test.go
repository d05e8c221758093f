package change_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/embedded"
	"tallylock/internal/fault"
	"tallylock/internal/model/trace"
)

// world is a table in which an application and two operators work at once. The reads of its engine are late, and its
// network loses answers. Only one request runs at a time. The seed decides whose request it is, and everything else
// that is random, so one seed is one course of events.
type world struct {
	*fixture
	random *rand.Rand
	// settle is the time that a release waits, by the engine's clock.
	settle  time.Duration
	arrived chan *player

	mu     sync.Mutex
	now    time.Time
	faults map[string][]fault.Fault // the remaining faults, by token
	fault  fault.Fault              // the fault of the operators' newest transaction
	// wrong is the first mistake.
	wrong string
	// handed counts how often each number was handed out.
	handed  map[string]int
	start   *big.Int // the counter's first number
	late    []late
	calm    bool // no more faults
	refused int  // counts refused transactions of the application
	// stray is set if a late copy has set a mark that no operator knows.
	stray bool
	// tried counts the changes of the operators, by kind and outcome.
	tried map[string]int
	// trace compares the play with the model. It is nil before and after the play.
	trace *trace.Checker
	seed  uint64
	// waitInModel is the time that a release has to wait in the model. steps counts the steps of the trace.
	waitInModel time.Duration
	began       time.Time
	steps       int
}

// late is a request of an operator. The network has kept a copy of it.
type late struct {
	body  []byte
	at    time.Time // the time of its signature
	marks bool
	// lost is set if the request got no answer: it may not have arrived yet.
	lost bool
}

// The times for which the engine knows a token, and for which DynamoDB accepts a signature.
const (
	worldToken     = 10 * time.Minute
	worldSignature = 15 * time.Minute
)

const (
	worldTable  = "traffic"
	worldLag    = time.Second
	worldSpread = 300 * time.Millisecond
)

var (
	values   = []string{"u", "v"}
	accounts = []string{"A", "B", "C"}
)

func profile(id string) item { return row("ACCT#"+id, "PROFILE") }

func newWorld(t *testing.T, seed uint64, settle time.Duration) *world {
	w := &world{
		random: rand.New(rand.NewPCG(seed, 0)), settle: settle, arrived: make(chan *player), now: time.Now(),
		faults: map[string][]fault.Fault{}, handed: map[string]int{}, tried: map[string]int{}, seed: seed, waitInModel: settle,
	}
	delays := fault.Delays{Seed: seed, Lag: worldLag, Spread: worldSpread, Now: w.clock}
	w.fixture = start(t, embedded.WithClock(w.clock), fault.WithDelays(delays), fault.WithFaults(w.randomFault), w.traced())
	w.began = w.now
	w.create(worldTable)
	// One account and its lock never change, so that the layout can be recognised.
	w.put(worldTable, row("ACCT#0", "PROFILE", "username", "always"))
	w.put(worldTable, handle("always"))
	w.pass(worldLag)
	w.start = whole(w.exactly().count)
	return w
}

// choose returns a random number from 0 to n-1.
func (w *world) choose(n int) int { return w.random.IntN(n) }

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *world) violate(format string, args ...any) {
	if w.wrong == "" {
		w.wrong = fmt.Sprintf(format, args...)
	}
}

// randomFault gives faults to one in three transactions of the operators, at random: for a few attempts, or for all.
func (w *world) randomFault(r fault.Request) fault.Fault {
	if r.Op != "TransactWriteItems" || strings.HasPrefix(tokenOf(r.Body), appToken) {
		return fault.NoFault
	}
	token := tokenOf(r.Body)
	w.fault = fault.NoFault
	left, known := w.faults[token]
	if !known && !w.calm && w.choose(3) == 0 {
		kinds := []fault.Fault{fault.CloseBefore, fault.CloseAfter, fault.FailAfter, fault.Throttle, fault.Conflict, fault.Truncate, fault.Corrupt}
		for range []int{1, 2, 3, 7}[w.choose(4)] {
			left = append(left, kinds[w.choose(len(kinds))])
		}
	}
	if len(left) == 0 {
		w.faults[token] = nil
		return fault.NoFault
	}
	w.fault, w.faults[token] = left[0], left[1:]
	return w.fault
}

// exact is the true state of the table at one moment, even if reads are late.
type exact struct {
	holds map[string]string // the value of each account
	locks map[string]item
	count string
}

// exactly reads the true state in a transaction, which is never late.
func (w *world) exactly() exact {
	in := &dynamodb.TransactGetItemsInput{}
	get := func(table string, key item) {
		in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &types.Get{TableName: &table, Key: key}})
	}
	for _, id := range accounts {
		get(worldTable, profile(id))
	}
	for _, v := range values {
		get(worldTable, handle(v))
	}
	get("order_id", item{"id": num("0")})
	out, err := w.App().TransactGetItems(context.Background(), in)
	if err != nil {
		w.t.Fatal(err)
	}
	now := exact{holds: map[string]string{}, locks: map[string]item{}}
	for n, id := range accounts {
		if i := out.Responses[n].Item; i != nil {
			now.holds[id] = text(i["username"])
		}
	}
	for n, v := range values {
		if i := out.Responses[len(accounts)+n].Item; i != nil {
			now.locks[v] = i
		}
	}
	now.count = text(out.Responses[len(accounts)+len(values)].Item["order_number"])
	return now
}

// holder returns an account that holds a value; empty if there is none.
func (e exact) holder(v string) string {
	for id, has := range e.holds {
		if has == v {
			return id
		}
	}
	return ""
}

// compare reports an effect that no request of an operator may have.
func (w *world) compare(before, after exact, what string) {
	for _, v := range values {
		had, has := before.locks[v], after.locks[v]
		if had != nil && has == nil && before.holder(v) != "" {
			w.violate("%s freed %q, which %s holds", what, v, before.holder(v))
		}
		if had == nil && has != nil {
			w.violate("%s made a lock of %q", what, v)
		}
	}
	if fmt.Sprint(before.holds) != fmt.Sprint(after.holds) {
		w.violate("%s changed an account: %v, %v", what, before.holds, after.holds)
	}
}

// act makes one random event of the application. A transaction with a failed condition has no effect.
func (w *world) act() {
	id, v := accounts[w.choose(len(accounts))], values[w.choose(len(values))]
	has := w.exactly().holds[id]
	put := func(i item, condition string) types.TransactWriteItem {
		p := &types.Put{TableName: aws.String(worldTable), Item: i}
		if condition != "" {
			p.ConditionExpression = &condition
		}
		return types.TransactWriteItem{Put: p}
	}
	remove := func(key item) types.TransactWriteItem {
		return types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String(worldTable), Key: key}}
	}
	do := func(actions ...types.TransactWriteItem) {
		if !w.transact(actions...) {
			w.refused++
		}
	}
	account := row("ACCT#"+id, "PROFILE", "username", v)
	const fresh = "attribute_not_exists(PK)"
	switch kind := w.choose(16); {
	case kind < 3:
		n := w.take("order_id", item{"id": num("0")}, "order_number", types.ReturnValueUpdatedNew)
		w.handed[n.String()]++
	case kind == 3: // an import overwrites existing items, also the lock
		do(put(account, ""), put(handle(v), ""))
	case kind == 4: // somebody deletes a lock by hand
		do(remove(handle(v)))
	case has == "":
		do(put(account, fresh), put(handle(v), fresh))
	case kind < 9 && has != v:
		do(types.TransactWriteItem{Update: &types.Update{
			TableName: aws.String(worldTable), Key: profile(id), UpdateExpression: aws.String("SET username = :v"),
			ConditionExpression: aws.String("username = :had"), ExpressionAttributeValues: item{":v": str(v), ":had": str(has)},
		}}, put(handle(v), fresh), remove(handle(has)))
	case kind < 13:
		do(remove(profile(id)), remove(handle(has)))
	default: // TTL deletes an account without its lock
		do(remove(profile(id)))
	}
}

// between makes the events between two requests of the operators.
func (w *world) between() {
	for range w.choose(4) {
		w.act()
	}
	if w.choose(3) == 0 {
		w.pass(time.Duration(w.choose(5)) * worldSpread / 4)
	}
	if len(w.late) > 0 && w.choose(8) == 0 {
		w.repeat(w.late[w.choose(len(w.late))])
	}
	if w.choose(60) == 0 {
		w.pass(worldToken) // from now on, copies are evaluated again
	}
}

// repeat delivers a copy of an operator's request while its signature is valid. A request with an answer has arrived,
// so its copy comes only while its token is known. A request without an answer may come at any time. It may be the
// first copy to arrive, or set a mark, which is harmless.
func (w *world) repeat(l late) {
	if age := w.clock().Sub(l.at); age > worldSignature || age >= worldToken && !l.lost {
		return
	}
	before := w.exactly()
	w.faults[tokenOf(l.body)] = nil
	w.deliver(l.body)
	after := w.exactly()
	w.compare(before, after, "a late copy")
	w.traceLate(l.body, !reflect.DeepEqual(before.locks, after.locks))
	for v, lock := range after.locks {
		if len(lock) > len(before.locks[v]) {
			w.stray = true
			if !l.marks {
				w.violate("a late copy changed the lock of %q", v)
			}
		}
	}
}

// numbers counts the numbers from before+1 to after as handed out.
func (w *world) numbers(before, after string) {
	for n := whole(before); n.Cmp(whole(after)) < 0; {
		w.handed[n.Add(n, big.NewInt(1)).String()]++
	}
}

func whole(text string) *big.Int {
	n, _ := new(big.Int).SetString(text, 10)
	return n
}
