// Package change makes all writes to tables. Before it sends a step of a plan, it records the step in the journal. It
// also undoes and resolves changes, stores plans in files, and determines the outcome of requests whose response was
// lost.
//
// A release by mark marks a lock, makes a look, and deletes the lock if it still has the mark. A look reads every
// item, to find one that holds the value of the lock.
//
// Start reading at Changer.Apply. Package plan defines the kinds of change, and package planner plans them. Package
// release has the states of a release by mark. Package mend plans the repairs of a check's findings. Package journal
// is the log of all changes.
package change

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/release"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
)

// Receipt is the result of applying a plan.
type Receipt struct {
	plan.Answer
	Plan *plan.Plan
	// Effect has the values before and after the change; empty unless the plan was applied.
	plan.Effect
	ReadUnits float64
	Done      time.Time
	// Reads lists the reads that a release made before its deletion, to find a holder of the value.
	Reads []client.Read
	// Marked is the time at which DynamoDB confirmed the mark of a release; zero if the release has no confirmed mark
	// that a deletion may rely on.
	Marked time.Time
	// Unmarked is set if a release set its mark and removed it again.
	Unmarked bool
}

// NotMade returns the receipt of a change that was not made because of an error.
func NotMade(p *plan.Plan, err error) Receipt { return Receipt{Plan: p, Answer: plan.AnswerOf(err)} }

// OnlyMarked reports whether a release by mark ended without a mark that a deletion may rely on. Such a release did
// not delete the lock, even if the outcome of the mark is unknown.
func (r Receipt) OnlyMarked() bool { return r.Plan != nil && r.Plan.UsesMark() && r.Marked.IsZero() }

// Proof returns the evidence that no account held the value of a lock that was released by mark. It is empty for
// any other receipt.
func (r Receipt) Proof() string {
	if r.Outcome != journal.Applied || r.Marked.IsZero() {
		return ""
	}
	return fmt.Sprintf("marked at %s; then every item was read, and the mark was still on the lock", phrase.Clock(r.Marked))
}

// Stage is the current stage of a change: the step that is being sent, or one of the constants below.
type Stage string

// The stages: the steps of a release that marks its lock, the retry of a step, and the stages that send no step.
const (
	StageMark     = Stage(journal.StepMark)
	StageDelete   = Stage(journal.StepDelete)
	StageUnmark   = Stage(journal.StepUnmark)
	StageAskAgain = Stage("ask again") // the step is sent again: the answer was lost, or DynamoDB is busy
	StageWait     = Stage("wait")      // wait until every earlier write can be read
	StageLook     = Stage("look")      // read every item, to find one that holds the value
	StageEach     = Stage("each")      // apply several changes, one after the other
)

// Progress has the current stage of a change, and its counts.
type Progress struct {
	Stage Stage
	// Done and Total count the milliseconds of a wait, the items of a look, or the changes of a series. Total is 0
	// if unknown; for a look it is an estimate.
	Done, Total int64
	ReadUnits   float64
	// Throttled counts the requests of a look that were throttled and sent again.
	Throttled int64
	// Locks counts the locks that finished the stage, and AllLocks all locks. Both are 0 if the stage is not
	// about locks.
	Locks, AllLocks int
	// EarlierLocks counts the locks among Locks that earlier processes of a backfill have put.
	EarlierLocks int
	// Attempt is the number of the current attempt to send a step, from 1. Before is the kind of the error that
	// ended the previous attempt.
	Attempt int
	Before  client.Kind
}

// DefaultWriteUnits is the default rate, in write units per second, at which many changes are applied together.
const DefaultWriteUnits = 100

// Changer applies plans.
type Changer struct {
	Journal *journal.Journal
	// Who is the user's name in the operating system. The journal stores it if the caller's ARN is unknown.
	Who string
	// AppliedBy is the name of the person who makes the changes, if many people share the credentials of a server. It is
	// empty otherwise. The journal stores it beside Who.
	AppliedBy string
	// Pause returns the pause before a step is sent again; attempt counts the sendings so far. If Pause is nil, the
	// pauses add up to about 14 s.
	Pause func(attempt int) time.Duration
	// Writes limits the rate of writing; its Rate is in write units per second.
	Writes client.Pace
	// MaxReadUnits limits the read units per second of a look. It also limits the reads that plan the repair of
	// findings. 0 means half of the table's capacity (see scan.RateOf); negative means no limit.
	MaxReadUnits float64
	// Now returns the current time. If Now is nil, the wall clock is used.
	Now func() time.Time

	mu   sync.Mutex
	sent map[string]sentHere // the unanswered requests, by token
}

// For returns a changer for one person, with the settings of c and its own journal.
func (c *Changer) For(person string, j *journal.Journal) *Changer {
	return &Changer{
		Journal: j, Who: c.Who, AppliedBy: person, Pause: c.Pause,
		Writes:       client.Pace{Rate: c.Writes.Rate, Each: c.Writes.Each},
		MaxReadUnits: c.MaxReadUnits, Now: c.Now,
	}
}

// Apply applies a plan. It calls progress, which may be nil, from any goroutine. If ctx is cancelled before a step is
// sent, the change stops, and a release removes its mark. If ctx is cancelled after a step was sent, the outcome may
// be Unknown.
func (c *Changer) Apply(ctx context.Context, p *plan.Plan, progress func(Progress)) Receipt {
	return c.ApplyAll(ctx, []*plan.Plan{p}, progress)[0]
}

