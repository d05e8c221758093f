package plan

import (
	"errors"
	"slices"
	"time"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
)

// Answer is the result of one step of a change.
type Answer struct {
	// ID identifies the change in the journal; empty if the step was not recorded there. Who is the user's name
	// in the journal. NoSTS is the reason why Who is not the caller's ARN.
	ID, Who, NoSTS string
	Outcome        journal.Outcome
	Reasons        []Reason
	// Err is set if the step failed for a reason other than the content of the table.
	Err        error
	WriteUnits float64
	// Sent are the sendings of the step, all with one token.
	Sent []Sending
	// Lost is set if a sending got no answer.
	Lost bool
}

// Sending is one sending of a request. Err is the error of a sending that got no answer, or was refused.
type Sending struct {
	At   time.Time
	Took time.Duration
	Err  error
}

// AnswerOf returns the answer of a change that is not sent because of an error.
func AnswerOf(err error) Answer {
	if refused, ok := errors.AsType[*Refusal](err); ok {
		return Answer{Outcome: journal.Refused, Reasons: refused.Reasons}
	}
	return Answer{Outcome: journal.Refused, Err: err}
}

// Following returns the answer with the price of an earlier step added. If the answer has no journal ID, it
// gets that of the earlier step.
func (a Answer) Following(before Answer) Answer {
	if a.ID == "" {
		a.ID, a.Who, a.NoSTS = before.ID, before.Who, before.NoSTS
	}
	a.WriteUnits += before.WriteUnits
	return a
}

// AffectsOthers reports whether a step failed for a reason that affects other changes, too. A conflict on one
// item does not.
func (a Answer) AffectsOthers() bool { return a.Err != nil && client.KindOf(a.Err) != client.Conflict }

// IsNotThere reports whether a condition refused the removal of a mark. Then the lock is gone, or was put again
// without the mark.
func (a Answer) IsNotThere() bool { return a.Outcome == journal.Refused && a.Err == nil }

// ConditionFailed reports whether an item no longer met a condition of the step.
func (a Answer) ConditionFailed() bool {
	return slices.ContainsFunc(a.Reasons, func(r Reason) bool { return r.Code == ConditionFailed })
}
