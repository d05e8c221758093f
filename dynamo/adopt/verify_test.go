package adopt_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/fixture"
)

// The rule holds only after a complete check without problems, from its end on. Otherwise the problem tells which phase
// to repeat.
func TestVerify(t *testing.T) {
	t.Parallel()
	begun := time.Now().Add(-time.Hour).UTC()
	state := &adopt.State{Writers: &adopt.Writers{Since: begun, Judged: 20}}
	signedUp := func(id, email string, at time.Time) sdk.Item {
		account := fixture.Account(id, email, id)
		account["createdAt"] = sdk.S(at.Format(time.RFC3339))
		return account
	}
	old, young := begun.Add(-time.Hour), begun.Add(time.Minute)
	for name, tc := range map[string]struct {
		more []sdk.Item
		want adopt.Phase
	}{
		"sound":          {nil, ""},
		"missing":        {[]sdk.Item{signedUp("m", "m@x.io", old)}, adopt.PhaseBackfill},
		"missing, young": {[]sdk.Item{signedUp("m", "m@x.io", young)}, adopt.PhaseWriters},
		"duplicate":      {[]sdk.Item{signedUp("m", "p1@x.io", old)}, adopt.PhaseSurvey},
		"two without":    {[]sdk.Item{signedUp("m", "m@x.io", old), signedUp("n", "m@x.io", old)}, ""},
		"foreign":        {[]sdk.Item{signedUp("m", "m@x.io", old), owned("m@x.io", "1")}, adopt.PhaseSurvey},
		"unfit":          {[]sdk.Item{signedUp("m", strings.Repeat("x", 2100), old)}, adopt.PhaseSurvey},
	} {
		f := fixture.New(t)
		var items []sdk.Item
		for n := range 30 {
			email := fmt.Sprintf("p%d@x.io", n)
			items = append(items, signedUp(fmt.Sprint(n), email, old), owned(email, fmt.Sprint(n)))
		}
		r := open(t, f.Describe("people", rule(), append(items, tc.more...)...))
		before := time.Now()
		findings := 0
		v, err := adopt.Verify(t.Context(), r, state, setting.Options{}, func(finding.Finding) { findings++ }, nil)
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case name == "two without": // the check may call them missing or duplicate
			if v.Since != nil || v.Missing+v.Duplicates == 0 {
				t.Errorf("%s: %+v", name, v)
			}
		case v.Repeat != tc.want || (v.Since != nil) != (tc.want == ""):
			t.Errorf("%s: %+v", name, v)
		case v.Since != nil && v.Since.Before(before.Truncate(time.Millisecond)):
			t.Errorf("%s: it holds since %s, before the check began", name, v.Since)
		}
	}
}
