package change_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// killed applies a plan, and stops the process's work with a panic as soon as the change reaches a stage.
func (f *fixture) killed(p *plan.Plan, stage string) {
	f.t.Helper()
	defer func() { _ = recover() }()
	f.changer.Apply(f.t.Context(), p, func(p change.Progress) {
		if string(p.Stage) == stage {
			panic("killed") // no later code of the change runs
		}
	})
	f.t.Fatalf("it never came to %s", stage)
}

// An interrupted release is resolved from its journal: it is finished, or its mark is removed.
func TestAnInterruptedRelease(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		stage   string
		choices string
	}{
		{"mark", ""}, // the mark may still arrive
		{"wait", "take off!, finish"},
		{"look", "take off!, finish"},
		{"delete", "take off!, finish"},
	} {
		for _, do := range []change.Action{change.TakeOff, change.Finish} {
			t.Run(tc.stage+", "+string(do), func(t *testing.T) {
				f := start(t)
				table := f.open("accounts")
				f.killed(f.mustPlan(table, "username", "alan"), tc.stage)
				if s := f.examine(table); choices(s) != tc.choices || s.Outcome != journal.Unknown {
					t.Fatalf("%s, %s, choices %s; want %s", s.Outcome, s.Words, choices(s), tc.choices)
				}
				if tc.stage == "mark" {
					f.later(17 * time.Minute)
					f.resolve(table, change.Close, journal.Refused)
					return
				}
				want := journal.Refused
				if do == change.Finish {
					want = journal.Applied
				}
				f.resolve(table, do, want)
				lock := f.get("accounts", handle("alan"))
				if (lock == nil) != (do == change.Finish) || (lock != nil && len(lock) != 2) {
					t.Errorf("the lock is %v", lock)
				}
			})
		}
	}
}

// The answer to the deletion of a release is lost.
func TestALostDeletion(t *testing.T) {
	t.Parallel()
	remove := func(body []byte) bool { return strings.Contains(string(body), `"Delete"`) }
	taken := func(f *fixture) { f.put("accounts", handle("alan")) }
	deleted := func(f *fixture) { f.delete("accounts", handle("alan")) }
	for name, tc := range map[string]struct {
		arrives bool
		after   time.Duration
		meddle  func(*fixture)
		outcome journal.Outcome // the outcome according to reads
		choices string
		do      change.Action
		want    journal.Outcome
	}{
		"it arrived":                               {true, 0, nil, journal.Unknown, "send again", change.SendAgain, journal.Applied},
		"it arrived an hour ago":                   {true, time.Hour, nil, journal.Unknown, "give up!", change.GiveUp, journal.Unknown},
		"it never arrived; deleted by hand":        {false, 0, deleted, journal.Unknown, "send again", change.SendAgain, journal.Refused},
		"and its next holder has gone, too":        {false, time.Hour, func(f *fixture) { taken(f); deleted(f) }, journal.Unknown, "give up!", change.GiveUp, journal.Unknown},
		"it never arrived, and is sent again":      {false, time.Hour, nil, journal.Unknown, "take off!, finish", change.Finish, journal.Applied},
		"it never arrived, and the mark goes":      {false, time.Hour, nil, journal.Unknown, "take off!, finish", change.TakeOff, journal.Refused},
		"it arrived, and somebody has the value":   {true, 0, taken, journal.Unknown, "send again", change.SendAgain, journal.Applied},
		"it never arrived, and somebody put it":    {false, 0, taken, journal.Unknown, "send again", change.SendAgain, journal.Refused},
		"it arrived, and an hour later is unclear": {true, time.Hour, taken, journal.Unknown, "give up!", change.GiveUp, journal.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			table := f.open("accounts")
			p := f.mustPlan(table, "username", "alan")
			lost := func(operation string, body []byte) error {
				if operation == "TransactWriteItems" && remove(body) {
					return errCut
				}
				return nil
			}
			if tc.arrives {
				f.after = lost
			} else {
				f.before = lost
			}
			if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Unknown {
				t.Fatalf("%s %v", r.Outcome, r.Reasons)
			}
			f.found()
			if tc.meddle != nil {
				tc.meddle(f)
			}
			f.later(tc.after)
			if s := f.examine(table); s.Outcome != tc.outcome || choices(s) != tc.choices {
				t.Fatalf("%s, %s, choices %s; want %s, %s", s.Outcome, s.Words, choices(s), tc.outcome, tc.choices)
			}
			before := f.get("accounts", handle("alan"))
			r := f.resolve(table, tc.do, tc.want)
			lock := f.get("accounts", handle("alan"))
			if gone := before == nil || tc.do == change.Finish; gone != (lock == nil) || (lock != nil && len(lock) != 2) {
				t.Errorf("the lock is %v, and was %v", lock, before)
			}
			if why := plan.WhyNotUndoable(f.record(r.ID), planOf(f.record(r.ID))); (why == "") != (tc.want == journal.Applied) {
				t.Errorf("it is %s, and whether it can be undone: %q", tc.want, why)
			}
		})
	}
}

