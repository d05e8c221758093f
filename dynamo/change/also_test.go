package change_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/layout/config"
)

// twoForms makes a table whose locks have one of two forms: account a has the first, b the second, c both, and d none.
// The values left and gone have a lock, but no account.
func twoForms(t *testing.T, change ...func(*config.Constraint)) (*fixture, *dynamo.Table) {
	t.Helper()
	f := start(t)
	f.create("odd")
	for _, v := range []string{"a", "b", "c", "d"} {
		f.put("odd", row("ACCT#"+v, "PROFILE", "email", v))
	}
	for _, key := range []string{"UNIQ#a", "UNIQ#c", "UNIQ#left"} {
		f.put("odd", row(key, "LOCK"))
	}
	for _, key := range []string{"MAIL#b", "MAIL#c", "MAIL#gone"} {
		f.put("odd", row(key, "L", "by", key[5:]))
	}
	con := config.Constraint{Attribute: "email", PK: "UNIQ#{v}", SK: "LOCK", Also: []config.LockKey{{PK: "MAIL#{v}", SK: "L"}}}
	for _, c := range change {
		c(&con)
	}
	return f, f.open("odd", configured(con))
}

// keys returns the keys of a table's items, except the given ones.
func (f *fixture) keys(table string, without ...string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f.dump(table))), func(key string) bool { return slices.Contains(without, key) })
}

// Deleting an account, or changing its value, deletes its locks of both forms. A lock that is put has the first form.
func TestAnAccountsLocksOfBothFormsGoWithIt(t *testing.T) {
	t.Parallel()
	for v, locks := range map[string][]string{
		"a": {"UNIQ#a/LOCK"}, "b": {"MAIL#b/L"}, "c": {"UNIQ#c/LOCK", "MAIL#c/L"}, "d": nil,
	} {
		f, table := twoForms(t)
		left := f.keys("odd", append(locks, "ACCT#"+v+"/PROFILE")...)
		p, err := planner.DeleteAccount(t.Context(), table, f.value(table, "email", v).Account.Key)
		f.apply(p, err)
		if got := f.keys("odd"); !slices.Equal(got, left) {
			t.Errorf("%s: left are %q, want %q", v, got, left)
		}
		f, table = twoForms(t)
		want := append(f.keys("odd", locks...), "UNIQ#new/LOCK")
		slices.Sort(want)
		p, err = planner.ChangeValue(t.Context(), table, f.value(table, "email", v), "new")
		r := f.apply(p, err)
		if got := f.keys("odd"); !slices.Equal(got, want) {
			t.Errorf("%s: left are %q, want %q", v, got, want)
		}
		undo, err := f.undo(table, r)
		f.apply(undo, err)
		want = append(f.keys("odd", locks...), locks...)
		slices.Sort(want)
		if got := f.keys("odd"); !slices.Equal(got, want) {
			t.Errorf("%s, undone: left are %q, want %q", v, got, want)
		}
	}
}

// A missing lock is put in the first form, if no lock of the second form exists when the transaction arrives.
func TestAMissingLockIsPutInItsFirstForm(t *testing.T) {
	t.Parallel()
	f, table := twoForms(t)
	p, err := mend.Repair(t.Context(), table, f.value(table, "email", "d"))
	f.apply(p, err)
	if got := f.dump("odd"); got["UNIQ#d/LOCK"] == nil || got["MAIL#d/L"] != nil {
		t.Errorf("%v", got)
	}
	f, table = twoForms(t)
	p, err = mend.Repair(t.Context(), table, f.value(table, "email", "d"))
	if err != nil {
		t.Fatal(err)
	}
	f.put("odd", row("MAIL#d", "L"))
	if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused {
		t.Errorf("%s: %v", r.Outcome, r.Reasons)
	}
	missing := finding.Finding{
		Kind: finding.MissingLock, Table: table.Name, TableID: table.ID, Constraint: "email", Value: "d",
		Lock:     attr.Item{"PK": attr.String("UNIQ#d"), "SK": attr.String("LOCK")},
		Accounts: []attr.Item{{"PK": attr.String("ACCT#d"), "SK": attr.String("PROFILE")}},
	}
	if p, err := f.changer.PlanMend(t.Context(), table, missing, nil); err == nil {
		t.Errorf("planned %v", p)
	}
	if p, err := planner.ChangeValue(t.Context(), table, f.value(table, "email", "a"), "gone"); err == nil {
		t.Errorf("a value that a lock of the second form keeps was given away: %v", p)
	}
}

