package change_test

import (
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo/change/journal"
)

// AWS recommends that clients retry for at least 5 s after a TransactionInProgressException. So a step without an
// answer is sent again for longer than 5 s.
func TestAStepIsSentForLongerThanATransactionTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.changer.Pause = nil
		p := f.planBump()
		var sent []time.Time
		tokens := map[string]bool{}
		f.before = func(operation string, body []byte) error {
			if operation != "TransactWriteItems" {
				return nil
			}
			sent, tokens[tokenOf(body)] = append(sent, time.Now()), true
			return errCut
		}
		r := f.changer.Apply(t.Context(), p, nil)
		if r.Outcome != journal.Unknown || len(tokens) != 1 {
			t.Errorf("%s %v, with %d tokens; want it unknown, with one", r.Outcome, r.Reasons, len(tokens))
		}
		if n := len(sent); n < 6 || sent[n-1].Sub(sent[0]) < 6*time.Second {
			t.Errorf("it was sent at %v; want at least 6 times over at least 6 s", sent)
		}
	})
}
