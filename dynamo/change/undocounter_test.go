package change_test

import (
	"context"
	"math/big"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout/config"
)

// A counter can be set back only while it has exactly the number that the change left. If the undo lowers the counter,
// its name has to be typed.
func TestUndoOfCounters(t *testing.T) {
	t.Parallel()
	type planned func(context.Context, counter.Counter, *big.Int) (*plan.Plan, error)
	for name, tc := range map[string]struct {
		plan    planned
		n, left string
		kind    plan.Kind
	}{
		"bump":  {planner.Bump, "7", "5007", plan.KindLower},
		"raise": {planner.Raise, "6000", "6000", plan.KindLower},
		"lower": {planner.Lower, "4000", "4000", plan.KindRaise},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			table := f.open("order_id")
			c := f.counter("order_id", "order_id")
			done := f.apply(tc.plan(t.Context(), c, number(tc.n)))
			p, err := f.undo(table, done)
			if err != nil || p.Kind != tc.kind || p.Before != tc.left || p.After != "5000" || (p.Typed == "order_id") != (tc.kind == plan.KindLower) {
				t.Fatalf("%+v, %v", p, err)
			}
			// Somebody takes numbers from the counter.
			f.put("order_id", item{"id": num("0"), "order_number": num("9000")})
			if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused {
				t.Errorf("it was %s although the counter moved", r.Outcome)
			}
			p, err = f.undo(table, done)
			f.mustNot(plan.Changed, p, err)
			f.put("order_id", item{"id": num("0"), "order_number": num(tc.left)})
			back := f.apply(f.undo(table, done))
			f.apply(f.undo(table, back))
			if got := f.counter("order_id", "order_id").Value; got != tc.left {
				t.Errorf("done again, it says %s; want %s", got, tc.left)
			}
		})
	}
	t.Run("reserve", func(t *testing.T) {
		f := start(t)
		done := f.apply(planner.Reserve(t.Context(), f.counter("order_id", "order_id"), big.NewInt(3)))
		p, err := f.undo(f.open("order_id"), done)
		if text := f.mustNot(plan.NotUndone, p, err); !strings.Contains(text, "cannot be taken back") {
			t.Errorf("it says %q", text)
		}
	})
	t.Run("the key is the number", func(t *testing.T) {
		f := start(t)
		done := f.apply(planner.Bump(t.Context(), f.counter("NextIdTable", "NextIdTable"), big.NewInt(1)))
		f.apply(f.undo(f.open("NextIdTable"), done))
		if got := f.counter("NextIdTable", "NextIdTable").Value; got != "1048576" {
			t.Errorf("it says %s", got)
		}
	})
}

// Two people undo one change, or one person repeats an undo whose answer was lost. Between the two undos, the
// application takes a number, so the counter has the number of the change again. A second undo would hand out this
// number twice.
func TestAChangeIsTakenBackOnce(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]bool{"by two at once": false, "after an answer that was lost": true} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			table := f.open("order_id")
			done := f.apply(planner.Bump(t.Context(), f.counter("order_id", "order_id"), big.NewInt(1)))
			first, err := f.undo(table, done)
			if err != nil {
				t.Fatal(err)
			}
			second, err := f.undo(table, done)
			if err != nil {
				t.Fatal(err)
			}
			if lost {
				f.lose(true)
			}
			f.changer.Apply(t.Context(), first, nil)
			f.found()
			f.put("order_id", item{"id": num("0"), "order_number": num("5001")}) // an order takes the number
			if r := f.operator("another").Apply(t.Context(), second, nil); r.Outcome != journal.Refused || codes(r.Reasons) != plan.NotUndone || r.Err != nil {
				t.Errorf("%s %v %v", r.Outcome, r.Reasons, r.Err)
			}
			third, err := f.undo(table, done)
			f.mustNot(plan.NotUndone, third, err)
			if now := f.counter("order_id", "order_id").Value; now != "5001" {
				t.Errorf("the counter says %s: 5001 is handed out twice", now)
			}
		})
	}
}

// A counter that a change created is deleted by an undo, if it still has its first number.
func TestUndoOfACreatedCounter(t *testing.T) {
	t.Parallel()
	for name, there := range map[string]item{"no item": nil, "no attribute": {"id": num("0"), "note": str("keep me")}} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			table, c := f.open("order_id"), f.counter("order_id", "order_id")
			f.delete("order_id", item{"id": num("0")})
			if there != nil {
				f.put("order_id", there)
			}
			done := f.apply(planner.Raise(t.Context(), c, number("31870")))
			p, err := f.undo(table, done)
			if err != nil || p.Typed != "order_id" {
				t.Fatalf("%+v, %v; want its name typed", p, err)
			}
			f.put("order_id", more(item{"id": num("0"), "order_number": num("31871")}, there))
			if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused {
				t.Errorf("a number was handed out, and it was %s", r.Outcome)
			}
			f.put("order_id", more(item{"id": num("0"), "order_number": num("31870")}, there))
			back := f.apply(f.undo(table, done))
			if got := f.get("order_id", item{"id": num("0")}); len(got) != len(there) {
				t.Errorf("there is %v; want %v", got, there)
			}
			f.apply(f.undo(table, back))
			if got := f.counter("order_id", "order_id").Value; got != "31870" {
				t.Errorf("created again, it says %s", got)
			}
		})
	}
}

// The counter exists, but the layout no longer describes it. The refusal of the undo does not say that it is gone.
func TestUndoWithoutTheLayoutOfTheCounter(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("numbers")
	f.put("numbers", more(row("HERE", "N"), item{"given": num("7")}))
	c := f.counter("numbers", "numbers", func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{
			Name: "numbers", Tables: []string{"numbers"}, Counters: []config.Counter{{PK: "HERE", SK: "N", Attribute: "given"}},
		}}
	})
	done := f.apply(planner.Bump(t.Context(), c, number("1")))
	p, err := f.undo(f.opened("numbers", undescribed), done)
	if why := f.mustNot(plan.Absent, p, err); !strings.Contains(why, "the layout no longer describes it") {
		t.Error(why)
	}
}
