package change_test

import (
	"math/big"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout/config"
	"tallylock/ui/say"
)

// withOrders makes a table with the orders 7, 12, 39 and 40, whose counter is missing.
func withOrders(t *testing.T, semantics string, options ...func(*dynamo.Options)) (*fixture, counter.Counter) {
	t.Helper()
	f := start(t)
	f.createTable("orders", "PK", "")
	for _, id := range []string{"7", "39", "40", "12"} {
		f.put("orders", strs("PK", "ORDER#"+id, "note", strings.Repeat("x", 9000)))
	}
	described := func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"orders"}, Counters: []config.Counter{{
			PK: "COUNTER", Attribute: "n", Semantics: semantics, IDs: []config.IDs{{PK: "ORDER#{number}"}},
		}}}}
	}
	table := f.open("orders", append([]func(*dynamo.Options){described}, options...)...)
	counters, _, err := counter.Read(t.Context(), table)
	if err != nil || len(counters) != 1 {
		t.Fatal(counters, err)
	}
	return f, counters[0]
}

// A created counter hands out no number that is in use.
func TestACounterIsCreatedAboveTheIDsInUse(t *testing.T) {
	for semantics, least := range map[string]string{"last": "40", "next": "41"} {
		_, c := withOrders(t, semantics)
		p, err := planner.Create(t.Context(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if p.After != least || p.Typed != "" {
			t.Errorf("%s: %s is proposed, %q to be typed; want %s", semantics, p.After, p.Typed, least)
		}
		if _, err := planner.Raise(t.Context(), c, number("39")); err == nil || !strings.Contains(err.Error(), "ORDER#40 of orders uses the id 40") {
			t.Errorf("%s: created with 39: %v", semantics, err)
		}
		if p, err = planner.Raise(t.Context(), c, number("5000")); err != nil || p.After != "5000" {
			t.Errorf("%s: %v", semantics, err)
		}
		if _, err := planner.Bump(t.Context(), c, number("1")); err == nil || !strings.Contains(say.Error(err), "at least "+least) {
			t.Errorf("%s: a bump says %v", semantics, err)
		}
	}
}

// An item at the counter's key without the attribute of counters is no counter: nobody can bump it, and no counter is
// created in it.
func TestAnotherItemIsNoCounter(t *testing.T) {
	f := start(t)
	f.createTable("orders", "PK", "")
	f.put("orders", more(strs("PK", "COUNTER", "type", "invoice"), item{"n": num("40")}))
	table := f.open("orders", func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"orders"}, Counters: []config.Counter{{
			PK: "COUNTER", Attribute: "n", Is: &config.Discriminator{Attribute: "type", Value: "counter"},
		}}}}
	})
	counters, _, err := counter.Read(t.Context(), table)
	if err != nil || len(counters) != 1 || counters[0].Exists {
		t.Fatal(counters, err)
	}
	p, err := planner.Bump(t.Context(), counters[0], number("1"))
	f.mustNot(plan.Absent, p, err)
	for _, to := range []*big.Int{nil, number("50")} {
		p, err := planner.Create(t.Context(), counters[0], to)
		if why := f.mustNot(plan.Held, p, err); !strings.Contains(why, `its type is not "counter"`) {
			t.Error(why)
		}
	}
}

// If the ids cost too much to read unasked, the counter's name has to be typed.
func TestACounterIsCreatedUnderItsNameWhereIDsWereNotLookedAt(t *testing.T) {
	_, c := withOrders(t, "last", func(o *dynamo.Options) { o.AutoReadUnits = 5 })
	p, err := planner.Raise(t.Context(), c, number("1"))
	if err != nil {
		t.Fatal(err)
	}
	if p.Typed != c.Name {
		t.Errorf("%q is to be typed; want the counter's name", p.Typed)
	}
}

// Somebody may have edited a finding by hand. A repair does not create a counter with the number that the finding
// names, whether the ids cost too much to read or not.
func TestAMendBelievesNoNumberOfAFinding(t *testing.T) {
	for _, units := range []float64{5, 500} {
		f, c := withOrders(t, "last", func(o *dynamo.Options) { o.AutoReadUnits = units })
		found := f.checked(c.Open())
		if len(found) != 1 || found[0].Kind != finding.CounterMissing || found[0].HighestID != "40" {
			t.Fatalf("%+v", found)
		}
		found[0].HighestID, found[0].Items[0].Key = "7", attr.Item{"PK": attr.String("ORDER#7")}
		receipts, left := f.mend(c.Open(), found[0], found[0])
		if len(receipts) > 0 || len(left) != 2 {
			t.Errorf("with %g units: %+v, left %v", units, receipts, left)
		}
	}
}