// Another operator has replaced the mark, or somebody has taken or deleted the lock: the change is only closed, and
// nothing is deleted.
func TestAMarkThatIsGone(t *testing.T) {
	t.Parallel()
	for name, meddle := range map[string]func(*fixture){
		"taken over": func(f *fixture) {
			f.put("accounts", more(handle("alan"), strs(schema.MarkAttribute, "somebody else's")))
		},
		"taken":   func(f *fixture) { f.put("accounts", handle("alan")) },
		"deleted": func(f *fixture) { f.delete("accounts", handle("alan")) },
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			table := f.open("accounts")
			f.killed(f.mustPlan(table, "username", "alan"), "look")
			meddle(f)
			before := f.get("accounts", handle("alan"))
			f.resolve(table, change.Close, journal.Refused)
			if got := f.get("accounts", handle("alan")); !reflect.DeepEqual(got, before) {
				t.Errorf("the lock is %v, and was %v", got, before)
			}
		})
	}
}

// To finish a release, the program reads every item again: an account that took the value after the mark keeps its
// lock.
func TestFinishingLooksAnew(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts")
	f.killed(f.mustPlan(table, "username", "alan"), "wait")
	// This writer breaks the protocol: it leaves the marked lock unchanged.
	f.put("accounts", item{"PK": str("ACCT#new"), "SK": str("PROFILE"), "email": str("n@example.net"), "username": str("alan")})
	r := f.resolve(table, change.Finish, journal.Refused)
	if codes(r.Reasons) != plan.Held {
		t.Errorf("%v; want held", r.Reasons)
	}
	if lock := f.get("accounts", handle("alan")); len(lock) != 2 {
		t.Errorf("the lock is %v", lock)
	}
}

// A misspelt lock is replaced with a mark and a look: one transaction deletes the wrong lock and puts the right one.
func TestAnInterruptedReplacementIsFinished(t *testing.T) {
	for _, do := range []change.Action{change.Finish, change.TakeOff} {
		f, table := misspelt(t, "")
		p, err := f.planReplace(table)
		if err != nil {
			t.Fatal(err)
		}
		before := f.dump("odd")
		f.killed(p, "look")
		want := journal.Refused
		if do == change.Finish {
			want = journal.Applied
		}
		f.resolve(table, do, want)
		if done := f.get("odd", emailLock("Ada@x.io")) != nil && f.get("odd", emailLock("ada@x.io")) == nil; done != (do == change.Finish) {
			t.Errorf("%s: the table is %v", do, f.dump("odd"))
		}
		if do == change.TakeOff && !reflect.DeepEqual(f.dump("odd"), before) {
			t.Errorf("the table is %v, and was %v", f.dump("odd"), before)
		}
	}
}

