package change_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

func TestReleaseOfALockThatNamesNobody(t *testing.T) {
	t.Parallel()
	f := start(t)
	p := f.mustPlan(f.open("accounts"), "username", "alan")
	if f.writes() != 0 {
		t.Fatal("planning wrote")
	}
	var stages []string
	r := f.changer.Apply(t.Context(), p, func(p change.Progress) {
		if len(stages) == 0 || stages[len(stages)-1] != string(p.Stage) {
			stages = append(stages, string(p.Stage))
		}
	})
	if r.Outcome != journal.Applied || r.Err != nil || r.Done.IsZero() {
		t.Fatalf("%s %v %v, done %v; want applied", r.Outcome, r.Reasons, r.Err, r.Done)
	}
	if got := strings.Join(stages, " "); got != "mark wait look delete" {
		t.Errorf("stages %s; want mark, wait, look, delete", got)
	}
	if f.get("accounts", handle("alan")) != nil {
		t.Error("the lock is still there")
	}
}

func TestReleaseRefusesWhatSomebodyHolds(t *testing.T) {
	t.Parallel()
	f := start(t)
	for _, tc := range []struct{ table, constraint, value, code string }{
		{"accounts", "username", "ada", plan.Held},
		{"accounts", "email", "margaret.hamilton@draper.test", plan.Held},
		{"accounts", "username", "nobody", plan.Absent},
		{"accounts", "username", "hopper", plan.Absent},
		{"members", "username", "mhamilton", plan.Held},
	} {
		_, err := f.plan(f.open(tc.table), tc.constraint, tc.value)
		refusal, ok := errors.AsType[*plan.Refusal](err)
		if !ok || codes(refusal.Reasons) != tc.code {
			t.Errorf("%s %s %s: %v; want %s", tc.table, tc.constraint, tc.value, err, tc.code)
		}
	}
	if f.writes() != 0 {
		t.Error("a refusal wrote")
	}
}

// The table is too large to be read for the plan, so the look decides.
func TestTheLookDecidesWhereTheVerdictIsUnknown(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts", func(o *dynamo.Options) { o.AutoReadUnits = 0.001 })

	r := f.changer.Apply(t.Context(), f.mustPlan(table, "username", "ada"), nil)
	if r.Outcome != journal.Refused || codes(r.Reasons) != plan.Held {
		t.Errorf("release of ada: %s %v; want refused, held", r.Outcome, r.Reasons)
	}
	if lock := f.get("accounts", handle("ada")); len(lock) != 2 {
		t.Errorf("the lock of ada is %v; want it as it was, without a mark", lock)
	}
	if r := f.changer.Apply(t.Context(), f.mustPlan(table, "username", "alan"), nil); r.Outcome != journal.Applied {
		t.Errorf("release of alan: %s %v; want applied", r.Outcome, r.Reasons)
	}
}

// Somebody signs up with the value while the release waits: the application's Put removes the mark, so the deletion is
// refused.
func TestAValueTakenMeanwhileIsNotFreed(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"wait", "look", "delete"} {
		f := start(t)
		p := f.mustPlan(f.open("accounts"), "username", "alan")
		taken := false
		r := f.changer.Apply(t.Context(), p, func(p change.Progress) {
			if string(p.Stage) == stage && !taken {
				taken = true
				f.put("accounts", item{"PK": str("ACCT#new"), "SK": str("PROFILE"), "email": str("n@example.net"), "username": str("alan")})
				f.put("accounts", handle("alan"))
			}
		})
		if r.Outcome != journal.Refused || len(r.Reasons) == 0 {
			t.Errorf("taken at %s: %s %v %v; want refused", stage, r.Outcome, r.Reasons, r.Err)
		}
		if lock := f.get("accounts", handle("alan")); len(lock) != 2 {
			t.Errorf("taken at %s: the new holder's lock is %v", stage, lock)
		}
	}
}

func TestACancelledReleaseTakesItsMarkOff(t *testing.T) {
	t.Parallel()
	f := start(t)
	p := f.mustPlan(f.open("accounts", func(o *dynamo.Options) { o.Settle = time.Hour }), "username", "alan")
	ctx, cancel := context.WithCancel(t.Context())
	marked := false
	r := f.changer.Apply(ctx, p, func(p change.Progress) {
		if p.Stage == "wait" && !marked {
			marked = len(f.get("accounts", handle("alan"))) == 3
			cancel()
		}
	})
	if !marked {
		t.Error("there was no mark while it waited")
	}
	if r.Outcome != journal.Refused || client.KindOf(r.Err) != client.Cancelled {
		t.Errorf("%s %v; want nothing written, cancelled", r.Outcome, r.Err)
	}
	if lock := f.get("accounts", handle("alan")); len(lock) != 2 {
		t.Errorf("the lock is %v; want it without a mark", lock)
	}
}