// A lock of either form is released if no account holds its value, and put back by an undo.
func TestLocksOfBothFormsAreReleased(t *testing.T) {
	t.Parallel()
	for v, lock := range map[string]string{"left": "UNIQ#left/LOCK", "gone": "MAIL#gone/L"} {
		f, table := twoForms(t)
		before := f.dump("odd")
		p := f.mustPlan(table, "email", v)
		if want := "read no other lock of the value"; !strings.Contains(p.Sentence, want) {
			t.Errorf("%q, want %q", p.Sentence, want)
		}
		r := f.apply(p, nil)
		if got, want := f.keys("odd"), slices.DeleteFunc(slices.Sorted(maps.Keys(before)), func(key string) bool { return key == lock }); !slices.Equal(got, want) {
			t.Errorf("%s: left are %q", v, got)
		}
		undo, err := f.undo(table, r)
		f.apply(undo, err)
		if got := f.dump("odd"); !maps.EqualFunc(got, before, maps.Equal[map[string]string, map[string]string]) {
			t.Errorf("%s: undone, it is %v", v, got)
		}
	}
	f, table := twoForms(t) // a release deletes one lock, and names the other one
	f.put("odd", row("MAIL#left", "L"))
	p := f.mustPlan(table, "email", "left")
	if f.apply(p, nil); !strings.Contains(p.Sentence, "another lock, too: MAIL#left / L.") ||
		f.get("odd", row("MAIL#left", "L")) == nil {
		t.Errorf("%q, left are %q", p.Sentence, f.keys("odd"))
	}
	for _, v := range []string{"a", "b", "c"} {
		f, table := twoForms(t)
		p, err := f.plan(table, "email", v)
		f.refused(plan.Held, p, err)
	}
}

// The look before a deletion finds the account of a lock of either form, even if nobody has read the table before.
func TestALookFindsTheAccountsOfBothForms(t *testing.T) {
	t.Parallel()
	hashed := func(c *config.Constraint) { c.Normalise = []string{"sha256"} }
	for name, change := range map[string]func(*config.Constraint){"plain": func(*config.Constraint) {}, "hashed": hashed} {
		for _, key := range []string{"UNIQ#", "MAIL#"} {
			f := start(t)
			f.create("odd")
			con := config.Constraint{Attribute: "email", PK: "UNIQ#{v}", SK: "LOCK", Also: []config.LockKey{{PK: "MAIL#{v}", SK: "LOCK"}}}
			change(&con)
			lock := func(v string) item {
				if name == "hashed" {
					v = fmt.Sprintf("%x", sha256.Sum256([]byte(v)))
				}
				return row(key+v, "LOCK")
			}
			for _, v := range []string{"a", "b", "c", "d", "e", "f"} {
				f.put("odd", row("ACCT#"+v, "PROFILE", "email", v))
				f.put("odd", lock(v))
			}
			before := f.dump("odd")
			table := f.open("odd", configured(con), func(o *dynamo.Options) { o.AutoReadUnits = 1e-9 })
			p, err := f.plan(table, "email", "a")
			if err != nil {
				t.Fatal(err)
			}
			r := f.changer.Apply(t.Context(), p, nil)
			if r.Outcome != "refused" || codes(r.Reasons) != "Held" {
				t.Errorf("%s %s: %s %v", name, key, r.Outcome, r.Reasons)
			}
			if after := f.dump("odd"); !maps.EqualFunc(after, before, maps.Equal[map[string]string, map[string]string]) {
				t.Errorf("%s %s: the table is %v", name, key, after)
			}
		}
	}
}
