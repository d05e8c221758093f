package plan

import (
	"slices"

	"github.com/google/uuid"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/schema"
)

// Step is one transaction. With its token it is safe to send the step again.
type Step struct {
	Name   journal.StepName `json:"name"`
	Token  string           `json:"token"`
	Writes []client.Write   `json:"writes"`
	// Only is, in words, the condition for sending the step: "every item was read and none holds the value". It
	// is empty if the step is always sent.
	Only string `json:"only,omitempty"`
}

// Body returns the body of the step's TransactWriteItems request. Every attempt sends the same bytes.
func (s Step) Body() ([]byte, error) {
	return client.Request(s.Token, s.Writes)
}

func newToken() string { return uuid.NewString() }

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

// Effect returns the step with the plan's intended change: the first one that is not the mark of a release.
func (s Steps) Effect() Step {
	for _, one := range s {
		if one.Name != journal.StepMark {
			return one
		}
	}
	return Step{}
}

// Recurs reports whether a late copy of the request may make the change a second time.
func (p *Plan) Recurs() bool {
	return operations[p.Kind].recurs || p.Undoes != "" && len(p.Steps) == 1
}

// RestsOnMark reports whether a step requires the release's mark on the lock. Every mark is unique, so retries of
// such a step apply once.
func (p *Plan) RestsOnMark(s Step) bool {
	return s.Name == journal.StepUnmark || s.Name == journal.StepDelete &&
		slices.ContainsFunc(p.Steps, func(other Step) bool { return other.Name == journal.StepMark })
}

// MarkIn returns the mark among terms; no value if there is none.
func MarkIn(terms []client.Term) attr.Value {
	for _, t := range terms {
		if t.Attribute() == schema.MarkAttribute {
			return t.Value
		}
	}
	return attr.Value{}
}
