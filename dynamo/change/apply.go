// Package change applies all writes: it sends the steps of a plan, journal first, undoes and resolves changes,
// and keeps plans in files. It also determines the outcome of requests whose response was lost.
//
// Start reading at Changer.Apply. Below it, package plan says what each kind of change does, release is the state
// machine of a release by mark, mend plans repairs of a check's findings, and journal is the log.
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
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/verdict"
)

// Receipt is the outcome of applying a plan.
type Receipt struct {
	plan.Answer
	Plan *plan.Plan
	// Effect is the plan's, once it is applied.
	plan.Effect
	ReadUnits float64
	Done      time.Time
	// Reads are the reads of a look.
	Reads []client.Read
	// Marked is when a release had put its mark; zero if it put none.
	Marked time.Time
	// Unmarked is set if a release had put its mark, and took it off again.
	Unmarked bool
}

// NotMade returns the receipt of a change that was not made because of an error.
func NotMade(p *plan.Plan, err error) Receipt { return Receipt{Plan: p, Answer: plan.AnswerOf(err)} }

// OnlyMarked reports whether no more than the marker of a release was sent, so that the lock
// is there whatever became of that.
func (r Receipt) OnlyMarked() bool { return r.Plan != nil && r.Plan.UsesMark() && r.Marked.IsZero() }

// Proof says what shows that nobody held the value of a lock that was deleted by its mark;
// empty if nothing was marked.
func (r Receipt) Proof() string {
	if r.Outcome != Applied || r.Marked.IsZero() {
		return ""
	}
	return fmt.Sprintf("marked %s, all accounts read since, and the marker was still there", phrase.Clock(r.Marked))
}

// Stage is what a change is doing: the name of the step that is being sent, or one of the
// stages below.
type Stage string

// The stages of a release that marks its lock, and those that send no step for the
// first time.
const (
	StageMark     = Stage(journal.StepMark)
	StageDelete   = Stage(journal.StepDelete)
	StageUnmark   = Stage(journal.StepUnmark)
	StageAskAgain = Stage("ask again") // the answer was lost, or DynamoDB is busy
	StageWait     = Stage("wait")      // until every earlier write can be read
	StageLook     = Stage("look")      // for anybody who holds the value
	StageEach     = Stage("each")      // of several changes, one after the other
)

// Progress is how far a change has come.
type Progress struct {
	Stage Stage
	// Done of Total: milliseconds of a wait, items of a look, changes of several. Total is 0
	// if unknown; for a look it is an estimate.
	Done, Total int64
	ReadUnits   float64
	// Throttled is how many requests of a look were throttled and sent again.
	Throttled int64
	// Locks of AllLocks are through the stage; both are 0 if the stage is not about locks.
	Locks, AllLocks int
	// Attempt is how often a step was sent, from 1.
	Attempt int
}

// DefaultWriteUnits is the default rate, in write units per second, of a run of many changes.
const DefaultWriteUnits = 100

// Changer applies plans.
type Changer struct {
	Journal *journal.Journal
	// Who is the operating system's name for the user, for the journal.
	Who string
	// Pause returns how long to wait before a step is sent again, after attempt sendings. If
	// nil, the pauses add up to about 12 s.
	Pause func(attempt int) time.Duration
	// Writes paces what is written; its Rate is in write units per second.
	Writes client.Pace
	// MaxReadUnits limits the read units per second of a look, and of reading findings again
	// before they are mended. 0 means scan.PaceOf; negative means no limit.
	MaxReadUnits float64
	// Say puts what a person can do into words, for the journal. If it is nil, the journal
	// leaves that out.
	Say func(remedy.Remedy) string
	// Now is the clock; if nil, the wall clock.
	Now func() time.Time

	mu   sync.Mutex
	sent map[string]sentHere // by token: the requests without an answer
}

// Apply applies a plan. It calls progress, which may be nil, from any goroutine. Cancelling
// ctx before a step is sent stops the change, and takes a mark off again; after that the
// outcome may be Unknown.
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
	if r.Outcome == Applied {
		r.Effect = p.Effect
	}
	return r
}

