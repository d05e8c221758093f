// Package model has the protocols of docs/truth.md as state machines, and explores them. Explore visits every
// interleaving of a small world: a few accounts and values, an application that writes them, and the tool that reads
// and writes beside the application. Each claim of docs/truth.md is a Property. A Weakness leaves out one part of a
// protocol, so that a test can show that the part is needed. docs/spec has the same protocols in Quint.
//
// Start at Model, State and Explore.
package model

import (
	"fmt"
	"strings"
)

// Step is one step of a system: a transaction of the application, a request of the tool, or an item that becomes
// visible.
type Step struct {
	Kind    Kind
	Process int // the number of the release, for a step of the tool
	Account int
	Value   int
	// Number has a meaning for each kind: the version that an eventually consistent read shows, the new mark, the run of a
	// backfill, or the number of an item, an account or a late copy.
	Number int
	Answer Answer
	// Writes has the written items, for a step that has several.
	Writes []Write
}

// Kind is the kind of a step.
type Kind string

// Answer is the fate of a request of the tool.
type Answer uint8

// The fates of a request. A copy of a request whose answer was lost may arrive later, any number of times.
const (
	Answered  Answer = iota
	LostAfter        // the request was executed, but its answer was lost
	LostSent         // the request has not been executed yet, and has no answer
)

func (a Answer) String() string { return [...]string{"answered", "answer lost", "request lost"}[a] }

func (s Step) String() string {
	text := string(s.Kind)
	switch s.Kind {
	case Transaction:
		return fmt.Sprint(text, " ", s.Writes)
	case Backfill, Undo:
		text += fmt.Sprint(" ", s.Writes)
	case SignUp, Change, Import, ImportBare, Copy, PutLock, Confirm, CheckFirst,
		SignUpPrinted, ChangePrinted, SignUpOld, ChangeOld:
		text += fmt.Sprintf(" %s:%s", accountNames[s.Account], valueNames[s.Value])
	case Leave, LeaveStrict, Expire, PutAccount, DeleteAccount, DeleteLock, Read, ReadEventual,
		ReadOwner, ReadClaimant, LeavePrinted, LeaveOld:
		text += " " + accountNames[s.Account]
	case PassAccount, Survey:
		text += fmt.Sprintf(" %s, version %d", accountNames[s.Account], s.Number)
	case Reveal:
		if s.Number < maxAccounts {
			return text + " " + accountNames[s.Number]
		}
		return text + " the lock of " + valueNames[s.Number-maxAccounts]
	case ReKey:
		text += fmt.Sprintf(" %s to %s", accountNames[s.Account], accountNames[s.Number])
	case Tidy, Reserve:
		text += " " + valueNames[s.Value]
	}
	if s.Answer != Answered {
		text += " (" + s.Answer.String() + ")"
	}
	return text
}

// Property is a claim of docs/truth.md that a step can break.
type Property string

// Violation is a property that is broken, with the steps that break it.
type Violation struct {
	Property Property
	Steps    []Step
}

func (v *Violation) String() string {
	if v == nil {
		return "no violation"
	}
	var steps []string
	for _, s := range v.Steps {
		steps = append(steps, s.String())
	}
	return fmt.Sprintf("%s: %s", v.Property, strings.Join(steps, " | "))
}

// Result is the result of an exploration.
type Result struct {
	States, Steps int
	// Violation has the fewest steps to a broken property; nil if no property is broken.
	Violation *Violation
	// Reached counts how often each kind of step was taken.
	Reached map[Kind]int
	// Complete is set if the exploration has visited all states without a violation.
	Complete bool
}

// System is a state machine that Explore explores.
type System[S any] interface {
	// Begin returns the first states.
	Begin() []S
	// Steps returns the steps that are possible in a state.
	Steps(state S) []Step
	// Do returns the state after a step, and the property that the step breaks, if any. The error names the rule that
	// forbids the step.
	Do(state S, step Step) (S, Property, error)
	// Key returns a text. Only equal states have the same text.
	Key(state S) string
}

// Explore visits every state of a system, the nearest first, until a step breaks a property. most is the maximum
// number of states; 0 means no limit.
func Explore[S any](system System[S], most int) Result {
	type visit struct {
		from int // the index of the previous state
		step Step
	}
	result := Result{Reached: map[Kind]int{}}
	known, visits := map[string]bool{}, []visit(nil)
	var states []S // the states that were not expanded yet
	add := func(s S, from int, step Step) {
		if key := system.Key(s); !known[key] {
			known[key] = true
			states, visits = append(states, s), append(visits, visit{from, step})
		}
	}
	for _, s := range system.Begin() {
		add(s, -1, Step{})
	}
	trace := func(at int, last Step) (steps []Step) {
		for steps = []Step{last}; visits[at].from >= 0; at = visits[at].from {
			steps = append([]Step{visits[at].step}, steps...)
		}
		return steps
	}
	for at := 0; len(states) > 0; at++ {
		s := states[0]
		states = states[1:]
		for _, step := range system.Steps(s) {
			next, broken, err := system.Do(s, step)
			if err != nil {
				continue
			}
			result.Steps++
			result.Reached[step.Kind]++
			if broken != "" {
				result.States, result.Violation = len(visits), &Violation{broken, trace(at, step)}
				return result
			}
			add(next, at, step)
		}
		if most > 0 && len(visits) > most {
			result.States = len(visits)
			return result
		}
	}
	result.States, result.Complete = len(visits), true
	return result
}
