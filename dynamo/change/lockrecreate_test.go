package change_test

import (
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/layout"
)

// What is not known, in a table too large to be read unasked, is said; what an
// index knows is known.
func TestWhoElseHoldsAValueIsSaidOrFound(t *testing.T) {
	t.Parallel()
	for name, indexed := range map[string]bool{"no index": false, "an index": true} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			con := layout.ConstraintConfig{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}
			if indexed {
				f.create("odd", "email")
				con.Index = "email-index"
			} else {
				f.create("odd")
			}
			f.put("odd", row("ACCT#1", "PROFILE", "email", "a@x.io"))
			f.put("odd", row("ACCT#2", "PROFILE", "email", "a@x.io"))
			table := f.open("odd", configured(con), func(o *dynamo.Options) { o.AutoReadUnits = 0.001 })
			rel := f.value(table, "email", "a@x.io")
			rel.Claimants, rel.Verdict = rel.Claimants[:1], dynamo.Missing // as one sees it who has read no more
			p, err := change.PlanRepair(t.Context(), table, rel)
			if indexed {
				f.refused(change.Duplicate, p, err)
				return
			}
			if err != nil || !strings.Contains(lines(p, "not known"), `whether another account holds "a@x.io", too`) {
				t.Errorf("%v, %v", p, err)
			}
		})
	}
}

// Too few locks to tell what all have: it is left out, and said to be.
func TestWhatCannotBeKnownIsLeftOut(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	f.put("odd", row("ACCT#1", "PROFILE", "email", "a@x.io"))
	f.put("odd", row("ACCT#2", "PROFILE", "email", "b@x.io"))
	f.put("odd", row("UNIQ#EMAIL#b@x.io", "LOCK", "madeAt", "noon", "mail", "b@x.io"))
	table := f.open("odd", configured(layout.ConstraintConfig{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}))
	p, err := change.PlanRepair(t.Context(), table, f.value(table, "email", "a@x.io"))
	f.apply(p, err)
	if got := texts(f.get("odd", emailLock("a@x.io"))); len(got) != 3 || got["mail"] != "a@x.io" {
		t.Errorf("the lock is %v", got)
	}
	if said := lines(p, "left out"); !strings.HasPrefix(said, "madeAt: ") {
		t.Errorf("left out: %q", said)
	}
}

// What stands where a lock would, and is none, is not deleted.
func TestAnItemThatIsNoLockStays(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	f.put("odd", row("ACCT#1", "PROFILE", "email", "a@x.io"))
	f.put("odd", row("UNIQ#EMAIL#a@x.io", "LOCK", "kind", "invitation"))
	table := f.open("odd", configured(layout.ConstraintConfig{
		Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Is: &layout.DiscriminatorConfig{Attribute: "kind", Value: "lock"},
	}))
	p, err := change.PlanDeleteAccount(t.Context(), table, f.value(table, "email", "a@x.io").Account.Key)
	f.apply(p, err)
	if f.get("odd", emailLock("a@x.io")) == nil || f.get("odd", row("ACCT#1", "PROFILE")) != nil {
		t.Error("the account must be gone, and what is no lock be there")
	}
	if said := lines(p, "stays"); !strings.Contains(said, `its kind is not "lock"`) {
		t.Errorf("it says %q", said)
	}
}
