package change_test

import (
	"errors"
	"math/big"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
)

func mapOf(name string, v types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberM{Value: item{name: v}}
}

func TestBump(t *testing.T) {
	t.Parallel()
	f := start(t)
	for _, tc := range []struct{ table, name, by, before, after, next string }{
		{"order_id", "order_id", "1", "5000", "5001", "5002"},
		{"order_id", "order_id", "100", "5001", "5101", "5102"},
		{"Tickets", "us-east-1", "3", "80388161", "80388164", "80388165"},
		{"Tickets", "events", "1", "9007199254741993", "9007199254741994", "9007199254741995"},
		{"donation-data", "donation-data", "2", "118020", "118022", "118022"},
		{"NextIdTable", "NextIdTable", "5", "1048576", "1048581", "1048582"},
		{"posts", "posts", "1", "42", "43", "44"},
	} {
		by, _ := new(big.Int).SetString(tc.by, 10)
		p, err := planner.Bump(t.Context(), f.counter(tc.table, tc.name), by)
		if err != nil {
			t.Fatal(err)
		}
		r := f.changer.Apply(t.Context(), p, nil)
		if r.Outcome != journal.Applied || r.Before != tc.before || r.After != tc.after {
			t.Errorf("%s by %s: %s %v, %s → %s; want %s → %s", tc.name, tc.by, r.Outcome, r.Reasons, r.Before, r.After, tc.before, tc.after)
		}
		if now := f.counter(tc.table, tc.name); now.Value != tc.after || now.Next != tc.next {
			t.Errorf("%s is now %s, next %s; want %s, next %s", tc.name, now.Value, now.Next, tc.after, tc.next)
		}
	}
}

func TestBumpRefuses(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.put("Tickets", item{"partition": str("full"), "hand_crafted_int": num("99999999999999999999999999999999999999")})
	f.put("Tickets", item{"partition": str("half"), "hand_crafted_int": num("1.5")})
	missing := f.counter("order_id", "order_id")
	if _, err := f.App().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("order_id"), Key: item{"id": num("0")}}); err != nil {
		t.Fatal(err)
	}
	for code, c := range map[string]counter.Counter{
		plan.NotANumber: f.counter("Tickets", "badges"), plan.TooLarge: f.counter("Tickets", "full"), plan.Absent: missing,
	} {
		_, err := planner.Bump(t.Context(), c, big.NewInt(1))
		if refusal, ok := errors.AsType[*plan.Refusal](err); !ok || codes(refusal.Reasons) != code {
			t.Errorf("%s: %v; want %s", c.Name, err, code)
		}
	}
	if _, err := planner.Bump(t.Context(), f.counter("Tickets", "half"), big.NewInt(1)); err == nil {
		t.Error("a fraction was bumped")
	}
	for _, by := range []int64{0, -1} {
		if _, err := planner.Bump(t.Context(), f.counter("Tickets", "us-east-1"), big.NewInt(by)); client.KindOf(err) != client.Usage {
			t.Errorf("by %d: %v; a counter only rises", by, err)
		}
	}
}

// Four people bump at once: no bump is lost, and none is counted twice.
func TestBumpsAtOnceAddUp(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"order_id", "NextIdTable"} {
		f := start(t)
		const people, each = 4, 10
		c := f.counter(table, table)
		var wg sync.WaitGroup
		var mu sync.Mutex
		applied := int64(0)
		seen := map[string]bool{}
		for range people {
			wg.Go(func() {
				for range each {
					p, err := planner.Bump(t.Context(), c, big.NewInt(1))
					if err != nil {
						t.Error(err)
						return
					}
					r := f.changer.Apply(t.Context(), p, nil)
					mu.Lock()
					if r.Outcome == journal.Applied {
						applied++
						if seen[r.After] {
							t.Errorf("%s was handed out twice", r.After)
						}
						seen[r.After] = true
					} else if r.Outcome != journal.Refused {
						t.Errorf("%s %v", r.Outcome, r.Reasons)
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		before, _ := new(big.Int).SetString(c.Value, 10)
		if got, want := f.counter(table, table).Value, before.Add(before, big.NewInt(applied)).String(); got != want {
			t.Errorf("%s says %s after %d bumps; want %s", table, got, applied, want)
		}
		if applied == 0 {
			t.Error("no bump got through")
		}
	}
}

// The answer is lost twice although the change was applied: the same token is sent again, and the counter rises once.
func TestALostAnswerDoesNotCountTwice(t *testing.T) {
	t.Parallel()
	f := start(t)
	lost := 0
	f.after = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" && lost < 2 {
			lost++
			return errCut
		}
		return nil
	}
	p := f.planBump()
	r := f.changer.Apply(t.Context(), p, nil)
	if r.Outcome != journal.Applied || lost != 2 {
		t.Fatalf("%s %v %v, %d answers lost", r.Outcome, r.Reasons, r.Err, lost)
	}
	if got := f.counter("order_id", "order_id").Value; got != "5001" {
		t.Errorf("the counter says %s; want 5001", got)
	}
}

// The application takes a number between each planning and its sending: the bump is planned ten times, and then
// refused.
func TestAHotCounterIsTriedTenTimes(t *testing.T) {
	t.Parallel()
	f := start(t)
	p := f.planBump()
	taken := int64(0)
	f.before = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" {
			taken++
			f.put("order_id", item{"id": num("0"), "order_number": num(big.NewInt(5000 + taken).String())})
		}
		return nil
	}
	r := f.changer.Apply(t.Context(), p, nil)
	if r.Outcome != journal.Refused || codes(r.Reasons) != "ConditionalCheckFailed" || taken != 10 {
		t.Errorf("%s %v after %d tries; want refused after 10", r.Outcome, r.Reasons, taken)
	}
	if got := f.counter("order_id", "order_id").Value; got != "5010" {
		t.Errorf("the counter says %s; want 5010, which is the application's", got)
	}
}
