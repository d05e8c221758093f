package change

import (
	"context"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/change/backfill"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/remedy"
)

// BackfillResult is the result of a run of a backfill, or of its undo.
type BackfillResult struct {
	Receipt string          `json:"receipt"`
	Mark    string          `json:"mark"`
	Outcome journal.Outcome `json:"outcome"`
	// Complete is set if the run has reached its end. Otherwise Err is the error that stopped it.
	Complete bool  `json:"complete"`
	Err      error `json:"-"`
	// Put counts the locks that the run put or, for an undo, deleted. It includes the earlier parts of the run. Had
	// counts the other locks that existed already and name their account. For an undo, Had counts the locks that the
	// application has written or deleted since the backfill.
	Put int64 `json:"put"`
	Had int64 `json:"had"`
	// Found counts the findings by kind.
	Found map[BackfillKind]int64 `json:"found"`
	// Unknown counts the transactions whose outcome is unknown. Until is the time until which they may still arrive.
	Unknown int       `json:"unknown"`
	Until   time.Time `json:"until,omitzero"`
	// Transactions counts the sent transactions of this process, and Conflicts counts the transactions that ended with a
	// TransactionConflict.
	Transactions int64   `json:"transactions"`
	Conflicts    int64   `json:"conflicts"`
	WriteUnits   float64 `json:"write_units"`
	ReadUnits    float64 `json:"read_units"`
	// File is the path of the run's file.
	File string `json:"file,omitempty"`

	open []string // the tokens of the transactions whose outcome is unknown
	// whole counts the transactions without the halves of refused transactions. collided counts the transactions among
	// them that ended with a conflict.
	whole, collided int64
}

// noteOpen counts a transaction whose outcome is unknown.
func (r *BackfillResult) noteOpen(l *backfill.Line) {
	if !slices.Contains(r.open, l.Token) {
		r.open = append(r.open, l.Token)
	}
	r.Unknown = len(r.open)
	if until := l.At.Add(arrivesWithin); until.After(r.Until) {
		r.Until = until
	}
}

// Findings counts all findings.
func (r *BackfillResult) Findings() (n int64) {
	for _, of := range r.Found {
		n += of
	}
	return n
}

// manyRun is one run of a change of many transactions: of a backfill, or of its undo.
type manyRun struct {
	*Changer
	plan     *plan.Plan
	found    func(BackfillFinding)
	progress func(Progress)
	result   BackfillResult
}

// newMany returns a run of a plan. file is the receipt of the file that the run uses: an undo uses the file of its
// backfill. found and progress may be nil.
func (c *Changer) newMany(p *plan.Plan, file string, found func(BackfillFinding), progress func(Progress)) *manyRun {
	if progress == nil {
		progress = func(Progress) {}
	}
	return &manyRun{Changer: c, plan: p, found: found, progress: progress, result: BackfillResult{
		Receipt: p.ID, Mark: p.Backfill.Mark, Outcome: journal.Refused, Found: map[BackfillKind]int64{},
		File: c.Journal.FileOf(file),
	}}
}

// do locks the run, calls begin, writes the run into the journal, and calls carryOut. end sets the outcome of the
// result, and returns the words of the answer in the journal.
func (r *manyRun) do(
	ctx context.Context, begin func(context.Context) error, carryOut func(context.Context) error, end func() string,
) BackfillResult {
	unlock, err := r.Journal.LockRun(r.plan.Live.Run)
	if err == nil {
		defer unlock()
		err = checkMany(r.plan)
	}
	if err == nil {
		err = begin(ctx)
	}
	if err == nil {
		err = r.recordMany(ctx, r.plan)
	}
	if err != nil {
		r.result.Err = err
		return r.result
	}
	err = carryOut(r.paced(ctx, r.plan.Live.Table))
	r.result.Err, r.result.Complete = err, err == nil
	if err := r.answerMany(ctx, r.plan, &r.result, end()); err != nil {
		r.result.Err = err
	}
	return r.result
}

// emit reports one finding.
func (r *manyRun) emit(f BackfillFinding) {
	r.result.Found[f.Kind]++
	if r.found != nil {
		r.found(f)
	}
}

// checkMany returns an error if a change of many transactions must not begin.
func checkMany(p *plan.Plan) error {
	switch {
	case p.Live.Unsure != nil:
		return p.Live.Unsure
	case !p.Live.Conn.Write():
		return &client.Error{
			Kind: client.ReadOnly, Op: "writing " + p.Table, Why: "this connection is read-only",
			Remedy: remedy.Of(remedy.AddWriteUnsent),
		}
	case strings.TrimSpace(p.Reason) == "" && p.Live.Conn.RequiresReason(p.Table):
		return &client.Error{
			Kind: client.Usage, Op: "changing " + p.Table, Why: "the config requires a reason (require_reason)",
			Remedy: remedy.Of(remedy.GiveReason),
		}
	}
	return p.Live.Conn.Denied(p.Table)
}

// manyStep is the step of a change of many transactions, for the journal.
func manyStep(p *plan.Plan) plan.Step {
	return plan.Step{Name: journal.StepName(p.Kind), Token: p.ID}
}

// recordMany writes the journal's line about a change of many transactions, before the first one is sent.
func (c *Changer) recordMany(ctx context.Context, p *plan.Plan) error {
	e, err := c.sendEntry(ctx, p, manyStep(p))
	if err != nil {
		return err
	}
	return c.Journal.Append(ctx, e)
}

// answerMany writes the answer of a change of many transactions into the journal.
func (c *Changer) answerMany(ctx context.Context, p *plan.Plan, result *BackfillResult, words string) error {
	a := plan.Answer{Outcome: result.Outcome, Reasons: []plan.Reason{{Code: plan.Seen, Text: words}}}
	return c.appendAnswer(ctx, request{plan: p, step: manyStep(p)}, a)
}
