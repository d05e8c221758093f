package change

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"

	"tallylock/dynamo/change/backfill"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
)

// A run stops if more than 1 in conflictShare transactions ended with a TransactionConflict: each conflict may have
// failed a write of the application, too. A shorter run counts as fewTransactions transactions, so one conflict is
// always allowed: one busy item must not stop a run. A transaction counts once, by its last attempt. The halves of a
// refused transaction do not count: one busy item can cause the refusal of several halves.
const (
	conflictShare   = 100
	fewTransactions = 100
)

// errConflicts is the error of a run that met too many conflicts.
func errConflicts(conflicts, sent int64) error {
	return &client.Error{
		Kind: client.Conflict, Op: "writing many items",
		Why: fmt.Sprintf("%d of %d transactions collided with writes of other programs, which may have failed, too", conflicts, sent),
		Do:  "continue at a quieter time, or with fewer write units a second",
	}
}

// finishWithin limits the time for the current transaction after a cancellation.
const finishWithin = 5 * time.Second

// transact sends one transaction of a change of many transactions, at the limited rate. recorded is called before the
// transaction is sent. If ctx is cancelled, the transaction still gets some time to end: otherwise its outcome would be
// unknown.
func (c *Changer) transact(
	ctx context.Context, q request, units float64, result *BackfillResult, recorded func(sending) error,
	progress func(Progress),
) (plan.Answer, error) {
	if err := c.Writes.Wait(ctx); err != nil {
		return plan.Answer{}, stopped(err)
	}
	to, err := q.sending(ctx)
	if err != nil {
		return plan.Answer{}, err
	}
	if err := recorded(to); err != nil {
		return plan.Answer{}, err
	}
	on, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = client.Pause(on, finishWithin); cancel() })()
	a := plan.Answer{Outcome: journal.Refused}
	if q.again != nil {
		a.Lost, a.Outcome = true, journal.Unknown
	}
	a = c.send(on, q, to, a, progress)
	if a.WriteUnits == 0 && a.ConditionFailed() {
		a.WriteUnits = units // the response does not say how much a failed condition costs
	}
	c.Writes.Use(a.WriteUnits)
	result.WriteUnits += a.WriteUnits
	result.Transactions++
	if a.Outcome == journal.Refused && client.KindOf(a.Err) == client.Conflict {
		result.Conflicts++
	}
	return a, nil
}

// stopped returns the error of a run that was cancelled between two transactions.
func stopped(err error) error {
	return &client.Error{Kind: client.Cancelled, Op: "writing many items", Why: "stopped between two transactions", Err: err}
}

// count counts a transaction that is no half of a refused one. It returns an error if too many of these transactions
// ended with a conflict.
func (r *BackfillResult) count(a plan.Answer) error {
	r.whole++
	if a.Outcome == journal.Refused && client.KindOf(a.Err) == client.Conflict {
		r.collided++
	}
	if r.collided*conflictShare > max(r.whole, fewTransactions) {
		return errConflicts(r.collided, r.whole)
	}
	return nil
}

// endsRun reports whether an error would end every other transaction, too.
func endsRun(err error) bool {
	switch client.KindOf(err) {
	case client.Conflict, client.Failed:
		return false
	}
	return err != nil
}

// putBatch sends a batch as one transaction. If it is refused, putBatch sends its halves, down to single locks.
func (r *backfillRun) putBatch(ctx context.Context, batch backfill.Batch, isHalf bool) error {
	if len(batch) == 0 {
		return nil
	}
	batch = marked(batch, r.plan.Backfill.Mark)
	a, line, err := r.send(ctx, batch)
	if err != nil {
		return err
	}
	if !isHalf {
		err = r.result.count(a)
	}
	switch {
	case a.Outcome == journal.Applied:
		r.locksPut.Add(int64(len(batch)))
		r.report(Progress{Stage: StageBackfill}) // the reading waits for the pace of the locks
		r.supersede(batch)
		return err
	case a.Outcome == journal.Unknown:
		r.result.noteOpen(line)
		return unknownOutcome(a.Err)
	case endsRun(a.Err):
		return a.Err
	case err != nil:
		return err
	}
	return r.refused(ctx, batch, a)
}

// unknownOutcome is the error of a run with a transaction whose outcome is unknown.
func unknownOutcome(err error) error {
	if err != nil {
		return err
	}
	return &client.Error{
		Kind: client.Failed, Op: "writing many items", Why: "a transaction got no answer, so its outcome is unknown",
		Do: "continue later: the items then show the outcome",
	}
}

