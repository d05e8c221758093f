package browse_test

import (
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fault"
	"tallylock/internal/fixture"
)

// If other Regions write the table, a second reading in one Region does not confirm a verdict.
func TestBrowsingConfirmsNothingAcrossRegions(t *testing.T) {
	for _, strong := range []bool{false, true} {
		f := fixture.New(t, fault.WithReplicas("accounts", strong, "eu-west-1"))
		b := browse.New(f.Open("accounts", func(o *dynamo.Options) { o.Asked = false }))
		for {
			v, err := b.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if v.Complete {
				break
			}
		}
		v, err := b.Confirm(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		broken := 0
		for _, r := range v.Relations {
			if r.Verdict.Broken() && r.Verdict != verdict.Duplicate {
				broken++
				if !r.Provisional || r.Limited() == "" {
					t.Errorf("strong %v: %s is called proven: %s", strong, r.Value, r.Sentence())
				}
			}
		}
		if broken == 0 || !v.Confirmed.IsZero() {
			t.Errorf("strong %v: %d broken, confirmed %v", strong, broken, v.Confirmed)
		}
	}
}
