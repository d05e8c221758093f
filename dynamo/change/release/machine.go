// Package release implements the release by mark (docs/truth.md §3b): Machine has its states, and Look reads
// every item to find one that holds the value of a lock.
//
// A mark is an attribute that is set on a lock before the look, so that the deletion fails if the lock was
// rewritten.
package release

import (
	"slices"
	"time"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/remedy"
)

// State is the state of a release by mark (docs/truth.md §3b).
type State string

// The states of a release. Each state except StateLook and StateOver sends the step of the same name.
const (
	StateMark   State = "mark"
	StateLook   State = "look" // the lock is marked: every item has to be read
	StateDelete State = "delete"
	StateUnmark State = "unmark"
	StateOver   State = "over"
)

// markTries is the maximum number of marks that one lock gets. If a mark had to be sent twice, a new mark replaces
// it.
const markTries = 5

// Machine is the state machine of one release by mark. It sends and reads nothing itself. Step returns the step to
// send in the current state. Answered and Looked take the result, and return the machine in its next state.
type Machine struct {
	State State
	// Plan has the mark that the lock has or will get. After the look, the plan's deletion step also has the
	// conditions that the look adds. So the journal gets exactly the request that is sent.
	Plan *plan.Plan
	// Answer is the result of the release so far.
	plan.Answer
	// Marked is the time at which DynamoDB confirmed a mark that was sent only once; zero if there is none. Unmarked
	// is set if the mark was removed.
	Marked   time.Time
	Unmarked bool

	tries    int
	lostMark bool // the answer to the mark was lost
	again    bool // the lock gets another mark once this mark is removed
}

// Begin returns the machine of a release that has sent nothing yet.
func Begin(p *plan.Plan) Machine { return Machine{State: StateMark, Plan: p, tries: 1} }

// Resume returns the machine of a release whose mark was set at the given time, and is still on the lock.
func Resume(p *plan.Plan, marked time.Time) Machine {
	return Machine{State: StateLook, Plan: p, Marked: marked, Answer: plan.Answer{ID: p.ID}}
}

// Step returns the step to send; false if the state sends none.
func (r Machine) Step() (plan.Step, bool) {
	switch r.State {
	case StateMark:
		return r.Plan.Steps[0], true
	case StateDelete:
		return r.Plan.Steps[1], true
	case StateUnmark:
		return r.Plan.Steps[2], true
	case StateLook, StateOver:
	}
	return plan.Step{}, false
}

// Answered returns the machine in its next state. The parameter a is the answer to the step of the current state.
func (r Machine) Answered(a plan.Answer, now time.Time) Machine {
	switch r.State {
	case StateMark:
		return r.marked(a, now)
	case StateDelete:
		return r.deleted(a)
	case StateUnmark:
		return r.unmarked(a, now)
	case StateLook, StateOver:
	}
	return r
}

// marked handles the answer to the mark. A deletion relies only on a mark that was sent once and answered. If a
// mark was sent twice, a copy may still be under way. When the copy arrives, DynamoDB may have forgotten its token,
// and would set the mark on a new lock. So the machine removes such a mark and never uses it. The lock gets another
// mark, which no copy can set.
func (r Machine) marked(a plan.Answer, now time.Time) Machine {
	r.Answer = a.Following(r.Answer)
	switch {
	case a.Outcome == journal.Unknown:
		r.Reasons = []plan.Reason{{Code: plan.NoAnswer, Text: "the answer to the mark's request was lost, so the lock was not deleted"}}
		r.State, r.lostMark = StateUnmark, true
	case a.Outcome != journal.Applied:
		r.State = StateOver
	case !a.Lost:
		r.State, r.Marked, r.Unmarked = StateLook, now, false
	default:
		r = r.Keep(&sentTwice, nil)
		r.again = r.tries < markTries
	}
	return r
}

// sentTwice is the reason to keep a lock whose mark was retried: no deletion relies on a retried mark.
var sentTwice = plan.Reason{
	Code: plan.NoAnswer,
	Text: "the mark's first request was not answered. A mark that was sent twice cannot protect a deletion, so the lock was not deleted. Release the lock once more",
}

// Looked returns the machine after a look that found no holder of the value. The parameter lacks names the attributes
// that held locks have and this lock lacks. The deletion then also requires that these attributes are still missing.
func (r Machine) Looked(lacks []string) Machine {
	looked := *r.Plan
	looked.Steps = slices.Clone(looked.Steps)
	deletion := &looked.Steps[1]
	deletion.Writes = slices.Clone(deletion.Writes)
	remove := &deletion.Writes[0]
	remove.If = planner.WithAbsent(remove.If, lacks)
	if planner.TooLong(*remove) {
		return r.Keep(&plan.Refuse(plan.ByHand, "the lock lacks too many attributes of held locks for one condition, "+
			"so the lock was not deleted").Reasons[0], nil)
	}
	r.State, r.Plan = StateDelete, &looked
	return r
}