// single applies a plan of one step.
func (s *series) single(ctx context.Context, p *plan.Plan, progress func(Progress)) Receipt {
	c := s.Changer
	unlock, err := c.Journal.LockRun(p.Live.Run)
	if err != nil {
		return NotMade(p, err)
	}
	defer unlock()
	if err := s.checkCurrent(ctx, p); err != nil {
		return NotMade(p, err)
	}
	a := c.sendStep(ctx, request{plan: p, step: p.Steps[0]}, progress)
	if p.Live.Counter != nil {
		p, a = c.replanBump(ctx, p, a, progress)
	}
	r := Receipt{Plan: p, Answer: a, Done: c.now()}
	if r.Outcome == journal.Applied {
		r.Effect = p.Effect
	}
	return r
}

// checkCurrent returns an error if the plan is outdated for a reason that none of its conditions would detect.
func (s *series) checkCurrent(ctx context.Context, p *plan.Plan) error {
	if err := s.checkNotMade(p, s.several); err != nil {
		return err
	}
	if p.Undoes == "" {
		if err := checkStatements(p.Live.Table, p.Live.Statements); err != nil {
			return err
		}
	}
	if p.Live.Release != nil { // the planner read other accounts, which no condition covers
		_, err := release.CheckTables(ctx, p.Live.Table)
		return err
	}
	return nil
}

// checkNotMade returns a *plan.Refusal if somebody else has already made the change: from the same plan file, or by
// another undo. If several changes are applied together, checkNotMade does not search for applied changes:
// PlanFile.FindApplied has already done this.
func (c *Changer) checkNotMade(p *plan.Plan, several bool) error {
	if err := c.checkNotUndone(p); err != nil || several {
		return err
	}
	return c.checkNotApplied(p)
}

// checkStatements returns a *plan.Refusal if the config now describes the table differently, or if people have
// changed their answers about the table. said is the earlier result of Table.Statements.
func checkStatements(t *dynamo.Table, said string) error {
	switch now, err := t.Statements(); {
	case err != nil:
		return &plan.Refusal{Reasons: []plan.Reason{plan.ReasonOf(plan.Changed, err)}}
	case now != said:
		return plan.Refuse(plan.Changed, "after this plan, somebody answered a question about %s, or accepted a layout: plan the change again",
			t.Name)
	}
	return nil
}

// bumpTries is the maximum number of attempts to plan and send a change of a counter while other writers change the
// counter.
const bumpTries = 10

// replanPause bounds the random pause before the first retry of replanBump. The bound doubles with each retry
// up to the sixth, so that writers of one counter do not collide again at once.
const replanPause = 10 * time.Millisecond

// replanBump plans a change of a counter again, and sends it, while other writers keep changing the counter. All
// attempts have the same receipt, and the journal records each attempt. After a lost answer replanBump does not plan
// again: the change may have happened.
func (c *Changer) replanBump(
	ctx context.Context, p *plan.Plan, a plan.Answer, progress func(Progress),
) (*plan.Plan, plan.Answer) {
	refused := func() bool { return a.Outcome == journal.Refused && a.Err == nil && !a.Lost && a.ConditionFailed() }
	for try := 1; try < bumpTries && refused(); try++ {
		if p.Live.Counter.Replan == nil || client.Pause(ctx, rand.N(replanPause<<min(try-1, 5))) != nil {
			break
		}
		again, err := p.Live.Counter.Replan(ctx)
		if err != nil {
			failed := plan.AnswerOf(err)
			if failed.Err != nil {
				failed.Reasons = a.Reasons
			}
			failed.Sent = a.Sent
			return p, failed.Following(a)
		}
		if again.Kind != p.Kind || again.Typed != p.Typed { // the person did not agree to this kind of change
			break
		}
		again.ID, again.Live.Run, again.Reason = p.ID, p.Live.Run, p.Reason
		again.AskedBy = p.AskedBy
		again.Live.Request, again.Live.FileChange = p.Live.Request, p.Live.FileChange
		for _, line := range p.Lines {
			if line.Label == plan.LabelPlanned || line.Label == plan.LabelSince {
				again.Lines = append(again.Lines, line)
			}
		}
		p = again
		a = c.sendStep(ctx, request{plan: p, step: p.Steps[0]}, progress).Following(a)
	}
	return p, a
}

// Released returns the lock that a change released, and its table; nil for any other change.
func (r Receipt) Released() (*dynamo.Table, *verdict.Relation) {
	if r.Outcome != journal.Applied || r.Plan.Live.Release == nil {
		return nil, nil
	}
	return r.Plan.Live.Table, r.Plan.Live.Release.Rel
}

// checkNotUndone returns a *plan.Refusal if the plan is an undo, and somebody else has already undone the change. The
// conditions of the plan do not detect this for a counter: the counter may be back at the same number.
func (c *Changer) checkNotUndone(p *plan.Plan) error {
	if p.Undoes == "" {
		return nil
	}
	if err := c.Journal.CheckChain("undoing " + p.Undoes); err != nil {
		return err
	}
	r, err := c.Journal.Record(p.Undoes)
	if err != nil {
		return err
	}
	if r == nil {
		return plan.Refuse(plan.NotUndone, "%s cannot be undone: the journal no longer has this change", p.Undoes)
	}
	if why := plan.WhyNotUndone(r); why != "" {
		return plan.Refuse(plan.NotUndone, "%s cannot be undone: %s", p.Undoes, why)
	}
	return nil
}

// WhyNotUndone returns the reason why a change that was just made cannot be undone; empty if an undo may be
// tried.
func (r Receipt) WhyNotUndone() string {
	p := r.Plan
	switch {
	case r.Outcome != journal.Applied:
		return plan.NotApplied(r.Outcome)
	case p.WhyNeverUndone() != "":
		return p.WhyNeverUndone()
	case p.Kind == plan.KindRecreate && p.Account != "":
		return fmt.Sprintf("%s holds the %s \"%s\", so its lock stays", p.Account, p.Constraint,
			p.Value)
	}
	return ""
}
