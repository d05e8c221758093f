package change

import (
	"errors"
	"slices"
	"testing"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/queue"
)

func receipt(id string, outcome journal.Outcome, reasons ...plan.Reason) change.Receipt {
	return change.Receipt{
		Plan: &plan.Plan{Kind: plan.KindRelease}, Answer: plan.Answer{ID: id, Outcome: outcome, Reasons: reasons},
	}
}

// A plan of the queue waits again if an operator can still apply a part of it, and if no outcome is unknown.
func TestWhatBecomesOfAPlan(t *testing.T) {
	applied, failed := receipt("R-1", journal.Applied), receipt("R-2", journal.Refused)
	failed.Err = errors.New("the endpoint is down")
	condition := receipt("R-2", journal.Refused, plan.Reason{Code: plan.ConditionFailed, Text: "changed"})
	question := receipt("R-2", journal.Refused, plan.Reason{Code: plan.Asked, Asks: &answers.Question{}})
	held := receipt("", journal.Refused, plan.Reason{Code: plan.Held, Text: "held"})
	for name, tc := range map[string]struct {
		made, refused []change.Receipt
		state         queue.State
		receipts      []string
		why           bool
	}{
		"applied":                          {[]change.Receipt{applied}, nil, queue.Applied, []string{"R-1"}, false},
		"a condition refused":              {[]change.Receipt{condition}, nil, queue.Refused, []string{"R-2"}, true},
		"one of two refused":               {[]change.Receipt{applied, condition}, nil, queue.Applied, []string{"R-1", "R-2"}, true},
		"unknown":                          {[]change.Receipt{applied, receipt("R-2", journal.Unknown)}, nil, queue.Unknown, []string{"R-1", "R-2"}, false},
		"an error":                         {[]change.Receipt{failed}, nil, queue.Waiting, nil, false},
		"an error after a change":          {[]change.Receipt{applied, failed}, nil, queue.Waiting, []string{"R-1"}, false},
		"a question":                       {[]change.Receipt{applied, question}, nil, queue.Waiting, []string{"R-1"}, false},
		"a stopped change":                 {[]change.Receipt{receipt("", journal.Refused)}, nil, queue.Waiting, nil, false},
		"unknown beside an error":          {[]change.Receipt{receipt("R-1", journal.Unknown), failed}, nil, queue.Unknown, []string{"R-1", "R-2"}, false},
		"the rest cannot be planned":       {[]change.Receipt{applied}, []change.Receipt{held}, queue.Applied, []string{"R-1"}, true},
		"the rest was applied before":      {[]change.Receipt{applied}, []change.Receipt{receipt("", journal.Refused, plan.Reason{Code: plan.AppliedBefore})}, queue.Applied, []string{"R-1"}, false},
		"the rest asks":                    {[]change.Receipt{applied}, []change.Receipt{question}, queue.Waiting, []string{"R-1"}, false},
		"the rest changed during the read": {[]change.Receipt{applied}, []change.Receipt{receipt("", journal.Refused, plan.Reason{Code: plan.Moving})}, queue.Waiting, []string{"R-1"}, false},
		"the look was not complete":        {[]change.Receipt{receipt("R-1", journal.Refused, plan.Reason{Code: plan.Incomplete})}, nil, queue.Waiting, nil, false},
		"the rest was not read":            {[]change.Receipt{applied}, []change.Receipt{receipt("", journal.Refused, plan.Reason{Code: plan.Incomplete})}, queue.Waiting, []string{"R-1"}, false},
		"a mark is left":                   {[]change.Receipt{receipt("R-1", journal.Refused, plan.Reason{Code: plan.MarkLeft})}, nil, queue.Unknown, []string{"R-1"}, false},
	} {
		state, why, receipts := becameOf(tc.made, tc.refused)
		if state != tc.state || !slices.Equal(receipts, tc.receipts) || (why != "") != tc.why {
			t.Errorf("%s: %s, %q, %v", name, state, why, receipts)
		}
	}
}
