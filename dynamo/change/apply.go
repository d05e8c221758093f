package change

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
)

// Receipt is the outcome of applying a plan.
type Receipt struct {
	Answer
	Plan *Plan
	// Effect is the plan's, once it is applied.
	Effect
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
func NotMade(p *Plan, err error) Receipt { return Receipt{Plan: p, Answer: answerOf(err)} }

// OnlyMarked reports whether no more than the marker of a release was sent, so that the lock
// is there whatever became of that.
func (r Receipt) OnlyMarked() bool { return r.Plan != nil && r.Plan.usesMark() && r.Marked.IsZero() }

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
func (c *Changer) Apply(ctx context.Context, p *Plan, progress func(Progress)) Receipt {
	return c.ApplyAll(ctx, []*Plan{p}, progress)[0]
}

// checkReady returns an error if a plan cannot be applied.
func (p *Plan) checkReady() error {
	again := func(why string) error {
		return &client.Error{
			Kind: client.Usage,
			Op:   "applying " + p.String(),
			Why:  why,
			Do:   "plan it again; nothing was sent",
		}
	}
	switch {
	case p.live.conn == nil || len(p.Steps) == 0:
		return again("the plan was not made here")
	case p.live.unsure != nil:
		return p.live.unsure
	case p.live.release != nil && p.live.release.begun:
		return again("it was begun before")
	case p.NeedsReason():
		return &client.Error{
			Kind:   client.Usage,
			Op:     "changing " + p.Table,
			Why:    "the config asks for a reason (require_reason)",
			Remedy: remedy.Of(remedy.GiveReason),
		}
	}
	return nil
}

// NeedsReason reports whether the config requires a reason for a table that is written, and
// none is given.
func (p *Plan) NeedsReason() bool {
	return strings.TrimSpace(p.Reason) == "" && p.live.conn != nil &&
		slices.ContainsFunc(p.Steps.Written(), p.live.conn.RequiresReason)
}

// single applies a plan of one step.
func (s *series) single(ctx context.Context, p *Plan, progress func(Progress)) Receipt {
	c := s.Changer
	release, err := c.Journal.LockRun(p.live.run)
	if err != nil {
		return NotMade(p, err)
	}
	defer release()
	if err := s.checkCurrent(ctx, p); err != nil {
		return NotMade(p, err)
	}
	a := c.sendStep(ctx, request{plan: p, step: p.Steps[0]}, progress)
	if p.live.bump != nil {
		p, a = c.replanBump(ctx, p, a, progress)
	}
	r := Receipt{Plan: p, Answer: a, Done: c.now()}
	if r.Outcome == Applied {
		r.Effect = p.Effect
	}
	return r
}

// checkCurrent returns an error if something that no condition tells has changed since a change was planned.
func (s *series) checkCurrent(ctx context.Context, p *Plan) error {
	if err := s.checkNotMade(p, s.several); err != nil {
		return err
	}
	if p.Undoes == "" {
		if err := checkStatements(p.live.table, p.live.said); err != nil {
			return err
		}
	}
	if p.live.release != nil { // other accounts were read when it was planned
		_, err := sameTables(ctx, p.live.table)
		return err
	}
	return nil
}

// checkNotMade returns a *Refusal if somebody else has made or undone the change since it was planned. Of
// several changes, FindApplied has told the first before.
func (c *Changer) checkNotMade(p *Plan, several bool) error {
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
		return &Refusal{[]Reason{reasonOf(Changed, err)}}
	case now != said:
		return refuse(Changed, "somebody has answered a question about %s since, or accepted something: plan it again",
			t.Name)
	}
	return nil
}

// replanBump plans a change of a counter again, and sends it, while the counter keeps moving
// under it. It is still the same change, with one receipt; the journal keeps each sending.
// After a lost answer nothing is planned again: the change may have happened.
func (c *Changer) replanBump(ctx context.Context, p *Plan, a Answer, progress func(Progress)) (*Plan, Answer) {
	for try := 1; try < bumpTries && a.Outcome == Refused && a.Err == nil && !a.Lost && a.conditionFailed(); try++ {
		if p.live.bump.replan == nil || !sleep(ctx, rand.N(replanPause<<min(try-1, 5))) {
			break
		}
		again, err := p.live.bump.replan(ctx)
		if err != nil {
			failed := answerOf(err)
			if failed.Err != nil {
				failed.Reasons = a.Reasons
			}
			failed.Sent = a.Sent
			return p, failed.following(a)
		}
		if again.Kind != p.Kind || again.Typed != p.Typed { // the counter is gone: that was not agreed to
			break
		}
		again.ID, again.live.run, again.Reason = p.ID, p.live.run, p.Reason
		for _, line := range p.Lines {
			if line.Label == LabelPlanned || line.Label == LabelSince {
				again.Lines = append(again.Lines, line)
			}
		}
		p = again
		a = c.sendStep(ctx, request{plan: p, step: p.Steps[0]}, progress).following(a)
	}
	return p, a
}
