package change_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/internal/fault"
	"tallylock/internal/testrun"
)

// randomFaults gives writes random faults, the same in every run.
type randomFaults struct {
	mu     sync.Mutex
	random *rand.Rand
	faults []fault.Fault
	hits   map[string]int // the number of faults, by token
	total  int
	// before runs before each write of the tool, if it is set.
	before func()
}

// newRandomFaults gives every third write, on average, one of the given faults.
func newRandomFaults(seed uint64, faults ...fault.Fault) *randomFaults {
	return &randomFaults{random: rand.New(rand.NewPCG(seed, 0)), faults: faults, hits: map[string]int{}}
}

// worst is the greatest number of faults of one write, which is sent up to seven times.
const worst = 5

func (w *randomFaults) choose(r fault.Request) fault.Fault {
	token := tokenOf(r.Body)
	if r.Op != "TransactWriteItems" || strings.HasPrefix(token, appToken) {
		return fault.NoFault
	}
	if w.before != nil {
		w.before()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.random.IntN(3) > 0 || w.hits[token] == worst {
		return fault.NoFault
	}
	w.hits[token]++
	w.total++
	return w.faults[w.random.IntN(len(w.faults))]
}

// chance returns a random number from 0 to n-1.
func (w *randomFaults) chance(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.random.IntN(n)
}

// tokenOf returns the token of a transaction.
func tokenOf(body []byte) string {
	var request struct{ ClientRequestToken string }
	_ = json.Unmarshal(body, &request) // a body that is not JSON has no token
	return request.ClientRequestToken
}

// appToken is the prefix of the tokens of the application's transactions. These transactions get no faults.
const appToken = "app-"

// faults returns all kinds of faults.
func faults() []fault.Fault {
	var out []fault.Fault
	for f := fault.CloseBefore; f <= fault.Corrupt; f++ {
		out = append(out, f)
	}
	return out
}

// under runs a test with each kind of fault, all at once, since the tests mostly wait for a disk. The clock is that of
// synctest: the timeout of an answer passes only when nothing else is left to do, even on a slow machine.
func under(t *testing.T, test func(t *testing.T, f *fixture, w *randomFaults)) {
	var wg sync.WaitGroup
	for _, which := range faults() {
		wg.Go(func() {
			t.Run(which.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newRandomFaults(uint64(which), which)
					test(t, start(t, fault.WithFaults(w.choose)), w)
				})
			})
		})
	}
	wg.Wait()
}

// A counter is bumped a thousand times in a long run, while a third of all writes has a fault: the counter rises by
// exactly this number, and hands out every number once.
func TestAThousandBumpsUnderEachFault(t *testing.T) {
	t.Parallel()
	under(t, func(t *testing.T, f *fixture, w *randomFaults) {
		bumps := testrun.Runs(1000, 12)
		c := f.counter("order_id", "order_id")
		handed := f.handOut(1, bumps, func() (*plan.Plan, error) { return planner.Bump(t.Context(), c, big.NewInt(1)) })
		if got := f.counter("order_id", "order_id").Value; got != fmt.Sprint(5000+bumps) || len(handed) != bumps {
			t.Errorf("the counter went from 5000 to %s in %d bumps; want %d more in %d", got, len(handed), bumps, bumps)
		}
		if w.total < bumps/4 {
			t.Errorf("only %d writes went wrong", w.total)
		}
		if applied := f.closed()[journal.Applied]; applied != bumps {
			t.Errorf("the journal knows of %d bumps; want %d", applied, bumps)
		}
	})
}

// handOut lets several people apply plans at once, until each person has applied the given number. It returns the
// receipts of the applied plans. A person whose counter has moved plans again.
func (f *fixture) handOut(people, each int, planned func() (*plan.Plan, error)) []change.Receipt {
	f.t.Helper()
	var mu sync.Mutex
	var out []change.Receipt
	var wg sync.WaitGroup
	for n := range people {
		operator := f.operator(fmt.Sprint("operator ", n))
		wg.Go(func() {
			for done := 0; done < each; {
				p, err := planned()
				if err != nil {
					f.t.Error(err)
					return
				}
				r := operator.Apply(f.t.Context(), p, nil)
				if r.Outcome == journal.Refused && strings.HasPrefix(codes(r.Reasons), "ConditionalCheckFailed") {
					continue
				}
				if r.Outcome != journal.Applied {
					f.t.Errorf("%s %v %v", r.Outcome, r.Reasons, r.Err)
					return
				}
				mu.Lock()
				out = append(out, r)
				mu.Unlock()
				done++
			}
		})
	}
	wg.Wait()
	return out
}

