package check_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout/config"
)

// many returns a layout of n constraints with locks. Their attributes are a0, a1 and so on.
func many(n int, owner string) config.Layout {
	of := config.Layout{Accounts: []config.Account{{PK: "USER#{id}", SK: "PROFILE"}}}
	for n := range n {
		steps := [][]string{nil, {"lower"}, {"trim", "lower"}, {"sha256"}}[n%4]
		of.Accounts[0].Constraints = append(of.Accounts[0].Constraints, config.Constraint{
			Attribute: fmt.Sprint("a", n), PK: fmt.Sprintf("LOCK#%d#{v}", n), SK: "LOCK", Owner: owner, Normalise: steps,
		})
	}
	return of
}

// An engine limits the size of a statement. Sixty constraints are within these limits.
func TestSixtyConstraintsBySQL(t *testing.T) {
	t.Parallel()
	f := start(t)
	of := many(60, "owner")
	of.Name, of.Tables = "many", []string{"many"}
	l, err := of.Build()
	if err != nil {
		t.Fatal(err)
	}
	var items []doc
	want := []string{}
	for id := range 8 {
		account := doc{"PK": str(fmt.Sprint("USER#", id)), "SK": str("PROFILE")}
		for n, con := range l.Constraints() {
			value := fmt.Sprintf("v%d-%d", id, n)
			account[fmt.Sprint("a", n)] = str(value)
			if n == 59 && id == 3 {
				want = append(want, "missing-lock "+value)
				continue
			}
			items = append(items, doc{
				"PK": str(fmt.Sprintf("LOCK#%d#%s", n, con.Normalised(value))), "SK": str("LOCK"), "owner": str(fmt.Sprint("USER#", id)),
			})
		}
		items = append(items, account)
	}
	items = append(items, doc{"PK": str("LOCK#42#gone"), "SK": str("LOCK"), "owner": &types.AttributeValueMemberS{Value: "9"}})
	want = append(want, "orphaned-lock gone")
	f.create("many", "PK:S", "SK:S", items...)
	found, _ := f.run(f.described("many", of), setting.Options{})
	if len(found) != len(want) {
		t.Errorf("%q, want %q", said(found), want)
	}
}
