package change_test

import (
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
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
