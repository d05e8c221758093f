package plan

import (
	"errors"
	"slices"
	"time"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
)

// Answer is what became of one step of a change.
type Answer struct {
	// ID identifies the change in the journal; empty if the step was not written there. Who is the
	// name in the journal, and NoSTS is why it is not the caller's ARN.
	ID, Who, NoSTS string
	Outcome        journal.Outcome
	Reasons        []Reason
	// Err is set if the step failed for a reason outside of the table.
	Err        error
	WriteUnits float64
	// Sent are the sendings of the step, all with one token.
	Sent []Sending
	// Lost is set if a sending was not answered.
	Lost bool
}

// Sending is one sending of a request. Err is why it was not answered, or how it was refused.
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

// Following adds the price of an earlier step of the same change, and its name in the journal if the later
// step has none.
func (a Answer) Following(before Answer) Answer {
	if a.ID == "" {
		a.ID, a.Who, a.NoSTS = before.ID, before.Who, before.NoSTS
	}
	a.WriteUnits += before.WriteUnits
	return a
}

// AffectsOthers reports whether a step failed for a reason that other changes would fail for, too. A
// conflict on one item is not one.
func (a Answer) AffectsOthers() bool { return a.Err != nil && client.KindOf(a.Err) != client.Conflict }

// IsNotThere reports whether the removal of a mark was refused by its condition: the lock is gone or was
// put again, and the mark with it.
func (a Answer) IsNotThere() bool { return a.Outcome == journal.Refused && a.Err == nil }

// ConditionFailed reports whether an item was no longer as the step requires.
func (a Answer) ConditionFailed() bool {
	return slices.ContainsFunc(a.Reasons, func(r Reason) bool { return r.Code == ConditionFailed })
}
