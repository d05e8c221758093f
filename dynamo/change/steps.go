package change

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
)

// Step is one transaction, with the token that makes it safe to send again.
type Step struct {
	Name   journal.StepName `json:"name"`
	Token  string           `json:"token"`
	Writes []client.Write   `json:"writes"`
	// Only says when the step is taken, where that is not always: "an account
	// was found".
	Only string `json:"only,omitempty"`

	// Of a step that was sent before: the request as it was sent, when that was
	// first, and the last moment at which it may be sent again; none where it rests
	// on a mark.
	request      []byte
	first, until time.Time
}

func newToken() string { return uuid.NewString() }

// Steps are those of a plan, in the order in which they are sent.
type Steps []Step

// verbs are what the steps do to items.
func (s Steps) verbs() []client.Verb {
	var verbs []client.Verb
	for _, one := range s {
		for _, w := range one.Writes {
			verbs = append(verbs, w.Verb)
		}
	}
	return verbs
}

// Written are the tables that the steps write, each once.
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

// effect is the step that changes what the plan is about: not the mark of a
// release.
func (s Steps) effect() Step {
	for _, one := range s {
		if one.Name != journal.StepMark {
			return one
		}
	}
	return Step{}
}