// A crash interrupted several releases: they are finished together, with one look.
func TestSeveralMarksAreFinishedWithOneLook(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts", func(o *dynamo.Options) { o.AutoReadUnits = 1e-9 })
	var rels []*verdict.Relation
	for _, v := range []string{"alan", "turing", "ada"} {
		rels = append(rels, f.lockOf(table, "username", v))
	}
	b, err := change.PlanReleases(t.Context(), table, rels...)
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { _ = recover() }()
		f.changer.ApplyAll(t.Context(), b.Plans, func(p change.Progress) {
			if p.Stage == "look" {
				panic("killed")
			}
		})
	}()
	records, err := f.changer.Journal.Records()
	if err != nil {
		t.Fatal(err)
	}
	var all []*change.Resolution
	for _, r := range journal.Unresolved(records) {
		s, err := f.changer.Examine(t.Context(), table.Connection(), r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	f.sent = nil
	var got []string
	for n, r := range f.changer.ResolveAll(context.Background(), all, change.Finish, nil) {
		got = append(got, fmt.Sprint(b.Plans[n].Value, " ", r.Outcome))
	}
	if want := "alan applied, turing applied, ada refused"; strings.Join(got, ", ") != want {
		t.Errorf("%v; want %s", got, want)
	}
	looks := 0
	for _, operation := range f.sent {
		if operation == "Scan" {
			looks++
		}
	}
	if limit := 2 + len(all); looks > limit { // opening the table also scans it, for a sample
		t.Errorf("%d scans; want %d at most", looks, limit)
	}
	f.closed()
	for v, there := range map[string]bool{"alan": false, "turing": false, "ada": true} {
		if lock := f.get("accounts", handle(v)); (lock != nil) != there || len(lock) > 2 {
			t.Errorf("the lock of %s is %v", v, lock)
		}
	}
}

// TestADeletionIsSentAgainAsItWasSent kills a process between the sending of a deletion and its answer. The look has
// added a condition to the deletion. Every resending is the same request, and the journal has that request.
func TestADeletionIsSentAgainAsItWasSent(t *testing.T) {
	t.Parallel()
	completed := func(f *fixture) {
		lock := row("EMAIL#alan@x.io", "LOCK", "confirmedAt", "2026-01-01")
		lock[schema.MarkAttribute] = f.get("odd", row("EMAIL#alan@x.io", "LOCK"))[schema.MarkAttribute]
		f.put("odd", lock)
	}
	for name, tc := range map[string]struct {
		arrives bool
		after   time.Duration
		meddle  func(*fixture)
		do      change.Action
		want    journal.Outcome
		stays   bool // the lock stays
	}{
		"it arrived":                {true, 0, nil, change.SendAgain, journal.Applied, false},
		"it never arrived":          {false, 0, nil, change.Finish, journal.Applied, false},
		"it never arrived for long": {false, 17 * time.Minute, nil, change.Finish, journal.Applied, false},
		"the sign-up was completed": {false, 0, completed, change.Finish, journal.Unknown, true},
		"its mark is removed":       {false, 0, nil, change.TakeOff, journal.Refused, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			f.create("odd")
			f.put("odd", row("USER#1", "PROFILE", "email", "ada@x.io"), row("EMAIL#ada@x.io", "LOCK"), row("EMAIL#alan@x.io", "LOCK"))
			table := f.described(emails())
			p, err := f.plan(table, "email", "alan@x.io")
			if err != nil {
				t.Fatal(err)
			}
			f.put("odd", row("EMAIL#ada@x.io", "LOCK", "confirmedAt", "2026-01-01")) // only the look reads this
			var sent [][]byte
			cut := func(operation string, body []byte) error {
				if operation != "TransactWriteItems" || !deletes(body) {
					return nil
				}
				sent = append(sent, body)
				return errCut
			}
			if f.before = cut; tc.arrives {
				f.before, f.after = nil, cut
			}
			f.killed(p, string(change.StageAskAgain))
			f.changer = f.operator("another") // a new process
			f.later(tc.after)
			f.after, f.before = nil, func(operation string, body []byte) error {
				if operation == "TransactWriteItems" && deletes(body) {
					sent = append(sent, body)
				}
				return nil
			}
			if tc.meddle != nil {
				tc.meddle(f)
			}
			s := f.examine(table)
			r := f.changer.Resolve(t.Context(), s, tc.do, nil)
			if r.Outcome != tc.want || r.Err != nil {
				t.Errorf("%s %v %v, of the choices %s; want %s", r.Outcome, r.Reasons, r.Err, choices(s), tc.want)
			}
			if there := f.get("odd", row("EMAIL#alan@x.io", "LOCK")) != nil; there != tc.stays {
				t.Errorf("the lock is there: %v", there)
			}
			if again := len(sent) - 1; again != 1 && tc.do != change.TakeOff {
				t.Errorf("it was sent again %d times", again)
			}
			plan := planOf(f.record(p.ID))
			if !lacks(plan.Steps[1].Writes[0], "confirmedAt") {
				t.Errorf("the journal's deletion has only the conditions %v", plan.Steps[1].Writes[0].If)
			}
			body, err := plan.Steps[1].Body()
			for n, one := range sent {
				if err != nil || !bytes.Equal(one, body) {
					t.Errorf("sending %d is\n%s\nand the journal has\n%s (%v)", n+1, one, body, err)
				}
			}
		})
	}
}

