package dynamo_test

import (
	"fmt"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
)

// Two kinds of account share the keys of their locks. That the locks of one name it does not
// show that those of the other do: a wrong key of that one makes every lock look as if it
// named another account, which is not proven whatever constraint is asked about.
func TestLocksOfAnotherKindDoNotProveOwners(t *testing.T) {
	f := fixture.New(t)
	f.Create("mixed", "PK:S", "SK:S")
	for n := range 12 {
		id, mail := fmt.Sprintf("%04d", n), fmt.Sprintf("p%d@x.io", n)
		f.Put("mixed", sdk.Item{"PK": sdk.S("ACCT#" + id), "SK": sdk.S("PROFILE"), "email": sdk.S(mail)}, sdk.Item{"PK": sdk.S("UNIQ#" + mail), "SK": sdk.S("LOCK"), "by": sdk.S(id)},
			sdk.Item{"PK": sdk.S("TEAM#" + id), "SK": sdk.S("PROFILE"), "contact": sdk.S("t" + mail)}, sdk.Item{"PK": sdk.S("UNIQ#t" + mail), "SK": sdk.S("LOCK"), "by": sdk.S(id)})
	}
	kind := func(model, pk, attribute string) config.Account {
		return config.Account{Model: model, PK: pk, SK: "PROFILE", Constraints: []config.Constraint{{Attribute: attribute, PK: "UNIQ#{v}", SK: "LOCK", Owner: "by"}}}
	}
	for pk, proven := range map[string]bool{"ACCT#00{id}": false, "ACCT#{id}": true} {
		table := f.Open("mixed", func(o *dynamo.Options) {
			o.Layouts = []config.Layout{{Name: "mixed", Tables: []string{"mixed"}, Accounts: []config.Account{kind("account", pk, "email"), kind("team", "TEAM#{id}", "contact")}}}
		})
		answer, err := find.Find(t.Context(), table, "p1@x.io", find.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, rel := range answer.Locks {
			if rel.Provisional == proven || (rel.Verdict == verdict.Held) != proven {
				t.Errorf("%s, %s: %s, provisional %v", pk, rel.Constraint.Name, rel.Verdict, rel.Provisional)
			}
		}
		if len(answer.Locks) == 0 {
			t.Errorf("%s: nothing was found", pk)
		}
	}
}