// The look begins only after the settle time, counted from the confirmation of the mark.
func TestTheLookBeginsAfterTheSettleTime(t *testing.T) {
	t.Parallel()
	f := start(t)
	const settle = 300 * time.Millisecond
	table := f.open("accounts", func(o *dynamo.Options) { o.Settle = settle; o.AutoReadUnits = 0.001 })
	p := f.mustPlan(table, "username", "alan")
	var marked, looked time.Time
	f.after = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" && marked.IsZero() {
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
	if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Applied {
		t.Fatal(r.Outcome, r.Reasons, r.Err)
	}
	if looked.Sub(marked) < settle {
		t.Errorf("the look began %v after the mark; want at least %v", looked.Sub(marked), settle)
	}
}

// A release sends the verbs that ReleaseVerbs returns beforehand.
func TestReleasesSendTheirVerbs(t *testing.T) {
	t.Parallel()
	f := start(t)
	named, unnamed := f.owners(), f.open("accounts")
	for _, tc := range []struct {
		table *dynamo.Table
		owner string
		verbs []client.Verb
	}{
		{unnamed, "", []client.Verb{client.Update, client.Delete}},
		{named, "ACCT#gone", []client.Verb{client.Delete}},
	} {
		p := f.mustPlan(tc.table, "username", "alan")
		for _, verb := range tc.verbs {
			if !slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.Writes[0].Verb == verb }) {
				t.Errorf("owner %q: no step begins with %s", tc.owner, verb)
			}
		}
		for _, kind := range []finding.Kind{finding.OrphanedLock, finding.StaleLock} {
			mend, release := mend.Verbs(kind, tc.owner), mend.ReleaseVerbs(tc.owner)
			if !slices.Equal(mend, tc.verbs) || !slices.Equal(release, tc.verbs) {
				t.Errorf("owner %q: a %s is mended by %v and released by %v; want %v", tc.owner, kind, mend, release, tc.verbs)
			}
		}
	}
	for is, kind := range map[verdict.Verdict]finding.Kind{
		verdict.Missing: finding.MissingLock, verdict.Foreign: finding.ForeignLock, verdict.Orphaned: finding.OrphanedLock, verdict.Stale: finding.StaleLock,
	} {
		r := verdict.Relation{Constraint: &layout.Constraint{}}
		r.Verdict = is
		if verbs, err := mend.Repairs(&r); err != nil || !slices.Equal(verbs, mend.Verbs(kind, "")) {
			t.Errorf("a %s is repaired by %v, %v; want as a %s", is, verbs, err, kind)
		}
	}
}

func TestReleaseByOwner(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.owners()
	for _, v := range []string{"alan", "mel"} {
		if r := f.changer.Apply(t.Context(), f.mustPlan(table, "username", v), nil); r.Outcome != journal.Applied {
			t.Errorf("release of %s: %s %v", v, r.Outcome, r.Reasons)
		}
		if f.get("members", handle(v)) != nil {
			t.Errorf("the lock of %s is still there", v)
		}
	}
}

// A lock may name its account only in its key. It is then released by owner, in one step, and this step is refused if
// the account exists again.
func TestReleaseByTheOwnerInTheKey(t *testing.T) {
	f := start(t)
	f.create("people")
	for n := range 30 {
		id := fmt.Sprint("u", n)
		if n != 7 {
			f.put("people", row("USER#"+id, "PROFILE", "username", fmt.Sprint("name", n)))
		}
		f.put("people", row(fmt.Sprint("USERNAME#name", n), "USER#"+id))
	}
	f.put("people", row("USERNAME#former", "USER#u3"))
	table := f.open("people")
	for v, id := range map[string]string{"name7": "u7", "former": "u3"} {
		rel, err := table.LockOf(t.Context(), "username", v, map[string]string{"id": id})
		if err != nil {
			t.Fatal(err)
		}
		p, err := planner.Release(t.Context(), table, rel, false)
		if err != nil || len(p.Steps) != 1 {
			t.Fatalf("%s: %+v %v; want one step", v, p, err)
		}
		want := journal.Applied
		if v == "name7" {
			f.put("people", row("USER#u7", "PROFILE", "username", "name7"))
			want = journal.Refused
		}
		if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != want {
			t.Errorf("%s: %s %v, want %s", v, r.Outcome, r.Reasons, want)
		}
	}
}