// WhyNotAgain returns the reason not to send an unanswered deletion again; nil if it may be sent. The parameter lacks
// names the attributes that held locks have and this lock lacks. The deletion must already require that these
// attributes are missing: its token is valid for the unchanged request only, so no condition can be added.
func (r Machine) WhyNotAgain(lacks []string) *plan.Reason {
	terms := r.Plan.Steps[1].Writes[0].If
	more := planner.WithAbsent(terms, lacks)[len(terms):]
	if len(more) == 0 {
		return nil
	}
	return &plan.Refuse(plan.Changed, "held locks now have the attribute %q. The earlier deletion does not "+
		"check that the attribute is missing, so the deletion was not sent again. Release the lock once more", more[0].Attribute()).Reasons[0]
}

// Keep returns the machine of a lock that has to stay, because of a reason or an error. Its next step removes the
// mark.
func (r Machine) Keep(reason *plan.Reason, err error) Machine {
	r.State, r.Outcome, r.Reasons, r.Err = StateUnmark, journal.Refused, nil, err
	if reason != nil {
		r.Reasons = []plan.Reason{*reason}
	}
	return r
}

// Abandon returns the machine of a lock that has to stay because of an error. The release is over, and the mark
// stays on the lock.
func (r Machine) Abandon(err error) Machine {
	r = r.Keep(nil, err)
	r.State = StateOver
	return r.leaveMark(markStays)
}

// deleted handles the answer to the deletion.
func (r Machine) deleted(a plan.Answer) Machine {
	r.Answer, r.State = a.Following(r.Answer), StateOver
	switch {
	case a.Outcome == journal.Unknown:
		r = r.leaveMark(markMayStay)
	case a.Outcome == journal.Refused && !plan.IsTakenOver(a.Reasons):
		r.State = StateUnmark
	}
	return r
}

// unmarked handles the answer to the removal of the mark. If the answer to the mark was lost and the lock has no
// mark, the mark may still arrive, and the change stays open.
func (r Machine) unmarked(a plan.Answer, now time.Time) Machine {
	r.State, r.Unmarked = StateOver, a.Outcome == journal.Applied
	r.WriteUnits += a.WriteUnits
	switch {
	case r.Unmarked && r.again:
		r.State, r.again = StateMark, false
		r.tries++
		r.Plan = planner.WithNewMark(r.Plan, now)
	case r.Unmarked && r.lostMark:
		r.Outcome = journal.Refused
	case r.Unmarked:
	case plan.IsTakenOver(a.Reasons):
		r.Reasons = append(slices.Clip(r.Reasons), plan.Reason{Code: plan.TakenOver, Text: a.Reasons[0].Text})
	case a.Outcome == journal.Unknown:
		r = r.leaveMark(markUnsure)
	case !a.IsNotThere():
		r = r.leaveMark(markStays)
	}
	if r.lostMark && a.IsNotThere() {
		r = r.leaveMark(markMayCome)
	}
	return r
}

// The possible states of a mark that was not removed, in words.
const (
	markStays   = "the mark could not be removed"
	markUnsure  = "the answer to the mark's removal was lost, so the mark may still be on the lock"
	markMayStay = "if the lock still exists, it still has the mark"
	markMayCome = "the mark is not on the lock, but may still arrive"
)

// leaveMark adds a reason to the answer: the mark is, or may be, still on the lock.
func (r Machine) leaveMark(where string) Machine {
	r.Reasons = append(slices.Clip(r.Reasons), plan.Reason{
		Code: plan.MarkLeft,
		Text: where + ". The mark is harmless", Remedy: remedy.Of(remedy.RemoveMark),
	})
	return r
}

// Why returns the reasons why the lock was kept, for the journal's entry about the removal of the mark: no other
// entry has them.
func (r Machine) Why() []plan.Reason {
	switch {
	case client.KindOf(r.Err) == client.Cancelled:
		return []plan.Reason{
			{Code: plan.Cancelled, Text: "stopped before the deletion: the mark is removed, and the lock stays"},
		}
	case r.Err != nil:
		return []plan.Reason{plan.ReasonOf(plan.Incomplete, r.Err)}
	}
	return r.Reasons
}
