package change_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
)

// planAll plans to release handles together, from a table too large to be read
// unasked.
func (f *fixture) planAll(values ...string) (*dynamo.Table, *change.Batch) {
	f.t.Helper()
	table := f.open("accounts", func(o *dynamo.Options) { o.AutoReadUnits = 1e-9 })
	var rels []*verdict.Relation
	for _, v := range values {
		rels = append(rels, f.lockOf(table, "username", v))
	}
	b, err := change.PlanReleases(f.t.Context(), table, rels...)
	if err != nil {
		f.t.Fatal(err)
	}
	return table, b
}

func outcomes(receipts []change.Receipt) string {
	var out []string
	for _, r := range receipts {
		text := fmt.Sprint(r.Plan.Value, " ", r.Outcome)
		if c := codes(r.Reasons); c != "" {
			text += " " + c
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// Several locks have a mark and transactions of their own, and share one wait and one look. Each lock has its own
// result of the look.
func TestSeveralReleasesShareOneLook(t *testing.T) {
	t.Parallel()
	f := start(t)
	table, b := f.planAll("alan", "turing", "ada", "nobody")
	if len(b.Plans) != 3 || outcomes(b.Refused) != "nobody refused Absent" {
		t.Fatalf("%d plans, %s; want 3, and nobody is absent", len(b.Plans), outcomes(b.Refused))
	}
	single := f.mustPlan(table, "username", "alan").Price
	if b.Price.WriteUnits != 3*single.WriteUnits || b.Price.ReadUnits != single.ReadUnits {
		t.Errorf("the price is %+v; one costs %+v, and the look is paid once", b.Price, single)
	}
	f.sent = nil
	marks := map[string]bool{}
	f.before = func(operation string, body []byte) error {
		if operation != "TransactWriteItems" {
			return nil
		}
		var request struct {
			TransactItems []struct {
				Update struct {
					UpdateExpression          string
					ExpressionAttributeValues map[string]map[string]string
				}
			}
		}
		if err := json.Unmarshal(body, &request); err != nil {
			t.Error(err)
		}
		if len(request.TransactItems) != 1 {
			t.Errorf("a transaction of %d actions", len(request.TransactItems))
		}
		if u := request.TransactItems[0].Update; strings.HasPrefix(u.UpdateExpression, "SET") {
			_, alias, _ := strings.Cut(u.UpdateExpression, " = ")
			marks[u.ExpressionAttributeValues[alias]["S"]] = true
		}
		return nil
	}
	var stages []string
	done := 0
	receipts := f.changer.ApplyAll(t.Context(), b.Plans, func(p change.Progress) {
		if len(stages) == 0 || stages[len(stages)-1] != string(p.Stage) {
			stages = append(stages, string(p.Stage))
		}
		if p.AllLocks != 3 {
			t.Errorf("%s: of %d locks", p.Stage, p.AllLocks)
		}
		done = max(done, p.Locks)
	})
	if want := "alan applied, turing applied, ada refused Held"; outcomes(receipts) != want {
		t.Errorf("%s; want %s", outcomes(receipts), want)
	}
	looks := strings.Count(strings.Join(f.sent, " "), "Scan")
	if looks != 1 || len(marks) != 3 || done == 0 {
		t.Errorf("%d looks, %d marks, progress up to %d", looks, len(marks), done)
	}
	if got := strings.Join(stages, " "); got != "mark wait look unmark delete" {
		t.Errorf("stages %s", got)
	}
	if receipts[0].ReadUnits == 0 || receipts[1].ReadUnits != 0 || len(receipts[1].Reads) == 0 {
		t.Errorf("the look was paid %g and %g units", receipts[0].ReadUnits, receipts[1].ReadUnits)
	}
	for v, there := range map[string]bool{"alan": false, "turing": false, "ada": true} {
		if lock := f.get("accounts", handle(v)); (lock != nil) != there || len(lock) > 2 {
			t.Errorf("the lock of %s is %v", v, lock)
		}
	}
	if n := f.closed(); n[journal.Applied] != 2 || n[journal.Refused] != 1 {
		t.Errorf("the journal has %v", n)
	}
}

// If a batch is cancelled, all of its marks are removed, at any stage. Releases that have not begun do not begin.
func TestACancelledBatchTakesItsMarksOff(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"mark", "wait", "look"} {
		f := start(t)
		_, b := f.planAll("alan", "turing", "ada")
		ctx, cancel := context.WithCancel(t.Context())
		receipts := f.changer.ApplyAll(ctx, b.Plans, func(p change.Progress) {
			if string(p.Stage) == stage && (stage != "mark" || p.Locks == 1) {
				cancel()
			}
		})
		for _, r := range receipts {
			if r.Outcome == journal.Applied || (client.KindOf(r.Err) != client.Cancelled && !strings.Contains(codes(r.Reasons), "NoAnswer")) {
				t.Errorf("%s: %s %s %v %v", stage, r.Plan.Value, r.Outcome, r.Reasons, r.Err)
			}
		}
		for _, v := range []string{"alan", "turing", "ada"} {
			if lock := f.get("accounts", handle(v)); len(lock) != 2 {
				t.Errorf("%s: the lock of %s is %v", stage, v, lock)
			}
		}
		cancel()
	}
}

// Somebody takes one value while the batch waits: the other lock is still released.
func TestABatchMindsEachLock(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"wait", "look", "delete"} {
		f := start(t)
		_, b := f.planAll("alan", "turing")
		taken := false
		receipts := f.changer.ApplyAll(t.Context(), b.Plans, func(p change.Progress) {
			if string(p.Stage) == stage && !taken {
				taken = true
				f.put("accounts", item{"PK": str("ACCT#new"), "SK": str("PROFILE"), "email": str("n@example.net"), "username": str("alan")})
				f.put("accounts", handle("alan"))
			}
		})
		if receipts[0].Outcome != journal.Refused || receipts[1].Outcome != journal.Applied {
			t.Errorf("taken at %s: %s", stage, outcomes(receipts))
		}
		if lock := f.get("accounts", handle("alan")); len(lock) != 2 {
			t.Errorf("taken at %s: the new holder's lock is %v", stage, lock)
		}
	}
}

// The release of very many orphaned locks together may be a mistake, so their number has to be typed.
func TestManyOrphansAskForTheirNumber(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	var rels []*verdict.Relation
	var rows []item
	for n := range 60 {
		v := fmt.Sprintf("p%d", n)
		rows = append(rows, handle(v))
		if n%2 != 0 {
			rows = append(rows, row(fmt.Sprintf("ACCT#%d", n), "PROFILE", "username", v))
		}
	}
	f.put("odd", rows...)
	table := f.open("odd")
	for n := range 25 {
		rels = append(rels, f.lockOf(table, "username", fmt.Sprintf("p%d", 2*n)))
	}
	b, err := change.PlanReleases(t.Context(), table, rels...)
	if err != nil {
		t.Fatal(err)
	}
	if b.Typed != "25" {
		t.Errorf("25 of 60 locks are released where %q is typed; want 25", b.Typed)
	}
	if handed, err := f.handed(b.Plans...).Releases(t.Context(), table); err != nil || handed.Typed != "25" || len(handed.Plans) != 25 {
		t.Errorf("handed over, %d are released where %q is typed, %v; want 25", len(handed.Plans), handed.Typed, err)
	}
	if b, err = change.PlanReleases(t.Context(), table, rels[:3]...); err != nil || b.Typed != "" {
		t.Errorf("of 3 locks %q has to be typed, %v", b.Typed, err)
	}
}

// Locks that name their owners need no look. They can be released together with locks that need one.
func TestABatchOfBothKinds(t *testing.T) {
	t.Parallel()
	f := start(t)
	members := f.owners(func(o *dynamo.Options) { o.Settle = time.Hour })
	b, err := change.PlanReleases(t.Context(), members, f.lockOf(members, "username", "alan"), f.lockOf(members, "username", "mel"))
	if err != nil {
		t.Fatal(err)
	}
	_, more := f.planAll("alan", "turing")
	receipts := f.changer.ApplyAll(t.Context(), append(b.Plans, more.Plans...), nil)
	if got := outcomes(receipts); got != "alan applied, mel applied, alan applied, turing applied" {
		t.Error(got)
	}
	if f.closed()[journal.Applied] != 4 {
		t.Error("the journal knows of others")
	}
}

// A batch that is stopped has time to remove each of its marks, however long it has run. If the endpoint does not
// answer, the batch does not try every mark.
func TestEachMarkHasItsTime(t *testing.T) {
	t.Parallel()
	twoSteps := func(o *dynamo.Options) {
		o.Settle, o.AutoReadUnits = time.Hour, 1e-9
		o.Layouts = []config.Layout{{Name: "slow", Tables: []string{"accounts"}, Accounts: []config.Account{{
			PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{{Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK", MultiTransaction: true}},
		}}}}
	}
	for name, silent := range map[string]bool{"they are taken off": false, "nobody answers": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := start(t)
				table := f.open("accounts", twoSteps)
				var rels []*verdict.Relation
				for _, v := range []string{"ada", "x0", "turing", "x1", "x2"} {
					f.put("accounts", handle(v))
					rels = append(rels, f.lockOf(table, "username", v))
				}
				b, err := change.PlanReleases(t.Context(), table, rels...)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				waits, last, stopped := 0, "", time.Time{}
				receipts := f.changer.ApplyAll(ctx, b.Plans, func(p change.Progress) {
					if p.Stage == "wait" && last != "wait" {
						waits++
					}
					last = string(p.Stage)
					if waits == 2 && p.Done > time.Minute.Milliseconds() && stopped.IsZero() {
						if silent {
							f.before = func(string, []byte) error { time.Sleep(4 * time.Second); return errCut }
						}
						stopped = time.Now()
						cancel()
					}
				})
				took := time.Since(stopped)
				f.found()
				marks := 0
				for _, r := range receipts {
					if len(f.get("accounts", handle(r.Plan.Value))) > 2 {
						marks++
					}
				}
				if want := map[bool]int{false: 0, true: 4}[silent]; marks != want || took > 30*time.Second {
					t.Errorf("%d marks are left after %v; want %d: %s", marks, took, want, outcomes(receipts))
				}
				if silent && !strings.HasSuffix(outcomes(receipts), "x2 refused MarkLeft") {
					t.Error(outcomes(receipts))
				}
			})
		})
	}
}

