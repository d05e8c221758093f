package change_test

import (
	"reflect"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/schema"
)

// A released lock comes back with its attributes, and without a mark.
func TestUndoOfARelease(t *testing.T) {
	t.Parallel()
	f := start(t)
	rich := more(handle("alan"), item{"createdAt": num("1795076047233"), schema.MarkAttribute: str("left by a crash")})
	f.put("accounts", rich)
	f.put("accounts", more(handle("ada"), item{"createdAt": num("1795076047000")})) // held locks have this attribute
	table := f.open("accounts")
	done := f.apply(f.plan(table, "username", "alan"))
	p, err := f.undo(table, done)
	if err != nil || p.Undoes != done.ID || p.Kind != plan.KindRecreate {
		t.Fatalf("%+v, %v", p, err)
	}
	back := f.apply(p, nil)
	want := more(handle("alan"), item{"createdAt": num("1795076047233")})
	if got := f.get("accounts", handle("alan")); !reflect.DeepEqual(got, want) {
		t.Errorf("the lock is %v; want %v", got, want)
	}
	// The undo of an undo is a release, with all conditions of a release.
	again, err := f.undo(table, back)
	if err != nil || again.Kind != plan.KindRelease || len(again.Steps) != 3 {
		t.Fatalf("%+v, %v; want a release by mark and look", again, err)
	}
	f.apply(again, nil)
	if f.get("accounts", handle("alan")) != nil {
		t.Error("the lock is still there")
	}
}

// The undo of a put lock may be a release with a mark and a look. Two people plan this undo, and one of them makes it.
// Then the application puts the lock again. The second undo is refused, so the new lock stays.
func TestAPutLockIsTakenBackOnce(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts")
	back := f.apply(f.undo(table, f.apply(f.plan(table, "username", "alan"))))
	var plans []*plan.Plan
	for range 2 {
		p, err := f.undo(table, back)
		if err != nil || len(p.Steps) != 3 {
			t.Fatalf("%+v, %v; want a release by mark and look", p, err)
		}
		plans = append(plans, p)
	}
	f.apply(plans[0], nil)
	f.put("accounts", handle("alan"))
	for name, r := range map[string]change.Receipt{
		"by itself":    f.operator("another").Apply(t.Context(), plans[1], nil),
		"among others": f.operator("another").ApplyAll(t.Context(), []*plan.Plan{f.mustPlan(table, "username", "turing"), plans[1]}, nil)[1],
	} {
		if r.Outcome != journal.Refused || codes(r.Reasons) != plan.NotUndone || r.Err != nil {
			t.Errorf("%s: %s %v %v", name, r.Outcome, r.Reasons, r.Err)
		}
	}
	if f.get("accounts", handle("alan")) == nil || f.get("accounts", handle("turing")) != nil {
		t.Error("alan's lock must be there, and turing's be gone")
	}
	if again := f.record(back.ID); again.Undone != plans[0].ID {
		t.Errorf("taken back by %s", again.Undone)
	}
}

// While one person undoes a change, nobody else can undo it.
func TestAPutLockIsTakenBackByOne(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts")
	back := f.apply(f.undo(table, f.apply(f.plan(table, "username", "alan"))))
	first, err := f.undo(table, back)
	if err != nil {
		t.Fatal(err)
	}
	second, err := f.undo(table, back)
	if err != nil {
		t.Fatal(err)
	}
	tried := false
	r := f.changer.Apply(t.Context(), first, func(p change.Progress) {
		if p.Stage == "look" && !tried {
			tried = true
			if r := f.operator("another").Apply(t.Context(), second, nil); client.KindOf(r.Err) != client.Failed {
				t.Errorf("meanwhile: %s %v %v", r.Outcome, r.Reasons, r.Err)
			}
		}
	})
	if r.Outcome != journal.Applied || !tried {
		t.Errorf("%s %v %v", r.Outcome, r.Reasons, r.Err)
	}
}

