package counters_test

import (
	"testing"

	"tallylock/dynamo/guess/counters"
)

// Items that only look like counters are not recognised, even if meaningless words replace all their words.
func TestNoCountersInOtherWords(t *testing.T) {
	for _, tc := range lookAlikes {
		for seed := range uint64(4) {
			for _, whole := range []bool{true, false} {
				sample := newRenamer(seed).table(table(tc.table, tc.keys, tc.items))
				sample.Whole = whole
				if got := counters.Of(sample); len(got) > 0 {
					t.Errorf("%s is taken for a counter (whole: %v): %s; %s", tc.name, whole, said(sample, got), got[0].Why)
				}
			}
		}
	}
}