// Without a network, the other changes are not tried one after the other.
func TestWhatIsLeftIsNotTriedWithoutANetwork(t *testing.T) {
	t.Parallel()
	f, table := versioned(t)
	var plans []*plan.Plan
	for _, id := range []string{"ada", "bob", "carol"} {
		p, err := planner.DeleteAccount(t.Context(), table, f.valueOf(table, id, "email").Account.Key)
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, p)
	}
	plans = append(plans, f.mustPlan(f.open("accounts"), "username", "alan"))
	sent := f.lose(false)
	receipts := f.changer.ApplyAll(t.Context(), plans, nil)
	tokens := map[string]bool{}
	for _, body := range *sent {
		for _, p := range plans {
			for _, s := range p.Steps {
				if strings.Contains(string(body), s.Token) {
					tokens[s.Token] = true
				}
			}
		}
	}
	if len(tokens) != 1 || receipts[0].Outcome != journal.Unknown {
		t.Errorf("%d changes were sent; the first is %s", len(tokens), receipts[0].Outcome)
	}
	for _, r := range receipts[1:] {
		if r.Outcome != journal.Refused || r.Err == nil {
			t.Errorf("%s: %s %v", r.Plan, r.Outcome, r.Err)
		}
	}
}

// If a mark fails for a reason that would also stop the other locks, the batch ends. The receipts of the other locks
// have the time of this end.
func TestReleasesAfterAFailedMarkSayWhenTheyEnded(t *testing.T) {
	t.Parallel()
	f := start(t)
	_, b := f.planAll("alan", "turing", "ada")
	f.lose(false)
	for n, r := range f.changer.ApplyAll(t.Context(), b.Plans, nil) {
		if r.Done.IsZero() || (codes(r.Reasons) == "NotTried") != (n > 0) {
			t.Errorf("%s ended at %s: %s %s", r.Plan, r.Done, r.Outcome, codes(r.Reasons))
		}
	}
}
