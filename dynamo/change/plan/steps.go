package plan

import (
	"errors"
	"slices"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/schema"
)

// Step is one transaction. Its token makes it safe to send the step again.
type Step struct {
	Name   journal.StepName `json:"name"`
	Token  string           `json:"token"`
	Writes []client.Write   `json:"writes"`
	// Only is the condition for sending the step, in words: "every item was read, and none holds the value". It is
	// empty if the step is always sent.
	Only string `json:"only,omitempty"`
}

// Body returns the body of the step's TransactWriteItems request. Every attempt sends the same bytes.
func (s Step) Body() ([]byte, error) {
	return client.Request(s.Token, s.Writes)
}

// Steps are the steps of a plan, in sending order.
type Steps []Step

// Verbs returns the verb of each write.
func (s Steps) Verbs() []client.Verb {
	var verbs []client.Verb
	for _, one := range s {
		for _, w := range one.Writes {
			verbs = append(verbs, w.Verb)
		}
	}
	return verbs
}

// Written returns the names of the tables that the steps write, each once.
func (s Steps) Written() []string {
	var tables []string
	for _, one := range s {
		for _, w := range one.Writes {
			if w.Verb != client.Check && !slices.Contains(tables, w.Table) {
				tables = append(tables, w.Table)
			}
		}
	}
	return tables
}

// Effect returns the step that makes the plan's change: the first step that does not set a release's mark.
func (s Steps) Effect() Step {
	for _, one := range s {
		if one.Name != journal.StepMark {
			return one
		}
	}
	return Step{}
}

// Recurs reports whether a delayed duplicate of the request may make the change a second time.
func (p *Plan) Recurs() bool {
	return operations[p.Kind].recurs || p.Undoes != "" && len(p.Steps) == 1
}

// RestsOnMark reports whether a step requires the release's mark on the lock. Every mark is unique. So even if such
// a step is sent several times, it takes effect only once.
func (p *Plan) RestsOnMark(s Step) bool {
	return s.Name == journal.StepUnmark || s.Name == journal.StepDelete &&
		slices.ContainsFunc(p.Steps, func(other Step) bool { return other.Name == journal.StepMark })
}

// MarkIn returns the mark in the given terms; an empty value if no term has the mark attribute.
func MarkIn(terms []client.Term) attr.Value {
	for _, t := range terms {
		if t.Attribute() == schema.MarkAttribute {
			return t.Value
		}
	}
	return attr.Value{}
}

// Answer is the result of one step of a change.
type Answer struct {
	// ID identifies the change in the journal; empty if the step was not recorded there. Who is the user's name
	// in the journal. NoSTS is the error of STS, if Who is not the caller's ARN.
	ID, Who, NoSTS string
	Outcome        journal.Outcome
	Reasons        []Reason
	// Err is set if the step failed for a reason that is not in the table's data, such as a dead endpoint.
	Err        error
	WriteUnits float64
	// Sent lists the attempts to send the step. All attempts use one token.
	Sent []Sending
	// Lost is set if an attempt got no answer.
	Lost bool
}

// Sending is one attempt to send a request. Err is set if the attempt got no answer or was refused.
type Sending struct {
	At   time.Time
	Took time.Duration
	Err  error
}

// AnswerOf returns the answer for a change that was not sent because of an error.
func AnswerOf(err error) Answer {
	if refused, ok := errors.AsType[*Refusal](err); ok {
		return Answer{Outcome: journal.Refused, Reasons: refused.Reasons}
	}
	return Answer{Outcome: journal.Refused, Err: err}
}

// Following returns the answer with the write units of an earlier answer added. If the answer has no journal ID, it
// gets the ID and the user of the earlier answer.
func (a Answer) Following(before Answer) Answer {
	if a.ID == "" {
		a.ID, a.Who, a.NoSTS = before.ID, before.Who, before.NoSTS
	}
	a.WriteUnits += before.WriteUnits
	return a
}

// AffectsOthers reports whether a step failed for a reason that also affects other changes. A conflict on one item
// affects only its own change.
func (a Answer) AffectsOthers() bool { return a.Err != nil && client.KindOf(a.Err) != client.Conflict }

// IsNotThere reports whether the removal of a mark failed because the mark is not there: the lock is gone, or was
// put again without the mark.
func (a Answer) IsNotThere() bool { return a.Outcome == journal.Refused && a.Err == nil }

// ConditionFailed reports whether an item no longer met a condition of the step.
func (a Answer) ConditionFailed() bool {
	return slices.ContainsFunc(a.Reasons, func(r Reason) bool { return r.Code == ConditionFailed })
}
