package change_test

import (
	"errors"
	"testing"

	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/layout/config"
)

// A malformed lock may hold another lock's value in an attribute. That lock is kept until a person has said
// whether such items count.
func TestAMalformedLockHoldsAValue(t *testing.T) {
	for _, owner := range []string{"", "userId"} {
		t.Run("owner "+owner, func(t *testing.T) {
			f := start(t)
			f.create("odd")
			for _, i := range []item{
				row("ACCT#1", "PROFILE", "email", "a@x.io"), row("UNIQ#EMAIL#a@x.io", "LOCK", "userId", "1"),
				row("ACCT#2", "PROFILE", "email", "b@x.io"), row("UNIQ#EMAIL#b@x.io", "LOCK", "userId", "2"),
				row("UNIQ#EMAIL#undefined", "LOCK", "email", "ada@x.io"),
				row("UNIQ#EMAIL#ada@x.io", "LOCK", "userId", "9"),
			} {
				if owner == "" {
					delete(i, "userId")
				}
				f.put("odd", i)
			}
			c := config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: owner}
			p, err := f.plan(f.open("odd", configured(c)), "email", "ada@x.io")
			if _, refused := errors.AsType[*plan.Refusal](err); refused {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			r := f.changer.Apply(t.Context(), p, nil)
			if f.get("odd", item{"PK": str("UNIQ#EMAIL#ada@x.io"), "SK": str("LOCK")}) == nil {
				t.Errorf("the lock is gone, and another item holds its value: %s", r.Outcome)
			}
		})
	}
}
