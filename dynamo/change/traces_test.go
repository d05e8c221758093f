package change_test

import (
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded"
	"tallylock/internal/fault"
)

// X2: the lock of a sign-up is visible, but its account is not yet. A look after the spread finds the account. Without
// this wait, the lock of a live value is deleted: this is the reason for the settle time.
func TestX2AnAccountThatIsNotVisibleYet(t *testing.T) {
	t.Parallel()
	for _, settle := range []time.Duration{worldSpread, 0} {
		now := time.Now()
		for seed := uint64(1); ; seed++ {
			if seed == 100 {
				t.Fatal("the lock is never visible alone")
			}
			clock := func() time.Time { return now }
			f := start(t, embedded.WithClock(clock), fault.WithDelays(fault.Delays{Seed: seed, Spread: worldSpread, Now: clock}))
			if !f.signUp("accounts", "ACCT#new", "new") {
				t.Fatal("nobody can sign up")
			}
			if f.get("accounts", handle("new")) == nil || f.get("accounts", profile("new")) != nil {
				continue
			}
			p := f.mustPlan(f.open("accounts", func(o *dynamo.Options) { o.Settle = time.Nanosecond }), "username", "new")
			waited := false
			r := f.changer.Apply(t.Context(), p, func(p change.Progress) {
				if p.Stage == "wait" && !waited {
					waited = true
					now = now.Add(settle)
				}
			})
			now = now.Add(worldSpread)
			lock := f.get("accounts", handle("new"))
			if settle > 0 && (r.Outcome != journal.Refused || codes(r.Reasons) != plan.Held || len(lock) != 2) {
				t.Errorf("%s %v, and the lock is %v; want held", r.Outcome, r.Reasons, lock)
			}
			if settle == 0 && (r.Outcome != journal.Applied || lock != nil) {
				t.Errorf("%s %v without a wait; nothing shows that it is needed", r.Outcome, r.Reasons)
			}
			break
		}
	}
}

// X3: the holder gives up the value before A is read, and A takes the value after A was read.
func TestX3TakenAfterItsAccountWasRead(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.move(s.b, "", "v")
	p := s.mustPlan(s.table, "username", "v")
	s.steps["page 1"] = func() { s.move(s.b, "v", "") }
	s.steps["delete"] = func() { s.move(s.a, "", "v") }
	s.keeps(s.release(p), "v")
}

// X4: A gives up the value while A is read. Afterwards A or B takes the value, so the lock is the same as before.
func TestX4AwayAndBack(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]func(*stage){
		"A takes it back": func(s *stage) { s.move(s.a, "w", "v") },
		"B takes it":      func(s *stage) { s.move(s.b, "", "v") },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.move(s.a, "", "v")
			p := s.mustPlan(s.table, "username", "v")
			s.steps["page 2"] = func() { s.move(s.a, "v", "w") }
			s.steps["delete"] = func() { back(s) }
			s.keeps(s.release(p), "v")
		})
	}
}

// A changes its value during the look, before its page is read. Its transaction deletes the old lock. The release is
// refused, because no lock is left.
func TestTheLockIsGoneDuringTheLook(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.move(s.a, "", "v")
	p := s.mustPlan(s.table, "username", "v")
	s.steps["page 2"] = func() { s.move(s.a, "v", "w") }
	if r := s.release(p); r.Outcome != journal.Refused || s.get("odd", handle("v")) != nil || len(s.get("odd", handle("w"))) != 2 {
		t.Errorf("%s %v", r.Outcome, r.Reasons)
	}
}

// X6: the undo of a release requires that the accounts that claim the value stay the same.
func TestX6PutBack(t *testing.T) {
	t.Parallel()
	undo := func(s *stage) (*plan.Plan, error) {
		records, err := s.changer.Journal.Records()
		if err != nil {
			t.Fatal(err)
		}
		return planner.Undo(t.Context(), s.table.Connection(), records[0])
	}
	released := func(t *testing.T) *stage {
		s := newStage(t)
		s.table = s.open("odd", uniqPreset)
		s.put("odd", handle("v"))
		if r := s.release(s.mustPlan(s.table, "username", "v")); r.Outcome != journal.Applied {
			t.Fatal(r.Outcome, r.Reasons)
		}
		return s
	}
	t.Run("somebody has signed up", func(t *testing.T) {
		s := released(t)
		s.move(s.a, "", "v")
		if p, err := undo(s); err == nil {
			t.Errorf("%s was planned", p)
		}
	})
	t.Run("somebody signs up", func(t *testing.T) {
		s := released(t)
		p, err := undo(s)
		if err != nil {
			t.Fatal(err)
		}
		s.move(s.a, "", "v")
		if r := s.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused {
			t.Errorf("%s %v; want refused", r.Outcome, r.Reasons)
		}
	})
	t.Run("its claimant leaves", func(t *testing.T) {
		s := released(t)
		s.put("odd", row("ACCT#import", "PROFILE", "username", "v")) // by an import that does not know locks
		p, err := undo(s)
		if err != nil {
			t.Fatal(err)
		}
		checks := 0
		for _, w := range p.Steps[0].Writes {
			if w.Verb == client.Check {
				checks++
			}
		}
		if checks != 1 {
			t.Errorf("%d conditions on the claimant", checks)
		}
		s.delete("odd", row("ACCT#import", "PROFILE"))
		if r := s.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused || s.get("odd", handle("v")) != nil {
			t.Errorf("%s %v; want refused", r.Outcome, r.Reasons)
		}
	})
}

// X7: the deletion was applied, and its answer was lost. Another account signs up before the deletion is sent again.
func TestX7TheDeletionIsSentAgain(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.put("odd", handle("v"))
	p := s.mustPlan(s.table, "username", "v")
	lost := false
	s.after = func(operation string, body []byte) error {
		if operation == "TransactWriteItems" && s.seen["delete"] == 1 && !lost {
			lost = true
			return errCut
		}
		return nil
	}
	s.steps["delete again"] = func() { s.move(s.a, "", "v") }
	if r := s.release(p); r.Outcome != journal.Applied || len(s.get("odd", handle("v"))) != 2 {
		t.Errorf("%s %v, and the lock is %v; want it applied, and the lock of the new account left alone", r.Outcome, r.Reasons, s.get("odd", handle("v")))
	}
}

// X8: the first mark arrives late, on the lock of another account.
func TestX8TheFirstMarkLandsLate(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.move(s.a, "", "v")
	p := s.mustPlan(s.table, "username", "v")
	s.steps["mark again"] = func() {} // the first mark is still on its way
	s.steps["page 2"] = func() { s.move(s.a, "v", "w") }
	s.steps["delete"] = func() {
		s.move(s.b, "", "v")
		s.deliver(s.bodies[0])
	}
	first := true
	s.after = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" && first {
			first = false
			return errCut
		}
		return nil
	}
	s.keeps(s.release(p), "v")
}

// X8: the lock is deleted before it is marked, and the mark does not create a lock.
func TestX8MarkingMakesNoLock(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.put("odd", handle("v"))
	p := s.mustPlan(s.table, "username", "v")
	s.steps["mark"] = func() { s.delete("odd", handle("v")) }
	if r := s.release(p); r.Outcome != journal.Refused || s.get("odd", handle("v")) != nil {
		t.Errorf("%s %v, and the lock is %v", r.Outcome, r.Reasons, s.get("odd", handle("v")))
	}
}