// A deletion never arrived. Other locks now have an attribute that the first look had not seen. The deletion does not
// require that its lock lacks this attribute, so it is not sent again.
func TestADeletionIsNotSentAgainWithoutAConditionOfTheSecondLook(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	f.put("odd", row("USER#1", "PROFILE", "email", "ada@x.io"), row("EMAIL#ada@x.io", "LOCK"), row("EMAIL#alan@x.io", "LOCK"))
	table := f.described(emails())
	p, err := f.plan(table, "email", "alan@x.io")
	if err != nil {
		t.Fatal(err)
	}
	f.before = func(operation string, body []byte) error {
		if operation == "TransactWriteItems" && deletes(body) {
			return errCut
		}
		return nil
	}
	f.killed(p, string(change.StageAskAgain))
	f.before = nil
	f.changer = f.operator("another")
	f.later(30 * time.Minute)
	f.put("odd", row("EMAIL#ada@x.io", "LOCK", "confirmedAt", "2026-01-01"))
	r := f.changer.Resolve(t.Context(), f.examine(table), change.Finish, nil)
	if r.Outcome != journal.Refused || len(r.Reasons) != 1 || !strings.Contains(r.Reasons[0].Text, "confirmedAt") {
		t.Errorf("%s %v %v", r.Outcome, r.Reasons, r.Err)
	}
	if lock := f.get("odd", row("EMAIL#alan@x.io", "LOCK")); len(lock) != 2 {
		t.Errorf("the lock is %v", lock)
	}
}

// A repair of a counter is planned again if the counter moves: its receipt still names the finding.
func TestAReplannedRepairKeepsItsFinding(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.put("posts", item{"id": num("50")})
	table := f.open("posts")
	mends, err := f.changer.PlanMends(t.Context(), table, f.checked(table)...)
	if err != nil {
		t.Fatal(err)
	}
	var plans []*plan.Plan
	for _, m := range mends {
		plans = append(plans, m.Plan)
	}
	moved := false
	f.before = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" && !moved {
			moved = true
			f.put("posts", item{"id": num("-1"), "__max_hash_key__": num("45")})
		}
		return nil
	}
	for _, r := range f.changer.ApplyAll(t.Context(), plans, nil) {
		if r.Plan.Live.Request.Finding == nil {
			t.Errorf("%s: the receipt's plan has no finding: %+v", r.Outcome, r.Plan.Live.Request)
		}
	}
	if !moved {
		t.Error("no counter was changed")
	}
}