// A lock is put back only with a ConditionCheck on each account that claims its value.
func TestAPutBackLockRestsOnItsClaimant(t *testing.T) {
	t.Parallel()
	newcomer := item{"PK": str("ACCT#new"), "SK": str("PROFILE"), "email": str("n@example.net"), "username": str("alan")}
	second := item{"PK": str("ACCT#two"), "SK": str("PROFILE"), "email": str("m@example.net"), "username": str("alan")}
	released := func(t *testing.T) (*fixture, *dynamo.Table, change.Receipt) {
		f := start(t)
		table := f.open("accounts")
		return f, table, f.apply(f.plan(table, "username", "alan"))
	}
	t.Run("taken, with a lock", func(t *testing.T) {
		f, table, done := released(t)
		f.put("accounts", newcomer)
		f.put("accounts", handle("alan"))
		p, err := f.undo(table, done)
		f.mustNot(plan.Held, p, err)
	})
	t.Run("two claimants", func(t *testing.T) {
		f, table, done := released(t)
		f.put("accounts", newcomer)
		f.put("accounts", second)
		p, err := f.undo(table, done)
		f.mustNot(plan.Duplicate, p, err)
	})
	t.Run("one claimant, who stays", func(t *testing.T) {
		f, table, done := released(t)
		f.put("accounts", newcomer)
		p, err := f.undo(table, done)
		if err != nil || len(p.Steps[0].Writes) != 2 || p.Steps[0].Writes[1].Verb != client.Check {
			t.Fatalf("%+v, %v; want a check on the claimant", p, err)
		}
		f.apply(p, nil)
	})
	t.Run("one claimant, who leaves", func(t *testing.T) {
		f, table, done := released(t)
		f.put("accounts", newcomer)
		p, err := f.undo(table, done)
		if err != nil {
			t.Fatal(err)
		}
		f.put("accounts", more(newcomer, strs("username", "other")))
		if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused || r.Reasons[0].Slot != 1 {
			t.Errorf("%s %v; want the check to refuse it", r.Outcome, r.Reasons)
		}
		if f.get("accounts", handle("alan")) != nil {
			t.Error("the tool has made an orphan")
		}
	})
	t.Run("taken between plan and sending", func(t *testing.T) {
		f, table, done := released(t)
		p, err := f.undo(table, done)
		if err != nil {
			t.Fatal(err)
		}
		f.put("accounts", newcomer)
		f.put("accounts", handle("alan"))
		if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused {
			t.Errorf("%s", r.Outcome)
		}
	})
}

// A lock is put back only if its owner has not changed since the release.
func TestAPutBackLockRestsOnItsOwner(t *testing.T) {
	t.Parallel()
	for v, meddle := range map[string]item{
		"mel":  {"PK": str("MEM#d41c07"), "SK": str("PROFILE"), "email": str("mel@lgp30.test"), "username": str("third")}, // it held mel_k
		"alan": {"PK": str("MEM#" + "a11a11"), "SK": str("PROFILE"), "email": str("x@y.test"), "username": str("x")},      // its owner was gone
	} {
		f := start(t)
		table := f.owners()
		before := f.get("members", handle(v))
		done := f.apply(f.plan(table, "username", v))
		p, err := f.undo(table, done)
		if err != nil {
			t.Fatal(err)
		}
		if v == "alan" { // the owner comes back under its own key
			meddle["PK"] = before["memberId"]
		}
		f.put("members", meddle)
		if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused {
			t.Errorf("%s: its owner is another, and it was %s", v, r.Outcome)
		}
		f.delete("members", at(meddle))
		if v == "mel" {
			f.put("members", more(meddle, strs("username", "mel_k")))
		}
		f.apply(f.undo(table, done))
		if got := f.get("members", handle(v)); !reflect.DeepEqual(got, before) {
			t.Errorf("%s: the lock is %v; want %v", v, got, before)
		}
	}
	// Another account now claims the value, so the lock would name the wrong account.
	f := start(t)
	table := f.owners()
	done := f.apply(f.plan(table, "username", "mel"))
	f.put("members", item{"PK": str("MEM#new"), "SK": str("PROFILE"), "email": str("n@example.net"), "username": str("mel")})
	p, err := f.undo(table, done)
	f.mustNot(plan.Changed, p, err)
}