// checkCurrent returns an error if something that no condition tells has changed since a change was planned.
func (s *series) checkCurrent(ctx context.Context, p *plan.Plan) error {
	if err := s.checkNotMade(p, s.several); err != nil {
		return err
	}
	if p.Undoes == "" {
		if err := checkStatements(p.Live.Table, p.Live.Statements); err != nil {
			return err
		}
	}
	if p.Live.Release != nil { // other accounts were read when it was planned
		_, err := release.CheckTables(ctx, p.Live.Table)
		return err
	}
	return nil
}

// checkNotMade returns a *Refusal if somebody else has made or undone the change since it was planned. Of
// several changes, FindApplied has told the first before.
func (c *Changer) checkNotMade(p *plan.Plan, several bool) error {
	if err := c.checkNotUndone(p); err != nil || several {
		return err
	}
	return c.checkNotApplied(p)
}

// checkStatements returns a *Refusal if the config describes the table otherwise by now, or people have changed
// their answers about it.
func checkStatements(t *dynamo.Table, said string) error {
	switch now, err := t.Statements(); {
	case err != nil:
		return &plan.Refusal{Reasons: []plan.Reason{plan.ReasonOf(plan.Changed, err)}}
	case now != said:
		return plan.Refuse(plan.Changed, "somebody has answered a question about %s since, or accepted something: plan it again",
			t.Name)
	}
	return nil
}

// bumpTries is how often a change of a counter is planned at most, if the counter moves
// meanwhile.
const bumpTries = 10

// replanPause bounds the random pause before the first of these tries; it doubles with each
// try up to the sixth, so that writers of one counter do not collide again at once.
const replanPause = 10 * time.Millisecond

// replanBump plans a change of a counter again, and sends it, while the counter keeps moving
// under it. It is still the same change, with one receipt; the journal keeps each sending.
// After a lost answer nothing is planned again: the change may have happened.
func (c *Changer) replanBump(
	ctx context.Context, p *plan.Plan, a plan.Answer, progress func(Progress),
) (*plan.Plan, plan.Answer) {
	for try := 1; try < bumpTries && a.Outcome == Refused && a.Err == nil && !a.Lost && a.ConditionFailed(); try++ {
		if p.Live.Counter.Replan == nil || !sleep(ctx, rand.N(replanPause<<min(try-1, 5))) {
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
		if again.Kind != p.Kind || again.Typed != p.Typed { // the counter is gone: that was not agreed to
			break
		}
		again.ID, again.Live.Run, again.Reason = p.ID, p.Live.Run, p.Reason
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

// Released returns the lock that a change released, with its table; nil for any other change.
func (r Receipt) Released() (*dynamo.Table, *verdict.Relation) {
	if r.Outcome != Applied || r.Plan.Live.Release == nil {
		return nil, nil
	}
	return r.Plan.Live.Table, r.Plan.Live.Release.Rel
}

// checkNotUndone returns a *Refusal if a plan can no longer undo its change: somebody else did since it was
// planned. A condition does not catch that of a counter, which may be back at the same number.
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
		return plan.Refuse(plan.NotUndone, "%s cannot be undone: it was forgotten", p.Undoes)
	}
	if why := plan.WhyNotUndone(r); why != "" {
		return plan.Refuse(plan.NotUndone, "%s cannot be undone: %s", p.Undoes, why)
	}
	return nil
}

// WhyNotUndone says why a change that was just made cannot be undone; empty if it may be
// tried.
func (r Receipt) WhyNotUndone() string {
	p := r.Plan
	switch {
	case r.Outcome != Applied:
		return plan.NotApplied(r.Outcome)
	case p.WhyNeverUndone() != "":
		return p.WhyNeverUndone()
	case p.Kind == plan.KindRecreate && p.Account != "":
		return fmt.Sprintf("%s holds the %s \"%s\": its lock is not released as long as it does", p.Account, p.Constraint,
			p.Value)
	}
	return ""
}
