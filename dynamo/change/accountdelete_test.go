package change_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
)

// If the keys are plain ids, a counter and a settings item have keys that an account could have. They are not deleted
// as accounts.
func TestACounterIsNotDeletedAsAnAccount(t *testing.T) {
	t.Parallel()
	f := start(t)
	if err := sdk.Fill(t.Context(), f.App(), sdk.Table("people", "id:N", "")); err != nil {
		t.Fatal(err)
	}
	f.put("people",
		item{"id": num("0"), "next_id": num("151")}, item{"id": num("1"), "theme": str("dark")},
		item{"id": num("7"), "email": str("ada@x.io")})
	table := f.described(config.Layout{
		Name: "people", Tables: []string{"people"},
		Accounts: []config.Account{{PK: "{id}", Constraints: []config.Constraint{{
			Name: "email", Attribute: "email", Unique: true,
		}}}},
		Counters: []config.Counter{{PK: "0", Attribute: "next_id", Semantics: "next"}},
	})
	for _, id := range []string{"0", "1"} {
		key := attr.Key{Hash: attr.Attribute{Name: "id", Value: attr.Number(id)}}
		p, err := planner.DeleteAccount(t.Context(), table, key)
		f.refused(plan.ByHand, p, err)
	}
	key := attr.Key{Hash: attr.Attribute{Name: "id", Value: attr.Number("7")}}
	if r := f.apply(planner.DeleteAccount(t.Context(), table, key)); r.Outcome != journal.Applied {
		t.Errorf("the account stays: %s %v", r.Outcome, r.Reasons)
	}
}

// If accounts and locks share their keys, an account's value may be its own id: the item at the lock's key is then the
// account itself. The account lacks a lock, and can change its value or be deleted. No request names the account twice.
func TestAnAccountWhoseValueIsItsOwnID(t *testing.T) {
	t.Parallel()
	is := func(value string) *config.Discriminator {
		return &config.Discriminator{Attribute: "kind", Value: value}
	}
	for name, form := range map[string]config.Constraint{
		"first form":  {PK: "USER#{v}", SK: "A"},
		"second form": {PK: "NAME#{v}", SK: "A", Also: []config.LockKey{{PK: "USER#{v}", SK: "A"}}},
	} {
		form.Attribute, form.Is = "name", is("lock")
		for _, what := range []string{"change", "deletion"} {
			t.Run(name+", "+what, func(t *testing.T) {
				t.Parallel()
				f := start(t)
				f.create("odd")
				for n := range 6 {
					f.put("odd", row(fmt.Sprint("USER#", n), "A", "kind", "user", "name", fmt.Sprint("n", n)),
						row(fmt.Sprint("USER#n", n), "A", "kind", "lock"))
				}
				f.put("odd", row("USER#own", "A", "kind", "user", "name", "own"))
				table := f.describedAs("odd", config.Layout{Name: "odd", Accounts: []config.Account{{
					PK: "USER#{id}", SK: "A", Is: is("user"), Constraints: []config.Constraint{form},
				}}})
				rel := f.value(table, "name", "own")
				if rel.Verdict != verdict.Missing {
					t.Errorf("the account lacks its lock, but the verdict is %s", rel.Verdict)
				}
				before := f.dump("odd")
				p, err := planner.ChangeValue(t.Context(), table, rel, "new")
				if what == "deletion" {
					p, err = planner.DeleteAccount(t.Context(), table, rel.Account.Key)
				}
				f.undoes(what, table, f.apply(p, err), before)
			})
		}
	}
}

// One item may be an account that claims a lock, and have the key of another lock. A transaction names this item once.
func TestAnItemThatTwoLocksLeadToIsNamedOnce(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	is := func(value string) *config.Discriminator {
		return &config.Discriminator{Attribute: "kind", Value: value}
	}
	for n := range 6 {
		f.put("odd", row(fmt.Sprint("USER#", n), "A", "kind", "user", "name", fmt.Sprint("n", n), "nick", fmt.Sprint("k", n)),
			row(fmt.Sprint("USER#n", n), "A", "kind", "lock"), row(fmt.Sprint("USER#k", n), "A", "kind", "lock"))
	}
	f.put("odd", row("USER#a", "A", "kind", "user", "name", "both", "nick", "b"),
		row("USER#b", "A", "kind", "user", "name", "both"), row("USER#both", "A", "kind", "lock"))
	table := f.describedAs("odd", config.Layout{Name: "odd", Accounts: []config.Account{{
		PK: "USER#{id}", SK: "A", Is: is("user"), Constraints: []config.Constraint{
			{Attribute: "name", PK: "USER#{v}", SK: "A", Is: is("lock"), Shared: true},
			{Attribute: "nick", PK: "USER#{v}", SK: "A", Is: is("lock"), Shared: true},
		},
	}}})
	before := f.dump("odd")
	key := f.value(table, "nick", "b").Account.Key
	p, err := planner.DeleteAccount(t.Context(), table, key)
	r := f.apply(p, err)
	if said := lines(p, "only if"); !strings.Contains(said, "USER#b still holds the same values") {
		t.Errorf("the conditions are %q", said)
	}
	f.undoes("the deletion", table, r, before)
}
