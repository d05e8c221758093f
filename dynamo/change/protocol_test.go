package change_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/schema"
	"tallylock/internal/testrun"
)

// The protocols of these changes were model-checked. These tests check that the program follows the protocols:
//
//   - Whatever the application does between two requests, no lock of a live value is deleted:
//     TestTwoOperatorsFreeAndCountNothingTwice. TestWithoutSettleALiveValueIsFreed
//     shows that this test can fail. The shortest traces are TestX1…, TestX2… to TestX8…,
//     TestX9X10…, TestX11…, TestX13…. Writers that break the rule:
//     TestALayoutWhoseWritersMoveValuesAsksForTheValue.
//   - A look begins after the settle time of the last mark, and an incomplete look
//     deletes nothing: TestTheLookBeginsAfterTheLastMark,
//     TestALookThatIsNotWholeDeletesNothing, TestAnObscureAccountKeepsTheLock.
//   - Every deletion relies on a mark that was sent once, by a transaction with a token,
//     and was confirmed: TestEveryWriteOfALockRestsOnItsMark, TestAnAttemptIsSentOnce.
//   - Marks do not disturb applications: TestApplicationsCannotTellAMark.
//   - Late copies of requests change nothing: TestARequestThatComesAgainChangesNothing,
//     TestAMarkThatComesLate, TestLateCopiesOfAMarkAndItsDeletionDeleteNothing.
//   - A change can be resolved after a crash: TestAProcessIsKilledAtEachStep.
//   - A lock is put back only with a condition on the account that claims it: TestX6PutBack,
//     TestAPutBackLockRestsOnItsClaimant, TestAPutBackLockRestsOnItsOwner.