// send records a batch in the file, sends it, and records the answer.
func (r *backfillRun) send(ctx context.Context, batch backfill.Batch) (plan.Answer, *backfill.Line, error) {
	step := plan.Step{Name: journal.StepName(plan.KindBackfill), Token: uuid.NewString(), Writes: batch.Writes()}
	line := &backfill.Line{Token: step.Token, Writes: step.Writes}
	q := request{plan: r.plan, step: step}
	a, err := r.transact(ctx, q, batch.Units(), &r.result, func(to sending) error {
		line.At, line.There, line.NoTokens = r.now(), endpointTime(r.table.Connection()), !to.tokens
		return keysError("writing", r.keys.Path(), r.keys.Send(*line))
	}, r.report)
	if err != nil {
		return a, nil, err
	}
	return a, line, r.answered(line, a)
}

// answered records the outcome of a transaction in the file.
func (r *backfillRun) answered(line *backfill.Line, a plan.Answer) error {
	return keysError("writing", r.keys.Path(), r.keys.Answer(backfill.Line{
		Token: line.Token, At: r.now(), There: endpointTime(r.table.Connection()), Outcome: string(a.Outcome),
		Locks: len(line.Puts()), Lost: a.Lost,
	}))
}

// mostOdd limits the locks that DynamoDB refuses without a failed condition. If there are more than mostOdd of them,
// plus one for each lock that was put, the refusals have a common cause, and the run stops.
const mostOdd = 20

// refused handles a refused batch. The actions with a failed condition tell the reason. The other locks are sent again,
// in halves.
func (r *backfillRun) refused(ctx context.Context, batch backfill.Batch, a plan.Answer) error {
	failed := map[int]bool{}
	for _, reason := range a.Reasons {
		if reason.Code == plan.ConditionFailed {
			failed[reason.Slot] = true
		}
	}
	taken, changed, rest := batch.Failed(func(n int) bool { return failed[n] })
	for _, e := range changed {
		r.emit(findingOf(BackfillChanged, e))
	}
	if len(taken) > 0 {
		found, err := r.readLocks(ctx, taken)
		if err != nil {
			return err
		}
		for _, e := range taken {
			item := found[e.Lock.Put.Key.ID()]
			if item == nil { // the lock was there, and is gone again
				r.emit(findingOf(BackfillChanged, e))
			} else if err := r.exists(ctx, e, item); err != nil {
				return err
			}
		}
	}
	if len(rest) == 1 && len(batch) == 1 {
		return r.oddlyRefused(rest[0], a)
	}
	for _, half := range rest.Halves() {
		if err := r.putBatch(ctx, half, true); err != nil {
			return err
		}
	}
	return nil
}

// oddlyRefused reports a single lock that was refused without a failed condition.
func (r *backfillRun) oddlyRefused(e backfill.Entry, a plan.Answer) error {
	f := findingOf(BackfillInvalid, e)
	if client.KindOf(a.Err) == client.Conflict {
		f.Kind = BackfillBusy
	} else if a.Err != nil {
		f.Why = a.Err.Error()
	} else if len(a.Reasons) > 0 {
		f.Code, f.Why = a.Reasons[0].Code, a.Reasons[0].Text
	}
	r.emit(f)
	if f.Kind == BackfillInvalid {
		if r.odd++; r.odd > mostOdd+r.locksPut.Load() && a.Err != nil {
			return a.Err
		}
	}
	return nil
}

// supersede notes that open transactions of earlier processes can no longer be applied: this batch has put their locks.
func (r *backfillRun) supersede(batch backfill.Batch) {
	for _, e := range batch {
		if l := r.opened[e.Lock.ID()]; l != nil {
			r.close(l, journal.Refused, true)
		}
	}
}

// close records the outcome of an open transaction of an earlier process. lost is set if the transaction may still
// arrive.
func (r *backfillRun) close(l *backfill.Line, outcome journal.Outcome, lost bool) {
	if outcome == journal.Applied {
		r.locksPut.Add(int64(len(l.Puts())))
	}
	// If the line is lost, a later run settles the transaction again.
	_ = r.answered(l, plan.Answer{Outcome: outcome, Lost: lost})
	maps.DeleteFunc(r.opened, func(_ string, other *backfill.Line) bool { return other == l })
}
