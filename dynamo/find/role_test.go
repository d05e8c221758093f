package find_test

import (
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
)

// Find treats an item that is an account and a counter as an account. It treats a malformed lock with a value in an
// attribute as an item that holds the value.
func TestFindAmongItemsOfTwoRoles(t *testing.T) {
	t.Parallel()
	item := func(pk, sk string, rest ...string) sdk.Item {
		i := sdk.Item{"PK": sdk.S(pk), "SK": sdk.S(sk)}
		for n := 0; n < len(rest); n += 2 {
			i[rest[n]] = sdk.S(rest[n+1])
		}
		return i
	}
	f := fixture.New(t)
	f.Create("shared", "PK:S", "SK:S")
	root := item("USER#root", "PROFILE", "email", "zed", "phone", "555")
	root["lastId"] = sdk.N("7")
	f.Put("shared", root, item("UNIQ#zed", "LOCK"),
		item("UNIQ#undefined", "LOCK", "email", "gone"), item("UNIQ#gone", "LOCK"),
		item("USER#1", "PROFILE", "email", "a"), item("UNIQ#a", "LOCK"))
	table := f.Open("shared", func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{
			Name: "mine", Tables: []string{"shared"},
			Accounts: []config.Account{{Model: "user", PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{
				{Name: "email", Attribute: "email", PK: "UNIQ#{v}", SK: "LOCK"},
				{Name: "phone", Attribute: "phone", Unique: true},
			}}},
			Counters: []config.Counter{{Name: "n", PK: "USER#root", SK: "PROFILE", Attribute: "lastId"}},
		}}
	})
	for query, want := range map[string]verdict.Verdict{
		"zed": verdict.Held, "555": verdict.InUse, "gone": verdict.Unknown, "a": verdict.Held,
	} {
		a, err := find.Find(t.Context(), table, query, find.Options{Scan: true})
		if err != nil {
			t.Fatal(err)
		}
		var got verdict.Verdict
		for _, r := range append(a.Locks, a.Unlocked...) {
			if (r.Constraint.Name == "phone") == (query == "555") {
				got = r.Verdict
			}
		}
		if got != want {
			t.Errorf("%s is %q, want %q", query, got, want)
		}
	}
}