// The look of several releases begins after the settle time of the last mark.
func TestTheLookBeginsAfterTheLastMark(t *testing.T) {
	t.Parallel()
	f := start(t)
	const settle = 50 * time.Millisecond
	table := f.open("accounts", func(o *dynamo.Options) { o.Settle, o.AutoReadUnits = settle, 0.001 })
	plans, err := releases("username", "alan", "turing")(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	marks := 0
	var marked, looked time.Time
	f.after = func(operation string, body []byte) error {
		if operation == "TransactWriteItems" && updatesMark(body, "SET") {
			marks++
			marked = time.Now()
		}
		return nil
	}
	f.before = func(operation string, _ []byte) error {
		if operation == "Scan" && looked.IsZero() {
			looked = time.Now()
		}
		return nil
	}
	for _, r := range f.changer.ApplyAll(t.Context(), plans, nil) {
		if r.Outcome != journal.Applied {
			t.Error(r.Outcome, r.Reasons, r.Err)
		}
	}
	if marks != 2 || looked.Sub(marked) < settle {
		t.Errorf("the look began %v after the last of %d marks; want at least %v", looked.Sub(marked), marks, settle)
	}
}

// An incomplete look deletes nothing, and the mark is removed.
func TestALookThatIsNotWholeDeletesNothing(t *testing.T) {
	t.Parallel()
	t.Run("a segment cannot be read", func(t *testing.T) {
		f := start(t)
		f.create("odd")
		for n := range 12 { // enough for several segments
			f.put("odd", row(fmt.Sprint("ACCT#", n), "PROFILE", "username", fmt.Sprint("u", n), "photo", strings.Repeat("x", 390<<10)))
			f.put("odd", handle(fmt.Sprint("u", n)))
		}
		f.put("odd", handle("v"))
		p := f.mustPlan(f.open("odd", uniqPreset, func(o *dynamo.Options) { o.AutoReadUnits = 0.001 }), "username", "v")
		denied := 0
		f.before = func(operation string, body []byte) error {
			if operation == "Scan" && bytes.Contains(body, []byte(`"Segment":2`)) {
				denied++
				return &smithy.GenericAPIError{Code: "AccessDeniedException", Fault: smithy.FaultClient}
			}
			return nil
		}
		r := f.changer.Apply(t.Context(), p, nil)
		if r.Outcome != journal.Refused || client.KindOf(r.Err) != client.Denied || denied == 0 {
			t.Errorf("%s %v %v; want refused, denied", r.Outcome, r.Reasons, r.Err)
		}
		if lock := f.get("odd", handle("v")); len(lock) != 2 {
			t.Errorf("the lock is %v", lock)
		}
	})
	t.Run("it is cancelled between two pages", func(t *testing.T) {
		s := newStage(t)
		s.put("odd", handle("v"))
		p := s.mustPlan(s.table, "username", "v")
		ctx, cancel := context.WithCancel(t.Context())
		s.ctx = ctx
		s.steps["page 2"] = cancel
		r := s.release(p)
		if r.Outcome != journal.Refused || client.KindOf(r.Err) != client.Cancelled {
			t.Errorf("%s %v %v; want refused, cancelled", r.Outcome, r.Reasons, r.Err)
		}
		if lock := s.get("odd", handle("v")); len(lock) != 2 {
			t.Errorf("the lock is %v", lock)
		}
	})
}

// Every deletion of a lock relies on a mark that was sent only once and was confirmed. Every mark is written only once,
// by a transaction with a token, on an existing lock.
func TestEveryWriteOfALockRestsOnItsMark(t *testing.T) {
	t.Parallel()
	type action struct {
		TableName, UpdateExpression, ConditionExpression string
		ExpressionAttributeNames                         map[string]string
		ExpressionAttributeValues                        map[string]map[string]string
	}
	one := regexp.MustCompile(`^[0-9a-f]{32}$`)
	marks, deletions, unheard := map[string]string{}, 0, map[string]bool{} // tokens, by mark
	for seed := range uint64(testrun.Runs(20, 5)) {
		w := newWorld(t, seed, worldLag+worldSpread)
		w.play(4)
		for _, sent := range w.late {
			var request struct {
				ClientRequestToken string
				TransactItems      []map[string]action
			}
			if err := json.Unmarshal(sent.body, &request); err != nil {
				t.Fatal(err)
			}
			for verb, a := range request.TransactItems[0] {
				if a.TableName != worldTable {
					continue
				}
				rests := a.ConditionExpression
				if strings.HasPrefix(a.UpdateExpression, "SET ") {
					rests = a.UpdateExpression
				}
				mark := ""
				for alias, v := range a.ExpressionAttributeValues {
					for name, attribute := range a.ExpressionAttributeNames {
						if attribute == schema.MarkAttribute && strings.Contains(rests, name+" = "+alias) {
							mark = v["S"]
						}
					}
				}
				if len(request.TransactItems) != 1 || request.ClientRequestToken == "" || !one.MatchString(mark) || !strings.Contains(a.ConditionExpression, "attribute_exists(#pk)") {
					t.Fatalf("%s", sent.body)
				}
				switch {
				case strings.HasPrefix(a.UpdateExpression, "SET "):
					if token, known := marks[mark]; known && token != request.ClientRequestToken {
						t.Errorf("the mark %s is written twice", mark)
					}
					marks[mark] = request.ClientRequestToken
					unheard[mark] = unheard[mark] || sent.lost
				case verb == "Delete":
					if deletions++; unheard[mark] {
						t.Errorf("a deletion rests on the mark %s, which was sent and not answered", mark)
					}
					fallthrough
				default:
					if marks[mark] == "" {
						t.Errorf("%s rests on a mark that nobody wrote: %s", verb, mark)
					}
				}
			}
		}
	}
	if len(marks) < testrun.Runs(20, 5) || deletions < testrun.Runs(5, 1) {
		t.Errorf("only %d marks and %d deletions", len(marks), deletions)
	}
}

// The application's operations have the same answers and results whether locks are marked or not.
func TestApplicationsCannotTellAMark(t *testing.T) {
	t.Parallel()
	refused, marks := 0, 0
	for seed := range uint64(testrun.Runs(10, 3)) {
		plain, marked := newWorld(t, seed, 0), newWorld(t, seed, 0)
		// Both worlds make the same choices, since they have the same seed.
		random := rand.New(rand.NewPCG(seed, 1))
		for step := range 40 {
			before := plain.refused
			plain.act()
			marked.act()
			if plain.refused != marked.refused {
				t.Fatalf("seed %d, step %d: answered otherwise with a mark", seed, step)
			}
			refused += plain.refused - before
			for _, v := range values {
				if random.IntN(2) == 0 && marked.exactly().locks[v] != nil {
					marks++
					_, err := marked.App().UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
						TableName: aws.String(worldTable), Key: handle(v), UpdateExpression: aws.String("SET tallylock_release = :t"),
						ExpressionAttributeValues: item{":t": &types.AttributeValueMemberS{Value: "0123456789abcdef0123456789abcdef"}},
					})
					if err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		a, b := plain.exactly(), marked.exactly()
		for _, lock := range b.locks {
			delete(lock, schema.MarkAttribute)
		}
		if fmt.Sprint(a.holds, len(a.locks), a.count) != fmt.Sprint(b.holds, len(b.locks), b.count) {
			t.Errorf("seed %d: it came to %v without marks, and to %v with them", seed, a, b)
		}
	}
	if refused == 0 || marks < 50 {
		t.Errorf("%d refusals, %d marks", refused, marks)
	}
}

// A second copy of any request changes nothing. It may arrive at once, or after its token was forgotten, or, while its
// token is still known, after the change was undone.
func TestARequestThatComesAgainChangesNothing(t *testing.T) {
	t.Parallel()
	counters := func(f *fixture) string { return fmt.Sprint(texts(f.get("order_id", item{"id": num("0")}))) }
	odd := func(f *fixture) string { return fmt.Sprint(f.dump("odd")) }
	type again struct {
		name string
		look func(*fixture) string
		plan func(*testing.T, *fixture, *dynamo.Table) (*plan.Plan, error)
		held bool // the change cannot be undone here
	}
	var all []again
	for _, tc := range changes() {
		all = append(all, again{tc.name, odd, func(t *testing.T, f *fixture, table *dynamo.Table) (*plan.Plan, error) {
			if tc.begin != nil {
				tc.begin(f)
			}
			return tc.plan(t, f, table)
		}, tc.name == "recreate"})
	}
	for name, planned := range map[string]func(context.Context, counter.Counter, *big.Int) (*plan.Plan, error){
		"bump": planner.Bump, "raise": planner.Raise, "lower": planner.Lower, "reserve": planner.Reserve,
	} {
		n := map[string]string{"raise": "6000", "lower": "10"}[name]
		if n == "" {
			n = "3"
		}
		all = append(all, again{name, counters, func(t *testing.T, f *fixture, _ *dynamo.Table) (*plan.Plan, error) {
			return planned(t.Context(), f.counter("order_id", "order_id"), number(n))
		}, name == "reserve"})
	}
	for _, tc := range all {
		t.Run(tc.name, func(t *testing.T) {
			f, table := versioned(t)
			p, err := tc.plan(t, f, table)
			var sent []byte
			f.before = func(operation string, body []byte) error {
				if operation == "TransactWriteItems" {
					sent = body
				}
				return nil
			}
			done := f.apply(p, err)
			f.before = nil
			now := tc.look(f)
			f.deliver(sent)
			forgotten := bytes.Replace(sent, []byte(p.Steps[0].Token), []byte("another"), 1)
			f.deliver(forgotten)
			if got := tc.look(f); got != now || bytes.Equal(forgotten, sent) {
				t.Errorf("it is %s, and was %s", got, now)
			}
			if tc.held {
				return
			}
			f.apply(f.undo(table, done))
			now = tc.look(f)
			f.deliver(sent)
			if got := tc.look(f); got != now {
				t.Errorf("taken back, it is %s, and was %s", got, now)
			}
		})
	}
}