// The owner takes the value back between the planning and the sending: the reason says so.
func TestReleaseByOwnerIsRefusedWhenTheOwnerComesBack(t *testing.T) {
	t.Parallel()
	f := start(t)
	p := f.mustPlan(f.owners(), "username", "mel")
	f.put("members", item{"PK": str("MEM#d41c07"), "SK": str("PROFILE"), "email": str("mel@lgp30.test"), "username": str("mel")})
	r := f.changer.Apply(t.Context(), p, nil)
	if r.Outcome != journal.Refused || codes(r.Reasons) != "ConditionalCheckFailed" || r.Reasons[0].Slot != 1 {
		t.Fatalf("%s %v; want slot 1 refused", r.Outcome, r.Reasons)
	}
	if text := r.Reasons[0].Text; !strings.Contains(text, "MEM#d41c07") || !strings.Contains(text, "username is now mel, and was mel_k") {
		t.Errorf("the reason is %q", text)
	}

	p = f.mustPlan(f.owners(), "username", "alan")
	f.put("members", item{"PK": str("UNIQ#HANDLE#alan"), "SK": str("LOCK"), "memberId": str("MEM#a1f9c3")})
	r = f.changer.Apply(t.Context(), p, nil)
	if r.Outcome != journal.Refused || !strings.Contains(r.Reasons[0].Text, "memberId is now MEM#a1f9c3") {
		t.Errorf("%s %v; want the new owner named", r.Outcome, r.Reasons)
	}
}

// A mark that a crash has left is replaced, and does not prevent a release.
func TestALeftMarkIsTakenOver(t *testing.T) {
	t.Parallel()
	f := start(t)
	marked := handle("alan")
	marked[schema.MarkAttribute] = str("0123456789abcdef0123456789abcdef")
	f.put("accounts", marked)
	if r := f.changer.Apply(t.Context(), f.mustPlan(f.open("accounts"), "username", "alan"), nil); r.Outcome != journal.Applied {
		t.Errorf("%s %v", r.Outcome, r.Reasons)
	}
}

func TestALayoutWhoseWritersMoveValuesAsksForTheValue(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("members", func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"members"}, Accounts: []config.Account{{
			PK: "MEM#{id}", SK: "PROFILE", Constraints: []config.Constraint{{Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK", Owner: "memberId", Moves: true}},
		}}}}
	})
	p := f.mustPlan(table, "username", "mel")
	if p.Typed != "mel" || len(p.Steps) != 3 {
		t.Errorf("typed %q, %d steps; want the value typed, and a mark", p.Typed, len(p.Steps))
	}
}

// If writers move values, the repair of a misspelt lock requires the value to be typed, too. So it is not made among
// many repairs.
func TestAMisspeltLockWhoseWritersMoveValuesAsksForTheValue(t *testing.T) {
	f, table := misspelt(t, "1", func(o *dynamo.Options) { o.Layouts[0].Accounts[0].Constraints[0].Moves = true })
	p, err := f.planReplace(table)
	if err != nil || p.Typed != "Ada@x.io" || !p.Live.MustType || len(p.Steps) != 3 {
		t.Errorf("%v, %+v; want the value typed, and a mark", err, p)
	}
}

// An account whose attribute cannot be read may hold the value, so the lock stays.
func TestAnObscureAccountKeepsTheLock(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.put("accounts", item{
		"PK": str("ACCT#odd"), "SK": str("PROFILE"), "email": str("odd@example.net"),
		"username": mapOf("current", str("turing")),
	})
	_, err := f.plan(f.open("accounts"), "username", "turing")
	refused, ok := errors.AsType[*plan.Refusal](err)
	if !ok || codes(refused.Reasons) != plan.Asked || refused.Reasons[0].Asks.Attribute != "username.current" {
		t.Errorf("%v; want a question about username.current", err)
	}
}

// If the look is cut off at each attempt, nothing is deleted.
func TestAnIncompleteLookDeletesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		table := f.open("accounts", func(o *dynamo.Options) { o.AutoReadUnits = 0.001 })
		p := f.mustPlan(table, "username", "alan")
		f.before = func(operation string, _ []byte) error {
			if operation == "Scan" {
				return errCut
			}
			return nil
		}
		r := f.changer.Apply(t.Context(), p, nil)
		if r.Outcome != journal.Refused || r.Err == nil {
			t.Errorf("%s %v; want refused with the error", r.Outcome, r.Err)
		}
		if lock := f.get("accounts", handle("alan")); len(lock) != 2 {
			t.Errorf("the lock is %v; want it as it was", lock)
		}
	})
}