// Several people reserve blocks of numbers while the application takes single numbers, with all faults: each number is
// handed out exactly once.
func TestReservationsNeverOverlap(t *testing.T) {
	t.Parallel()
	for table, take := range map[string]func(f *fixture) *big.Int{
		"order_id": func(f *fixture) *big.Int {
			return f.take("order_id", item{"id": num("0")}, "order_number", types.ReturnValueUpdatedNew)
		},
		"donation-data": func(f *fixture) *big.Int {
			return f.take("donation-data", item{"context": str("atomicCounter"), "id": str("id")}, "counterValue", types.ReturnValueUpdatedOld)
		},
		"NextIdTable": nil, // its key is the number, so no UpdateItem can change the number
	} {
		t.Run(table, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newRandomFaults(1, faults()...)
				f := start(t, fault.WithFaults(w.choose))
				c := f.counter(table, table)
				var mu sync.Mutex
				taken := map[string]int{}
				blocks := f.handOut(4, testrun.Runs(50, 10), func() (*plan.Plan, error) {
					size := int64(1 + w.chance(9))
					if take != nil && size < 4 {
						n := take(f).String()
						mu.Lock()
						taken[n]++
						mu.Unlock()
					}
					return planner.Reserve(t.Context(), c, big.NewInt(size))
				})
				for _, r := range blocks {
					last, _ := new(big.Int).SetString(r.Last, 10)
					for n, _ := new(big.Int).SetString(r.First, 10); n.Cmp(last) <= 0; n.Add(n, big.NewInt(1)) {
						taken[n.String()]++
					}
				}
				for n, times := range taken {
					if times != 1 {
						t.Errorf("%s was handed out %d times", n, times)
					}
				}
				now := f.counter(table, table)
				rise := new(big.Int)
				before, _ := rise.SetString(c.Value, 10)
				after, _ := new(big.Int).SetString(now.Value, 10)
				if rise.Sub(after, before); rise.Cmp(big.NewInt(int64(len(taken)))) != 0 {
					t.Errorf("the counter rose by %s, and %d numbers were handed out", rise, len(taken))
				}
			})
		})
	}
}

// take takes a number like the application, and returns it.
func (f *fixture) take(table string, key item, attribute string, which types.ReturnValue) *big.Int {
	f.t.Helper()
	out, err := f.App().UpdateItem(f.t.Context(), &dynamodb.UpdateItemInput{
		TableName: &table, Key: key, UpdateExpression: aws.String("ADD #v :one"), ReturnValues: which,
		ExpressionAttributeNames: map[string]string{"#v": attribute}, ExpressionAttributeValues: item{":one": num("1")},
	})
	if err != nil {
		f.t.Error(err)
		return new(big.Int)
	}
	n, _ := new(big.Int).SetString(text(out.Attributes[attribute]), 10)
	return n
}

// About a thousand locks are released in a long run, and somebody signs up with each value as soon as it is free. A
// deletion whose answer was lost is sent again, and does not delete the new lock.
func TestAThousandReleasesUnderFaults(t *testing.T) {
	t.Parallel()
	under(t, func(t *testing.T, f *fixture, w *randomFaults) {
		releases := testrun.Runs(112, 8) // with each of nine faults
		f.create("odd")
		f.put("odd", row("ACCT#0", "PROFILE", "username", "always"))
		f.put("odd", handle("always"))
		table := f.open("odd")
		early, again := 0, 0
		for n := range releases {
			v := fmt.Sprintf("v%d", n)
			signUp := func() bool { return f.signUp("odd", "ACCT#"+v, v) }
			f.put("odd", handle(v))
			taken := false
			w.before = func() {
				if !taken && f.get("odd", handle(v)) == nil {
					taken = signUp()
					early++
				}
			}
			r := f.changer.Apply(t.Context(), f.mustPlan(table, "username", v), nil)
			for r.Outcome == journal.Refused && codes(r.Reasons[:1]) == "NoAnswer" {
				// DynamoDB confirmed none of the release's marks at once, so somebody releases the lock again.
				again++
				r = f.changer.Apply(t.Context(), f.mustPlan(table, "username", v), nil)
			}
			if r.Outcome != journal.Applied {
				t.Fatalf("%s: %s %v %v", v, r.Outcome, r.Reasons, r.Err)
			}
			if w.before = nil; !taken && !signUp() {
				t.Fatalf("%s was released, and nobody can sign up with it", v)
			}
			if lock := f.get("odd", handle(v)); len(lock) != 2 {
				t.Fatalf("the lock of the new %s is %v", v, lock)
			}
		}
		if lost := w.faults[0]; early == 0 && lost != fault.CloseBefore && lost != fault.Throttle && lost != fault.Conflict {
			t.Error("no deletion was sent again after it happened")
		}
		if got := f.closed()[journal.Applied]; got != releases {
			t.Errorf("the journal knows of %d releases; want %d", got, releases)
		}
	})
}

// signUp puts an account and its lock in one transaction, and reports whether the transaction was applied.
func (f *fixture) signUp(table, id, v string) bool {
	f.t.Helper()
	put := func(i item) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{TableName: &table, Item: i, ConditionExpression: aws.String("attribute_not_exists(PK)")}}
	}
	return f.transact(put(row(id, "PROFILE", "username", v)), put(handle(v)))
}

// transact sends a transaction of the application, and reports whether it was applied.
func (f *fixture) transact(actions ...types.TransactWriteItem) bool {
	f.t.Helper()
	_, err := f.App().TransactWriteItems(context.Background(), &dynamodb.TransactWriteItemsInput{
		TransactItems: actions, ClientRequestToken: aws.String(appToken + uuid.NewString()[len(appToken):]),
	})
	if _, refused := errors.AsType[*types.TransactionCanceledException](err); err != nil && !refused {
		f.t.Error(err)
	}
	return err == nil
}

// closed counts the changes in the journal by their outcome. No change may be open.
func (f *fixture) closed() map[journal.Outcome]int {
	f.t.Helper()
	records, err := f.changer.Journal.Records()
	if err != nil {
		f.t.Fatal(err)
	}
	count := map[journal.Outcome]int{}
	for _, r := range records {
		if r.Open {
			f.t.Errorf("%s is open: %s %v", r.Receipt, r.Outcome, r.Reasons)
		}
		count[r.Outcome]++
	}
	return count
}
