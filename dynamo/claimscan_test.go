package dynamo_test

import (
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
)

// An account that calls for a lock is found by the lock's exact key, though no text of it
// is like the value in any spelling: combining marks keep a letter from folding as it does
// when it was made small before, and two constraints that share their keys may normalise
// otherwise.
func TestAClaimIsFoundByItsKey(t *testing.T) {
	for name, tc := range map[string]struct {
		mine, theirs []string // of the constraint asked about, and of the account's
		held, locked string
	}{
		"the same, with marks that do not fold":  {[]string{"lower"}, nil, "\u03aa\u0301", "\u03ca\u0301"},
		"the other constraint hashes its values": {nil, []string{"sha256"}, "ada", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := fixture.New(t)
			f.Create("shared", "PK:S", "SK:S")
			attribute := "email"
			accounts := []config.Account{{Model: "user", PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{
				{Name: "email", Attribute: attribute, PK: "UNIQ#{v}", SK: "LOCK", Normalise: tc.mine, Shared: len(tc.theirs) > 0},
			}}}
			if len(tc.theirs) > 0 {
				attribute = "handle"
				tc.locked = layout.Normalise([]layout.Normaliser{layout.SHA256}, tc.held)
				accounts = append(accounts, config.Account{Model: "member", PK: "MEMBER#{id}", SK: "PROFILE", Constraints: []config.Constraint{
					{Name: "handle", Attribute: attribute, PK: "UNIQ#{v}", SK: "LOCK", Normalise: tc.theirs, Shared: true},
				}})
			}
			table := f.Open("shared", func(o *dynamo.Options) {
				o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"shared"}, Accounts: accounts}}
			})
			rel, err := table.LockOf(t.Context(), "email", tc.locked, nil)
			if err != nil {
				t.Fatal(err)
			}
			owner := "USER#1"
			if attribute == "handle" {
				owner = "MEMBER#1"
			}
			scan := table.ClaimScan(rel)
			reader := scan.Reader()
			reader.See("shared", attr.Item{"PK": attr.String(owner), "SK": attr.String("PROFILE"), attribute: attr.String(tc.held)})
			reader.Close()
			if got, _ := scan.Of(rel).Claimants(); len(got) != 1 || got[0].Key.Hash.Value.Text != owner {
				t.Errorf("claimants of %q: %+v; want %s", tc.locked, got, owner)
			}
		})
	}
}
