package change_test

import (
	"maps"
	"slices"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
)

// A repair writes a lock's owner in the form of owner_form, even if other locks have another form.
func TestALockNamesItsOwnerInItsForm(t *testing.T) {
	t.Parallel()
	con := config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "by", OwnerForm: "user#{id}"}
	lock := func(v, by string) item { return row("UNIQ#EMAIL#"+v, "LOCK", "by", by) }
	for name, others := range map[string][]item{
		"no other lock": nil,
		"others alike":  {lock("2@x.io", "user#2"), lock("3@x.io", "user#3")},
		"others unlike": {lock("2@x.io", "ACCT#2"), lock("3@x.io", "ACCT#3")},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			f.create("odd")
			for _, n := range []string{"1", "2", "3"} {
				f.put("odd", row("ACCT#"+n, "PROFILE", "email", n+"@x.io"))
			}
			for _, one := range others {
				f.put("odd", one)
			}
			table := f.open("odd", configured(con))
			p, err := mend.Repair(t.Context(), table, f.value(table, "email", "1@x.io"))
			f.apply(p, err)
			if got := texts(f.get("odd", emailLock("1@x.io"))); got["by"] != "user#1" {
				t.Errorf("the lock is %v", got)
			}
		})
	}
	f := start(t)
	f.create("odd")
	for _, n := range []string{"1", "2", "3", "4", "5"} {
		f.put("odd", row("ACCT#"+n, "PROFILE", "email", n+"@x.io"))
		f.put("odd", lock(n+"@x.io", "user#"+n))
	}
	f.put("odd", lock("1@x.io", "user#2"))
	table := f.open("odd", configured(con))
	rel := f.value(table, "email", "1@x.io")
	if rel.Verdict != verdict.Foreign {
		t.Fatalf("it is %s: %s", rel.Verdict, rel.Why)
	}
	p, err := planner.Give(t.Context(), table, rel)
	f.apply(p, err)
	if got := texts(f.get("odd", emailLock("1@x.io"))); got["by"] != "user#1" {
		t.Errorf("the lock is %v", got)
	}
}

// Locks of a constraint with lapses have expiry dates of their own: no repair of an expiring account changes them, and
// an expired lock is not put again.
func TestLocksThatMayLapseKeepTheirTimes(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	if err := sdk.Expire(t.Context(), f.App(), "odd", "ttl"); err != nil {
		t.Fatal(err)
	}
	f.put("odd", row("ACCT#1", "PROFILE", "email", "a@x.io", "name", "ada"))
	f.put("odd", more(emailLock("a@x.io"), item{"ttl": num("4000000000")}))
	f.put("odd", more(row("NAME#ada", "LOCK"), item{"ttl": num("4000000000")}))
	f.put("odd", row("ACCT#2", "PROFILE", "email", "b@x.io"))
	table := f.open("odd", configured(
		config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Lapses: true},
		config.Constraint{Attribute: "name", PK: "NAME#{v}", SK: "LOCK"}))
	lapsed := f.value(table, "email", "b@x.io")
	if lapsed.Verdict != verdict.InUse || lapsed.Sentence() != `ACCT#2 holds the email "b@x.io". Its lock has expired.` {
		t.Errorf("%s: %s", lapsed.Verdict, lapsed.Sentence())
	}
	p, err := mend.Repair(t.Context(), table, lapsed)
	f.refused(plan.InOrder, p, err)
	missing := finding.Finding{
		Kind: finding.MissingLock, Table: table.Name, TableID: table.ID, Constraint: "email", Value: "b@x.io",
		Lock: attr.Item{"PK": attr.String("UNIQ#EMAIL#b@x.io"), "SK": attr.String("LOCK")}, Accounts: []attr.Item{lapsed.Account.Key.Item()},
	}
	p, err = f.changer.PlanMend(t.Context(), table, missing, nil)
	f.refused(plan.InOrder, p, err)
	before := f.dump("odd")
	finding := finding.Finding{
		Kind: finding.ExpiringAccount, Table: table.Name, TableID: table.ID,
		Accounts: []attr.Item{f.value(table, "email", "a@x.io").Account.Key.Item()},
	}
	p, err = f.changer.PlanMend(t.Context(), table, finding, nil)
	f.apply(p, err)
	after := f.dump("odd")
	delete(before["NAME#ada/LOCK"], "ttl")
	for id, want := range before {
		if !maps.Equal(after[id], want) {
			t.Errorf("%s is %v, want %v", id, after[id], want)
		}
	}
}

// If a lock's key contains the account's id, another account may hold the value with another lock. So the accounts are
// read before a value is changed.
func TestAValueThatAnotherAccountHoldsIsNotGiven(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	for id, name := range map[string]string{"1": "ada", "2": "bob"} {
		f.put("odd", row("ACCT#"+id, "PROFILE", "name", name))
		f.put("odd", row("NAME#"+name, "ACCT#"+id))
	}
	table := f.open("odd", configured(config.Constraint{Attribute: "name", PK: "NAME#{v}", SK: "ACCT#{id}"}))
	p, err := planner.ChangeValue(t.Context(), table, f.value(table, "name", "ada"), "bob")
	f.refused(plan.Held, p, err)
	p, err = planner.ChangeValue(t.Context(), table, f.value(table, "name", "ada"), "countess")
	f.apply(p, err)
	if got := f.keys("odd"); len(got) != 4 || !slices.Contains(got, "NAME#countess/ACCT#1") || slices.Contains(got, "NAME#ada/ACCT#1") {
		t.Errorf("%q", got)
	}
}
