package change_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
)

// forget removes all answers about a table, and its accepted layouts.
func forget(t *testing.T, table *dynamo.Table) {
	t.Helper()
	for _, e := range table.Answers.Said() {
		if err := table.Answers.Forget(e.ID); err != nil {
			t.Fatal(err)
		}
	}
}

// acceptedAs opens a table twice, for two operators, with a layout that a person has accepted.
func (f *fixture) acceptedAs(table string) (mine, other *dynamo.Table) {
	f.t.Helper()
	file := filepath.Join(f.t.TempDir(), "answers.jsonl")
	open := func() *dynamo.Table {
		return f.opened(table, undescribed, func(o *dynamo.Options) { o.Answers = file })
	}
	guessed := open()
	for _, c := range guessed.Layout.Constraints() {
		if _, err := dynamo.Accept(f.t.Context(), guessed, c, &[]string{}); err != nil {
			f.t.Fatal(err)
		}
	}
	for _, c := range guessed.Layout.Counters {
		if _, err := dynamo.AcceptCounter(f.t.Context(), guessed, c); err != nil {
			f.t.Fatal(err)
		}
	}
	return open(), open()
}

// Somebody gives another answer after the first of several deletions: the other locks stay.
func TestAnAnswerStopsTheRestOfARun(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	f.put("odd", healthy(12)...)
	for n := range 3 {
		v := fmt.Sprintf("gone%d@x.io", n)
		f.put("odd", row("EMAIL#"+v, "LOCK"), row(fmt.Sprint("ORDER#", n), "META", "buyer", v))
	}
	place := layout.Place{Table: "odd", Items: "ORDER#*/META", Attribute: "buyer"}
	mine, other := f.acceptedAs("odd")
	con := mine.Layout.Constraints()[0]
	if err := mine.Answers.Answer(con, place, layout.HoldNot); err != nil {
		t.Fatal(err)
	}
	var plans []*plan.Plan
	for n := range 3 {
		plans = append(plans, f.mustPlan(mine, con.Name, fmt.Sprintf("gone%d@x.io", n)))
	}
	said := false
	f.after = func(operation string, body []byte) error {
		if operation != "TransactWriteItems" || !bytes.Contains(body, []byte(`"Delete"`)) || said {
			return nil
		}
		said = true
		return other.Answers.Answer(other.Layout.Constraints()[0], place, layout.Hold)
	}
	for n, r := range f.changer.ApplyAll(t.Context(), plans, nil) {
		left := f.get("odd", row(fmt.Sprintf("EMAIL#gone%d@x.io", n), "LOCK"))
		if kept := left != nil && left[schema.MarkAttribute] == nil; kept != (n > 0) || kept != (r.Outcome == journal.Refused) {
			t.Errorf("%d: %s %v %v; the lock is %v", n, r.Outcome, r.Reasons, r.Err, left)
		}
	}
}

