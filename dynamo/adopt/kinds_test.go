package adopt_test

import (
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/adopt"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
)

// If owner_form tells the kind of an account, users and organisations can share the keys of locks: a lock of user 7 is
// not a lock of organisation 7.
func TestOwnerFormsTellTheKind(t *testing.T) {
	t.Parallel()
	user, organisation := rule(func(c *config.Constraint) { c.OwnerForm = "ACCT#{id}" }), rule(func(c *config.Constraint) {
		c.Name, c.OwnerForm = "contact", "ORG#{id}"
	})
	organisation.PK = "ORG#{id}"
	l := config.Layout{Name: "mine", Tables: []string{"people"}, Accounts: []config.Account{user, organisation}}
	org := sdk.Item{"PK": sdk.S("ORG#7"), "SK": sdk.S("PROFILE"), "email": sdk.S("org@x.io")}
	for name, tc := range map[string]struct {
		locks            []sdk.Item
		foreign, missing int64
	}{
		"sound":                       {[]sdk.Item{owned("ada@x.io", "ACCT#7"), owned("org@x.io", "ORG#7")}, 0, 0},
		"user has the organisation's": {[]sdk.Item{owned("ada@x.io", "ACCT#7"), owned("org@x.io", "ACCT#7")}, 1, 0},
		"organisation has the user's": {[]sdk.Item{owned("ada@x.io", "ORG#7"), owned("org@x.io", "ORG#7")}, 1, 0},
		"no locks":                    {nil, 0, 2},
	} {
		f := fixture.New(t)
		f.Create("people", "PK:S", "SK:S")
		f.Put("people", append([]sdk.Item{fixture.Account("7", "ada@x.io", "ada"), org}, tc.locks...)...)
		r := open(t, f.Open("people", fixture.Described(l), func(o *dynamo.Options) { o.Settle = 1 }))
		surveyed, err := adopt.Survey(t.Context(), r, setting.Options{}, nil, nil)
		if err != nil || surveyed.ForeignLocks != tc.foreign || surveyed.ToWrite != tc.missing {
			t.Errorf("%s: the survey says %+v, %v", name, surveyed, err)
		}
		v, err := adopt.Verify(t.Context(), r, &adopt.State{}, setting.Options{}, nil, nil)
		if err != nil || v.Foreign != tc.foreign || v.Missing != tc.missing || (v.Since != nil) != (tc.foreign+tc.missing == 0) {
			t.Errorf("%s: verify says %+v, %v", name, v, err)
		}
	}
}
