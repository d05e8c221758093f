package dynamo_test

import (
	"fmt"
	"testing"
	"time"

	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout"
	"tallylock/internal/fixture"
)

// A reserved lock waits for its account until its time is over. Until then, a missing account or owner is no evidence
// against the layout, and neither is an item of a sign-up with the lock's value. Afterwards a missing account is such
// evidence.
func TestReservedLocksDoNotContradictTheLayout(t *testing.T) {
	for name, tc := range map[string]struct {
		accounts, signups bool
		standing          layout.Standing
	}{
		"nobody has finished a sign-up":  {standing: layout.Supported},
		"what begins a sign-up is kept":  {accounts: true, signups: true, standing: layout.Supported},
		"and nobody has finished one":    {signups: true, standing: layout.Supported},
		"owners that are not there, yet": {accounts: true, standing: layout.Supported},
	} {
		for _, over := range []bool{false, true} {
			f := fixture.New(t)
			var items []sdk.Item
			ago := time.Hour
			if over {
				ago = 50 * time.Hour
			}
			for n := range 30 {
				who := fmt.Sprintf("new%d@example.net", n)
				items = append(items, fixture.Claimed(who, ago, sdk.Item{"owner": sdk.S(fmt.Sprint("new", n))}))
				if tc.signups {
					items = append(items, sdk.Item{"PK": sdk.S(fmt.Sprint("SIGNUP#", n)), "SK": sdk.S("TOKEN"), "email": sdk.S(who)})
				}
			}
			if tc.accounts {
				f.Signups(items...)
			} else {
				f.Create("signups", "PK:S", "SK:S")
				f.Put("signups", items...)
			}
			table := f.Open("signups", fixture.Reserving("owner"))
			fit := table.Fit.Of(table.Layout.Constraints()[0])
			if contradicted := fit.Standing() == layout.Contradicted; contradicted != (over && !tc.accounts) || !over && fit.Standing() != tc.standing {
				t.Errorf("%s, over %v: %s, %s", name, over, fit.Standing(), fit.Why())
			}
		}
	}
}
