package check_test

import (
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/demo"
	"tallylock/internal/fault"
)

// If other Regions can write the table, the check confirms no finding that relies on the absence of an item, and the
// summary says why. It confirms two accounts with one value if the table has transactions.
func TestNothingAbsentIsConfirmedAcrossRegions(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		strong bool
		why    string
	}{
		"two Regions":         {false, "eu-west-1 can write the table"},
		"strongly consistent": {true, "no transactions"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := demo.New(t.Context(), fault.WithReplicas("accounts", tc.strong, "eu-west-1"), fault.WithReplicas("posts", tc.strong, "eu-west-1"))
			if err != nil {
				t.Fatal(err)
			}
			f := &fixture{Demo: d, t: t}
			for _, o := range []setting.Options{{}, {Confirm: setting.ConfirmReads}} {
				found, sum := f.run(f.open("accounts"), o)
				if !sum.Complete || sum.Confirmed || !strings.Contains(strings.Join(sum.Notes, " "), tc.why) {
					t.Errorf("complete %v, confirmed %v, notes %q", sum.Complete, sum.Confirmed, sum.Notes)
				}
				kinds := map[finding.Kind]bool{}
				for _, one := range found {
					kinds[one.Kind] = true
					if one.Confirmed != (one.Kind == finding.DuplicateValue && !tc.strong) {
						t.Errorf("%s %s: confirmed %v", one.Kind, one.Value, one.Confirmed)
					}
					if one.Kind != finding.DuplicateValue && !strings.Contains(one.Detail, tc.why) {
						t.Errorf("%s %s: %s", one.Kind, one.Value, one.Detail)
					}
					if here := strings.Contains(one.Detail, "in this Region"); here != (!tc.strong && one.Kind != finding.DuplicateValue && one.Kind != finding.UnnormalisedLock) {
						t.Errorf("%s %s: %s", one.Kind, one.Value, one.Detail)
					}
				}
				if !kinds[finding.OrphanedLock] || !kinds[finding.MissingLock] || !kinds[finding.DuplicateValue] {
					t.Errorf("found only %v", kinds)
				}
			}
		})
	}
}

// In a table of one Region all findings are confirmed.
func TestOneRegionIsConfirmed(t *testing.T) {
	f := start(t)
	_, sum := f.run(f.open("accounts", func(*dynamo.Options) {}), setting.Options{})
	if !sum.Confirmed || strings.Contains(strings.Join(sum.Notes, " "), "Region") {
		t.Errorf("%+v", sum)
	}
}
