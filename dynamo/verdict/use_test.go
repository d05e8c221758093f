package verdict_test

import (
	"testing"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
	"tallylock/internal/testrun"
)

// Without locks, only accounts that were read decide the verdict. One account gives InUse, and two give Duplicate. Free
// is always provisional.
func TestJudgeWithoutLocksIsNeverStrongerThanItsEvidence(t *testing.T) {
	testrun.OneGoroutine(t)
	for accounts := range 4 {
		for others := verdict.OthersUnknown; others <= verdict.OthersSettled; others++ {
			for n := range 4 {
				apart := n > 0
				e := verdict.Facts{Lockless: true, Fit: standing(layout.Supported), Sharing: accounts, Apart: n&1 > 0, Scanned: n&2 > 0, Others: others, OthersWhy: "not read", Index: "byEmail"}
				j := verdict.Judge(e)
				want := verdict.Unknown
				switch {
				case accounts > 1:
					want = verdict.Duplicate
				case accounts == 1:
					want = verdict.InUse
				case others >= verdict.OthersIndexed:
					want = verdict.Free
				}
				sure := j.Verdict == verdict.InUse || (j.Verdict == verdict.Duplicate && !apart)
				if j.Verdict != want || (!j.Provisional && !sure && j.Verdict != verdict.Unknown) || (j.Why == "" && !sure) {
					t.Errorf("%+v: %s, provisional %v, %q; want %s", e, j.Verdict, j.Provisional, j.Why, want)
				}
			}
		}
	}
}
