package change_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
)

// overtaken lets the application take an order number before each of the first writes, up to the given number of times.
func (f *fixture) overtaken(times int) {
	taken := 0
	f.before = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" && taken < times {
			taken++
			f.put("order_id", item{"id": num("0"), "order_number": num(fmt.Sprint(5000 + taken))})
		}
		return nil
	}
}

// A bump has one receipt, even if the counter moves and the bump is planned again. The receipt has the final numbers,
// and an undo starts from them.
func TestABumpOfAMovingCounterIsOneReceipt(t *testing.T) {
	t.Parallel()
	for name, planned := range map[string]func(f *fixture) (*plan.Plan, error){
		"bump": func(f *fixture) (*plan.Plan, error) {
			return planner.Bump(t.Context(), f.counter("order_id", "order_id"), big.NewInt(1))
		},
		"reserve": func(f *fixture) (*plan.Plan, error) {
			return planner.Reserve(t.Context(), f.counter("order_id", "order_id"), big.NewInt(1))
		},
		"raise": func(f *fixture) (*plan.Plan, error) {
			return planner.Raise(t.Context(), f.counter("order_id", "order_id"), big.NewInt(5003))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			p, err := planned(f)
			if err != nil {
				t.Fatal(err)
			}
			p.Reason = "ticket 1"
			f.overtaken(2)
			r := f.changer.Apply(t.Context(), p, nil)
			if r.Outcome != journal.Applied || r.ID != p.ID || r.Before != "5002" || r.After != "5003" || r.WriteUnits < 3*p.Price.WriteUnits {
				t.Errorf("%s %v %v: %s, %s → %s for %v units; want what all three tries took", r.Outcome, r.Reasons, r.Err, r.ID, r.Before, r.After, r.WriteUnits)
			}
			all, err := f.changer.Journal.Records()
			if err != nil || len(all) != 1 {
				t.Fatalf("%d receipts, %v; want one", len(all), err)
			}
			rec := all[0]
			e, err := plan.Load(rec)
			if err != nil {
				t.Fatal(err)
			}
			if rec.Receipt != p.ID || rec.Outcome != journal.Applied || rec.Open || len(rec.Reasons) > 0 || !strings.Contains(rec.What, "5,002 → 5,003") || rec.Reason != "ticket 1" || e.Plan.Before != "5002" || !rec.Steps[0].Once {
				t.Errorf("%+v, with the plan from %s", rec, e.Plan.Before)
			}
			if name == "reserve" {
				return
			}
			f.apply(f.undo(f.open("order_id"), r))
			if got := f.counter("order_id", "order_id").Value; got != "5002" {
				t.Errorf("taken back, it says %s; want 5002, which is the application's", got)
			}
		})
	}
}

// A process is killed between the attempts of one bump: the journal has the true state of the last attempt that was
// sent, and resolving it counts at most once.
func TestABumpKilledBetweenItsTries(t *testing.T) {
	t.Parallel()
	const send, answer = `"event":"send"`, `"event":"answer"`
	for known, tc := range []struct {
		end     string // the event of the journal's last line
		open    bool
		outcome journal.Outcome
		before  string // the counter's value in the plan of the last attempt
		again   journal.Outcome
		later   journal.Outcome // the outcome according to reads, 17 minutes later
	}{
		{send, true, journal.Unknown, "5000", journal.Refused, journal.Unknown},
		{answer, false, journal.Refused, "5000", "", ""},
		{send, true, journal.Unknown, "5001", journal.Applied, journal.Unknown},
		{answer, false, journal.Applied, "5001", "", ""},
	} {
		for _, later := range []bool{false, true} {
			t.Run(fmt.Sprintf("after %d lines, later %t", known+1, later), func(t *testing.T) {
				f := start(t)
				table := f.open("order_id")
				p := f.planBump()
				f.overtaken(1)
				if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Applied {
					t.Fatalf("%s %v", r.Outcome, r.Reasons)
				}
				f.found()
				lines := f.lines()
				if len(lines) != 4 || !strings.Contains(lines[known], tc.end) {
					t.Fatalf("%d lines, %.80s", len(lines), lines[known])
				}
				f.write([]byte(strings.Join(lines[:known+1], "\n") + "\n"))
				rec := f.record(p.ID)
				e, err := plan.Load(rec)
				if err != nil || rec.Open != tc.open || rec.Outcome != tc.outcome || e.Plan.Before != tc.before {
					t.Fatalf("%s, open %v, from %s, %v; want %s, %v, from %s", rec.Outcome, rec.Open, e.Plan.Before, err, tc.outcome, tc.open, tc.before)
				}
				switch {
				case !tc.open:
				case later:
					f.later(17 * time.Minute)
					if s := f.examine(table); s.Outcome != tc.later {
						t.Errorf("it reads %s, %s; want %s", s.Outcome, s.Words, tc.later)
					}
				default:
					f.resolve(table, change.SendAgain, tc.again)
				}
				if got := f.counter("order_id", "order_id").Value; got != "5002" {
					t.Errorf("the counter says %s; want 5002, one of them ours", got)
				}
			})
		}
	}
}

// The time in which an attempt may be sent again begins with that attempt, since each attempt has its own token.
func TestATryMayBeSentAgainForItsOwnTime(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("order_id")
	p := f.planBump()
	sent := 0
	f.before = func(operation string, _ []byte) error {
		if operation != "TransactWriteItems" {
			return nil
		}
		if sent++; sent > 1 {
			return errCut
		}
		f.put("order_id", item{"id": num("0"), "order_number": num("5001")})
		f.later(8 * time.Minute)
		return nil
	}
	if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Unknown || r.ID != p.ID {
		t.Fatalf("%s %v; want its answer lost", r.Outcome, r.Reasons)
	}
	f.found()
	f.later(12 * time.Minute)
	if s := f.examine(table); choices(s) != "send again" {
		t.Errorf("%s, choices %s: four minutes old, it may be sent again", s.Words, choices(s))
	}
	f.resolve(table, change.SendAgain, journal.Applied)
	if got := f.counter("order_id", "order_id").Value; got != "5002" {
		t.Errorf("the counter says %s; want 5002", got)
	}
}

// Somebody deletes the counter before a raise arrives: the raise is not planned again as a creation. A creation has
// other conditions, and nobody agreed to it.
func TestARaiseDoesNotBecomeACreation(t *testing.T) {
	t.Parallel()
	f := start(t)
	p, err := planner.Raise(t.Context(), f.counter("order_id", "order_id"), big.NewInt(5003))
	if err != nil {
		t.Fatal(err)
	}
	f.before = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" {
			f.delete("order_id", item{"id": num("0")})
		}
		return nil
	}
	r := f.changer.Apply(t.Context(), p, nil)
	if r.Outcome != journal.Refused || r.Plan.Kind != p.Kind {
		t.Errorf("%s, of a %s", r.Outcome, r.Plan.Kind)
	}
	if all, err := f.changer.Journal.Records(); err != nil || len(all) != 1 || all[0].Outcome != journal.Refused || all[0].Open {
		t.Errorf("%+v, %v", all, err)
	}
}
