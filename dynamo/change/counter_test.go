package change_test

import (
	"context"
	"errors"
	"math/big"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
)

func number(s string) *big.Int {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic(s)
	}
	return n
}

// A reserved block has exactly the right numbers, for counters with the semantics last or next.
func TestReserve(t *testing.T) {
	t.Parallel()
	f := start(t)
	for _, tc := range []struct{ table, name, n, after, first, last string }{
		{"order_id", "order_id", "10", "5010", "5001", "5010"},
		{"order_id", "order_id", "1", "5011", "5011", "5011"},
		{"donation-data", "donation-data", "10", "118030", "118020", "118029"},
		{"donation-data", "donation-data", "1", "118031", "118030", "118030"},
		{"NextIdTable", "NextIdTable", "5", "1048581", "1048577", "1048581"},
	} {
		p, err := planner.Reserve(t.Context(), f.counter(tc.table, tc.name), number(tc.n))
		if err != nil {
			t.Fatal(err)
		}
		if step := p.Steps[0].Name; string(step) != string(p.Kind) {
			t.Errorf("the step of a %s is named %s", p.Kind, step)
		}
		r := f.changer.Apply(t.Context(), p, nil)
		if r.Outcome != journal.Applied || r.After != tc.after || r.First != tc.first || r.Last != tc.last {
			t.Errorf("%s, %s numbers: %s %v, now %s, %s to %s; want %s, %s to %s", tc.name, tc.n, r.Outcome, r.Reasons, r.After, r.First, r.Last, tc.after, tc.first, tc.last)
		}
	}
}

// Two people reserve numbers while the application takes numbers: no number is handed out twice.
func TestBlocksNeverOverlap(t *testing.T) {
	t.Parallel()
	f := start(t)
	c := f.counter("order_id", "order_id")
	var mu sync.Mutex
	owner := map[int64]string{}
	take := func(first, last int64, who string) {
		mu.Lock()
		defer mu.Unlock()
		for n := first; n <= last; n++ {
			if owner[n] != "" {
				t.Errorf("%d is %s's and %s's", n, owner[n], who)
			}
			owner[n] = who
		}
	}
	var wg sync.WaitGroup
	for _, who := range []string{"one", "two"} {
		wg.Go(func() {
			for range 10 {
				p, err := planner.Reserve(t.Context(), c, big.NewInt(7))
				if err != nil {
					t.Error(err)
					return
				}
				if r := f.changer.Apply(t.Context(), p, nil); r.Outcome == journal.Applied {
					take(number(r.First).Int64(), number(r.Last).Int64(), who)
				}
			}
		})
	}
	wg.Go(func() {
		for range 30 {
			out, err := f.App().UpdateItem(context.Background(), &dynamodb.UpdateItemInput{
				TableName: aws.String("order_id"), Key: item{"id": num("0")}, ReturnValues: "UPDATED_NEW",
				UpdateExpression: aws.String("SET order_number = order_number + :one"), ExpressionAttributeValues: item{":one": num("1")},
			})
			if err != nil {
				t.Error(err)
				return
			}
			n := number(text(out.Attributes["order_number"])).Int64()
			take(n, n, "the application")
		}
	})
	wg.Wait()
}

func TestRaiseAndLower(t *testing.T) {
	t.Parallel()
	f := start(t)
	c := f.counter("order_id", "order_id")
	type planned func(context.Context, counter.Counter, *big.Int) (*plan.Plan, error)
	for _, tc := range []struct {
		name string
		plan planned
		to   string
		code string
		want string
	}{
		{"raise", planner.Raise, "6000", "", "6000"},
		{"raise to the same", planner.Raise, "6000", plan.NotHigher, "6000"},
		{"raise below", planner.Raise, "5999", plan.NotHigher, "6000"},
		{"lower", planner.Lower, "5500", "", "5500"},
		{"lower to the same", planner.Lower, "5500", plan.NotLower, "5500"},
		{"lower above", planner.Lower, "5501", plan.NotLower, "5500"},
	} {
		p, err := tc.plan(t.Context(), c, number(tc.to))
		if refusal, refused := errors.AsType[*plan.Refusal](err); refused {
			if codes(refusal.Reasons) != tc.code {
				t.Errorf("%s: %v; want %q", tc.name, err, tc.code)
			}
			continue
		}
		if err != nil || tc.code != "" {
			t.Fatalf("%s: %v; want %q", tc.name, err, tc.code)
		}
		if wantTyped := tc.name == "lower"; (p.Typed == "order_id") != wantTyped {
			t.Errorf("%s: %q is to be typed", tc.name, p.Typed)
		}
		if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Applied {
			t.Errorf("%s: %s %v", tc.name, r.Outcome, r.Reasons)
		}
		if got := f.counter("order_id", "order_id").Value; got != tc.want {
			t.Errorf("%s: it says %s; want %s", tc.name, got, tc.want)
		}
	}
	for _, to := range []string{"-1", "100000000000000000000000000000000000000"} {
		if _, err := planner.Raise(t.Context(), c, number(to)); client.KindOf(err) != client.Usage {
			t.Errorf("raise to %s: %v", to, err)
		}
	}
}

// The counter moves between the planning of a change and its sending. A raise is planned again, but a lower is refused.
func TestALowerIsNotPlannedAnew(t *testing.T) {
	t.Parallel()
	f := start(t)
	c := f.counter("order_id", "order_id")
	raise, err := planner.Raise(t.Context(), c, number("7000"))
	if err != nil {
		t.Fatal(err)
	}
	lower, err := planner.Lower(t.Context(), c, number("10"))
	if err != nil {
		t.Fatal(err)
	}
	f.put("order_id", item{"id": num("0"), "order_number": num("5001")})
	if r := f.changer.Apply(t.Context(), lower, nil); r.Outcome != journal.Refused {
		t.Errorf("the lower was %s", r.Outcome)
	}
	if r := f.changer.Apply(t.Context(), raise, nil); r.Outcome != journal.Applied || r.Before != "5001" {
		t.Errorf("the raise was %s from %s", r.Outcome, r.Before)
	}
}

// A missing counter is created. If the counter exists by the time of the write, the creation is refused.
func TestCreateACounter(t *testing.T) {
	t.Parallel()
	f := start(t)
	c := f.counter("order_id", "order_id")
	for name, there := range map[string]item{"no item": nil, "no attribute": {"id": num("0"), "note": str("keep me")}} {
		if _, err := f.App().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("order_id"), Key: item{"id": num("0")}}); err != nil {
			t.Fatal(err)
		}
		if there != nil {
			f.put("order_id", there)
		}
		first, err := planner.Raise(t.Context(), c, number("31870"))
		if err != nil {
			t.Fatal(err)
		}
		second, err := planner.Raise(t.Context(), c, number("5"))
		if err != nil {
			t.Fatal(err)
		}
		if r := f.changer.Apply(t.Context(), first, nil); r.Outcome != journal.Applied {
			t.Errorf("%s: %s %v", name, r.Outcome, r.Reasons)
		}
		if r := f.changer.Apply(t.Context(), second, nil); r.Outcome != journal.Refused {
			t.Errorf("%s: made a second time: %s", name, r.Outcome)
		}
		now := f.get("order_id", item{"id": num("0")})
		if text(now["order_number"]) != "31870" || (there != nil && text(now["note"]) != "keep me") {
			t.Errorf("%s: the item is %v", name, now)
		}
	}
}
