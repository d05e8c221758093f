package write

import (
	"testing"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
)

// The JSON says why a change failed, even if its mark could not be removed either.
func TestAMarkThatStaysHidesNoError(t *testing.T) {
	for _, tc := range []struct {
		reasons []plan.Reason
		want    []string
	}{
		{nil, []string{"Throttled"}},
		{[]plan.Reason{{Code: plan.MarkLeft}}, []string{"Throttled", plan.MarkLeft}},
		{[]plan.Reason{{Code: plan.NoAnswer}, {Code: plan.MarkLeft}}, []string{plan.NoAnswer, plan.MarkLeft}},
	} {
		r := change.Receipt{Answer: plan.Answer{
			Outcome: journal.Refused, Reasons: tc.reasons, Err: &client.Error{Kind: client.Throttled, Why: "too fast"},
		}}
		got := (&writing{}).resultOf(r).Reasons
		if len(got) != len(tc.want) {
			t.Fatalf("%v; want %v", got, tc.want)
		}
		for n, code := range tc.want {
			if got[n].Code != code {
				t.Errorf("%v; want %v", got, tc.want)
			}
		}
	}
}
