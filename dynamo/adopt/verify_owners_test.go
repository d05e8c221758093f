package adopt_test

import (
	"testing"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/fixture"
)

// If a sampled lock names no account, the check compares no owners. Then Verify looks for foreign locks by a survey.
// The rule holds only if there are none.
func TestVerifyComparesOwnersThoughALockNamesNone(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		lock sdk.Item
		want adopt.Phase
	}{
		"own lock":     {owned("m@x.io", "m"), ""},
		"foreign lock": {owned("m@x.io", "1"), adopt.PhaseSurvey},
	} {
		r := open(t, fixture.New(t).Describe("people", rule(),
			fixture.Account("1", "p1@x.io", "1"), owned("p1@x.io", "1"), unowned("unused@x.io"),
			fixture.Account("m", "m@x.io", "m"), tc.lock))
		v, err := adopt.Verify(t.Context(), r, &adopt.State{}, setting.Options{}, func(finding.Finding) {}, nil)
		if err != nil || v.Repeat != tc.want || (v.Since != nil) != (tc.want == "") {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}
