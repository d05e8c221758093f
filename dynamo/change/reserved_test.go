package change_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/ui/say"
)

// claimed returns the lock of an e-mail, with the time at which it was put.
func claimed(v string, ago time.Duration, more ...string) item {
	return row("UNIQ#EMAIL#"+v, "LOCK", append(more, "claimedAt", time.Now().Add(-ago).UTC().Format(time.RFC3339))...)
}

// signups opens a table whose locks may be two days older than their accounts.
func (f *fixture) signups(owner string, locks ...item) *dynamo.Table {
	f.create("odd")
	for n := range 25 {
		who := fmt.Sprint(n)
		f.put("odd", row("ACCT#"+who, "PROFILE", "email", who+"@x.io"))
		locks = append(locks, claimed(who+"@x.io", 100*time.Hour, "owner", who))
	}
	for _, lock := range locks {
		f.put("odd", lock)
	}
	return f.open("odd", configured(config.Constraint{
		Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: owner, ReservedFor: "48h", ReservedSince: "claimedAt",
	}))
}

// A reserved lock is not released, and the refusal says until when it is reserved. A person can allow the release, and
// then has to type the value. After the time of the reservation, the lock is released like any other, but always with a
// mark: the application does not write its account in the same transaction.
func TestReleaseOfReservedLocks(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "owner"} {
		f := start(t)
		bare := row("UNIQ#EMAIL#bare@x.io", "LOCK", "owner", "gone")
		table := f.signups(owner, claimed("young@x.io", 47*time.Hour, "owner", "gone"), claimed("old@x.io", 49*time.Hour, "owner", "gone"), bare)
		for v, want := range map[string]string{
			"young@x.io": `The email "young@x.io" is reserved until`,
			"bare@x.io":  `The email "bare@x.io" may be reserved (the lock does not say since when)`,
		} {
			_, err := f.plan(table, "email", v)
			refused, ok := errors.AsType[*plan.Refusal](err)
			if !ok || codes(refused.Reasons) != plan.Reserved || !strings.HasPrefix(err.Error(), want) || !strings.Contains(say.Error(err), "--reserved") {
				t.Errorf("%s: %v", v, err)
			}
			p, err := planner.Release(t.Context(), table, f.lockOf(table, "email", v), true)
			if err != nil || p.Typed != v || !strings.Contains(p.Sentence, want) || p.Steps[0].Name != "mark" {
				t.Fatalf("%s: %+v, %v", v, p, err)
			}
			if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Applied || f.get("odd", row("UNIQ#EMAIL#"+v, "LOCK")) != nil {
				t.Errorf("%s: %+v", v, r)
			}
		}
		p := f.mustPlan(table, "email", "old@x.io")
		if p.Typed != "" || p.Steps[0].Name != "mark" {
			t.Errorf("owner %q: %+v", owner, p)
		}
		if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Applied {
			t.Errorf("owner %q: %+v", owner, r)
		}
	}
}

// Batches of releases, repairs, and changes of other accounts do not take reserved values.
func TestNothingElseTakesAReservedValue(t *testing.T) {
	f := start(t)
	table := f.signups("", claimed("young@x.io", time.Hour), claimed("old@x.io", 49*time.Hour), claimed("Ada@x.io", time.Hour))
	f.put("odd", row("ACCT#ada", "PROFILE", "email", "ada@x.io"))
	of := func(v string) *verdict.Relation { return f.lockOf(table, "email", v) }
	reserved := func(about string, err error) {
		t.Helper()
		if refused, ok := errors.AsType[*plan.Refusal](err); !ok || refused.Reasons[0].Code != plan.Reserved && !strings.Contains(err.Error(), "is reserved until") {
			t.Errorf("%s: %v", about, err)
		}
	}
	b, err := change.PlanReleases(t.Context(), table, of("young@x.io"), of("old@x.io"))
	if err != nil || len(b.Plans) != 1 || len(b.Refused) != 1 || codes(b.Refused[0].Reasons) != plan.Reserved {
		t.Errorf("%+v, %v", b, err)
	}
	finding := finding.Finding{Kind: finding.OrphanedLock, Table: "odd", TableID: table.ID, Constraint: "email", Value: "young@x.io", Lock: of("young@x.io").Lock.Key.Item()}
	mends, err := f.changer.PlanMends(t.Context(), table, finding)
	if err != nil || codes(mends[0].Refused) != plan.Reserved {
		t.Errorf("%+v, %v", mends, err)
	}
	_, err = f.changer.PlanMend(t.Context(), table, finding, nil)
	reserved("mend", err)
	fresh, _, err := find.Reread(t.Context(), table, find.RereadOptions{}, of("young@x.io"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = mend.Repairs(fresh[0])
	reserved("repair", err)
	_, err = planner.ChangeValue(t.Context(), table, f.value(table, "email", "1@x.io"), "young@x.io")
	reserved("change", err)
	_, err = planner.Replace(t.Context(), table, of("Ada@x.io"), f.value(table, "email", "ada@x.io").Account.Key, "ada@x.io")
	reserved("replace", err)
}
