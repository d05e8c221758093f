package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
)

// Receipt is what became of a plan.
type Receipt struct {
	// ID names it in the journal; empty where nothing of it is written there.
	ID      string
	Outcome Outcome
	Reasons []Reason
	Plan    *Plan
	// Before and After are what was changed, as the plan has them, once it is applied.
	Before, After string
	// First and Last are the numbers that a reservation took.
	First, Last string
	WriteUnits  float64
	ReadUnits   float64
	Done        time.Time
	// Who is written to the journal; NoSTS is why it is not the caller's name on
	// AWS, where it should be.
	Who, NoSTS string
	// Reads is what a look read.
	Reads []client.Read
	// Err is set where the change could not be done for a reason outside of the
	// table: no answer, no permission, no journal, cancelled.
	Err error
	// Marked is when a release had put its mark; zero where it put none.
	Marked time.Time
	// Unmarked: a release had put its mark, and has taken it off again.
	Unmarked bool
	// Sent are the sendings of the last step, all with one token.
	Sent []Sending
	// lost: an answer was lost on the way to this outcome.
	lost bool
}

// Sending is one time that a request was sent; Err is why it was not answered, or how it
// was refused.
type Sending struct {
	At   time.Time
	Took time.Duration
	Err  error
}

// Proof says, of a lock that was deleted by its mark, what shows that nobody held its
// value; it is empty where nothing was marked.
func (r Receipt) Proof() string {
	if r.Outcome != Applied || r.Marked.IsZero() {
		return ""
	}
	return fmt.Sprintf("marked %s, all accounts read since, and the marker was still there", clock(r.Marked))
}

// Stage is what a change is doing: the name of the step that is sent, or one of these.
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

// Progress is where a change stands.
type Progress struct {
	Stage Stage
	// Done of Total: seconds of a wait, items of a look. Total is 0 where it is
	// not known; the items of a look are an estimate.
	Done, Total int64
	ReadUnits   float64
	// Throttled is how many requests of a look were turned away and sent again.
	Throttled int64
	// Locks of AllLocks have got through the stage; both are 0 unless it is about
	// locks.
	Locks, AllLocks int
	// Attempt counts how often a step was sent, from 1.
	Attempt int
}

// DefaultWriteUnits is how many write units a second a run of many changes uses,
// unless somebody says otherwise.
const DefaultWriteUnits = 100

// Changer applies plans.
type Changer struct {
	Journal *journal.Journal
	// Who is written to the journal: the operating system's name for the person.
	Who string
	// Pause is how long to wait before a step is sent again, by how often it was
	// sent. Nil: pauses that add up to about 12 s.
	Pause func(attempt int) time.Duration
	// Writes spreads what is written over time; its Rate is in write units a second.
	Writes client.Pace
	// MaxReadUnits is how many read units a second a look, and what is read before
	// findings are mended, may use; 0: scan.PaceOf, and negative: as many as it takes.
	MaxReadUnits float64
	// Now is the clock; nil: the wall clock.
	Now func() time.Time
}

// Apply makes a change. progress is called as it goes on, from any goroutine,
// and may be nil. Cancelling the context before a step is sent stops the change,
// and takes a mark off again; after it, the answer may be Unknown.
func (c *Changer) Apply(ctx context.Context, p *Plan, progress func(Progress)) Receipt {
	if progress == nil {
		progress = func(Progress) {}
	}
	if p.marks() {
		return c.ApplyAll(ctx, []*Plan{p}, progress)[0]
	}
	if err := p.ready(); err != nil {
		return Receipt{Plan: p, Outcome: Refused, Err: err}
	}
	return c.single(ctx, p, progress)
}

// ready says why a plan cannot be applied.
func (p *Plan) ready() error {
	switch {
	case p.conn == nil || len(p.Steps) == 0:
		return &client.Error{
			Kind: client.Usage,
			Op:   "applying " + p.String(),
			Why:  "the plan was not made here",
			Do:   "plan it again; nothing was sent",
		}
	case p.release != nil && p.release.begun:
		return &client.Error{
			Kind: client.Usage,
			Op:   "applying " + p.String(),
			Why:  "it was begun before",
			Do:   "plan it again; nothing was sent",
		}
	case p.NeedsReason():
		return &client.Error{
			Kind: client.Usage,
			Op:   "changing " + p.Table,
			Why:  "the config asks for a reason (require_reason)",
			Do:   "give one, with --reason on the command line; nothing was sent",
		}
	}
	return nil
}

// NeedsReason reports whether the config asks for a reason, for any table that is
// written, and none is given.
func (p *Plan) NeedsReason() bool {
	return strings.TrimSpace(p.Reason) == "" && p.conn != nil && slices.ContainsFunc(p.Steps.Written(), p.conn.RequiresReason)
}

// single applies a plan of one step.
func (c *Changer) single(ctx context.Context, p *Plan, progress func(Progress)) Receipt {
	r := Receipt{Plan: p, Outcome: Refused}
	release, err := c.Journal.Begin(p.run)
	if err != nil {
		r.Err = err
		return r
	}
	defer release()
	if r.Reasons, r.Err = c.takenBack(p); r.Reasons != nil || r.Err != nil {
		return r
	}
	c.step(ctx, p, p.Steps[0], &r, progress)
	if p.bump != nil {
		c.again(ctx, &r, progress)
		p = r.Plan
	}
	if r.Outcome == Applied {
		r.Before, r.After, r.First, r.Last = p.Before, p.After, p.First, p.Last
	}
	r.Done = c.now()
	return r
}

// again plans a change of a counter again when the counter moved under it, and sends that:
// the same change still, under one receipt, of which the journal keeps each sending. After
// an answer that was lost nothing is planned again: it may have happened.
func (c *Changer) again(ctx context.Context, r *Receipt, progress func(Progress)) {
	for try := 1; try < bumpTries && r.Outcome == Refused && r.Err == nil && !r.lost && conditionFailed(r.Reasons); try++ {
		was := r.Plan
		if was.bump.again == nil {
			return
		}
		p, err := was.bump.again(ctx)
		if err != nil {
			if refusal, ok := errors.AsType[*Refusal](err); ok {
				r.Reasons = refusal.Reasons
			} else {
				r.Err = err
			}
			return
		}
		if p.Kind != was.Kind || p.Typed != was.Typed { // the counter is gone: that was not agreed to
			return
		}
		p.ID, p.run, p.Reason = was.ID, was.run, was.Reason
		for _, line := range was.Lines {
			if line.Label == LabelPlanned || line.Label == LabelSince {
				p.Lines = append(p.Lines, line)
			}
		}
		r.Plan = p
		c.step(ctx, p, p.Steps[0], r, progress)
	}
}

func conditionFailed(reasons []Reason) bool {
	for _, r := range reasons {
		if r.Code == "ConditionalCheckFailed" {
			return true
		}
	}
	return false
}
