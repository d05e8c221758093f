package dynamo_test

import (
	"testing"

	"tallylock/dynamo"
)

// Without locks nothing but accounts that were read says anything: one makes a value used,
// two a duplicate, and that there are none is never more than provisional.
func TestJudgeUseIsNeverStrongerThanItsEvidence(t *testing.T) {
	for accounts := range 4 {
		for others := dynamo.OthersUnknown; others <= dynamo.OthersSettled; others++ {
			for n := range 4 {
				apart := n > 0
				e := dynamo.UseEvidence{Accounts: accounts, Apart: n&1 > 0, Scanned: n&2 > 0, Others: others, OthersWhy: "not read", Index: "byEmail"}
				j := dynamo.JudgeUse(e)
				want := dynamo.Unknown
				switch {
				case accounts > 1:
					want = dynamo.Duplicate
				case accounts == 1:
					want = dynamo.InUse
				case others >= dynamo.OthersIndexed:
					want = dynamo.Free
				}
				sure := j.Verdict == dynamo.InUse || (j.Verdict == dynamo.Duplicate && !apart)
				if j.Verdict != want || (!j.Provisional && !sure && j.Verdict != dynamo.Unknown) || (j.Why == "" && !sure) {
					t.Errorf("%+v: %s, provisional %v, %q; want %s", e, j.Verdict, j.Provisional, j.Why, want)
				}
			}
		}
	}
}