// Somebody takes back or changes an answer that a plan depends on, before the plan is applied: nothing is written.
func TestAPlanRestsOnWhatWasSaid(t *testing.T) {
	t.Parallel()
	t.Run("an account", func(t *testing.T) {
		f := start(t)
		f.create("odd")
		f.put("odd", healthy(12)...)
		mine, other := f.acceptedAs("odd")
		key, _ := mine.Schema.KeyOf(attr.Item{"PK": attr.String("USER#3"), "SK": attr.String("PROFILE")})
		p, err := planner.DeleteAccount(t.Context(), mine, key)
		if err != nil {
			t.Fatal(err)
		}
		forget(t, other)
		if r := f.changer.Apply(t.Context(), p, nil); codes(r.Reasons) != plan.Changed || f.get("odd", row("USER#3", "PROFILE")) == nil {
			t.Errorf("%s %v %v", r.Outcome, r.Reasons, r.Err)
		}
	})
	t.Run("a counter", func(t *testing.T) {
		f := start(t)
		mine, other := f.acceptedAs("order_id")
		forget(t, other)
		counters, _, err := counter.Read(t.Context(), mine)
		if err != nil {
			t.Fatal(err)
		}
		p, err := planner.Bump(t.Context(), counters[0], number("1"))
		if err != nil {
			t.Fatal(err)
		}
		if r := f.changer.Apply(t.Context(), p, nil); p.Live.Unsure == nil || r.Outcome != journal.Refused {
			t.Errorf("%s %v", r.Outcome, p.Live.Unsure)
		}
	})
	t.Run("the other tables of locks", func(t *testing.T) {
		f := start(t)
		f.create("odd")
		f.create("shops")
		f.put("odd", healthy(12)...)
		f.put("odd", row("EMAIL#shop@x.io", "LOCK"))
		f.put("shops", row("SHOP#1", "DATA", "contact", "shop@x.io"))
		mine, other := f.acceptedAs("odd")
		if _, err := dynamo.Accept(t.Context(), other, other.Layout.Constraints()[0], &[]string{"shops"}); err != nil {
			t.Fatal(err)
		}
		p, err := f.plan(mine, mine.Layout.Constraints()[0].Name, "shop@x.io")
		if err != nil {
			t.Fatal(err)
		}
		if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused || f.get("odd", row("EMAIL#shop@x.io", "LOCK")) == nil {
			t.Errorf("%s %v %v", r.Outcome, r.Reasons, r.Err)
		}
	})
	t.Run("that nothing else holds the values", func(t *testing.T) {
		s := sayable(t)
		mine := s.opened()
		s.say(mine)
		s.put("odd", row("NOTE#7", "META", "text", "oldx3@x.io"))
		p := s.mustPlan(mine, "email", "oldx3@x.io")
		other := s.opened()
		note := layout.Place{Table: "odd", Items: "NOTE#*/META", Attribute: "text"}
		if err := other.Answers.Answer(email(other), note, layout.Hold); err != nil {
			t.Fatal(err)
		}
		if r := s.changer.Apply(t.Context(), p, nil); codes(r.Reasons) != plan.Changed || s.get("odd", row("EMAIL#oldx3@x.io", "LOCK")) == nil {
			t.Errorf("%s %v %v", r.Outcome, r.Reasons, r.Err)
		}
	})
}

// A plan file that changes a value is applied only once, even if the change was undone since.
func TestAPlanFileOfAValueIsAppliedOnce(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	f.put("odd", healthy(12)...)
	table := f.described(emails())
	p, err := planner.ChangeValue(t.Context(), table, f.value(table, "email", "u3@x.io"), "eve@x.io")
	if err != nil {
		t.Fatal(err)
	}
	file, other := f.handed(p), f.operator("another")
	mine, err := file.Changes[0].Replan(t.Context(), f.changer, table)
	if err != nil {
		t.Fatal(err)
	}
	late, err := file.Changes[0].Replan(t.Context(), other, table)
	if err != nil {
		t.Fatal(err)
	}
	r := f.changer.Apply(t.Context(), mine, nil)
	back, err := f.undo(table, r)
	if err != nil {
		t.Fatal(err)
	}
	if r := f.changer.Apply(t.Context(), back, nil); r.Outcome != journal.Applied {
		t.Fatalf("%s %v %v", r.Outcome, r.Reasons, r.Err)
	}
	if r := other.Apply(t.Context(), late, nil); codes(r.Reasons) != plan.AppliedBefore {
		t.Errorf("%s %v %v", r.Outcome, r.Reasons, r.Err)
	}
}

// An answer may say that other items hold values. If the answers cannot be read, nothing is written, even by a layout
// of the config.
func TestNothingIsWrittenWithoutTheAnswers(t *testing.T) {
	t.Parallel()
	f := start(t)
	file := filepath.Join(t.TempDir(), "answers.jsonl")
	table := f.open("accounts", func(o *dynamo.Options) { o.Answers = file })
	p := f.mustPlan(table, "username", "alan")
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if r := f.changer.Apply(t.Context(), p, nil); codes(r.Reasons) != plan.Changed || f.get("accounts", handle("alan")) == nil {
		t.Errorf("applied: %s %v %v", r.Outcome, r.Reasons, r.Err)
	}
	if _, err := f.plan(table, "username", "alan"); client.KindOf(err) != client.Usage {
		t.Errorf("planned: %v", err)
	}
}
