package change

import (
	"context"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/release"
	"tallylock/dynamo/client"
	"tallylock/dynamo/scan"
	"tallylock/dynamo/verdict"
)

// releaseRun makes the releases by mark of one accounts table. All its releases share one look. For each release, it
// sends the steps that the Machine returns, and passes the answers back to the Machine.
type releaseRun struct {
	changer  *Changer
	table    *dynamo.Table
	locks    []runLock
	progress func(Progress)
	said     string // the result of Table.Statements after the look
}

// runLock is one lock of a run, with its release.
type runLock struct {
	release.Machine
	// place is the index of the lock's receipt among all receipts.
	place int
	// resend has the data to send the deletion again; nil if the deletion was not sent before.
	resend *resend
	// untried is the error that kept the run from trying this lock; nil if a step was sent for it.
	untried error
	reads   []client.Read // the reads of the look
	units   float64       // the read units of the look; 0 unless this lock pays for it
}

// apply marks the locks and finishes their releases. stopped is the error that stopped the changes before these
// releases; if it is set, apply sends nothing.
func (r *releaseRun) apply(ctx context.Context, stopped error) []Receipt {
	if stopped != nil {
		return r.untried(stopped)
	}
	first := r.locks[0].Plan // the run of an undo has only this lock
	run := first.Live.Run
	unlock, err := r.changer.Journal.LockRun(run)
	if err != nil {
		return r.untried(err)
	}
	defer unlock()
	if err = r.table.CheckConfig(); err != nil {
		err = &plan.Refusal{Reasons: []plan.Reason{plan.ReasonOf(plan.Changed, err)}}
	} else {
		err = r.changer.checkNotMade(first, len(r.locks) > 1)
	}
	if err != nil {
		var receipts []Receipt
		for _, m := range r.locks {
			receipts = append(receipts, NotMade(m.Plan, err))
		}
		return receipts
	}
	var failed error
	for n := range r.locks {
		m := &r.locks[n]
		if m.untried = failed; failed != nil {
			m.State = release.StateOver
			continue
		}
		m.Plan.Live.Run, m.Plan.Live.Release.Begun = run, true
		if r.send(ctx, n); m.AffectsOthers() {
			failed = m.Err
		}
	}
	return r.finish(ctx)
}

func (r *releaseRun) untried(why error) (all []Receipt) {
	for _, m := range r.locks {
		all = append(all, untried(m.Plan, why))
	}
	return all
}

// send sends the steps of a release until the release waits for the look or is over. It returns the last answer.
func (r *releaseRun) send(ctx context.Context, n int) (last plan.Answer) {
	m := &r.locks[n]
	for {
		s, sends := m.Step()
		if !sends {
			return last
		}
		q := request{plan: m.Plan, step: s}
		switch m.State {
		case release.StateUnmark:
			q.why = m.Why()
			last = r.unmark(ctx, q, n)
		case release.StateDelete:
			q.again = m.resend
			last = r.changer.sendStep(ctx, q, r.at(n))
		default:
			last = r.changer.sendStep(ctx, q, r.at(n))
		}
		m.Machine = m.Answered(last, r.changer.now())
	}
}

// unmarkWithin limits the time to remove one mark after a cancellation: a run may have many marks to remove.
const unmarkWithin = 15 * time.Second

// unmark removes a mark that is still on its lock, even if ctx is cancelled: a cancelled release has to remove its
// marks.
func (r *releaseRun) unmark(ctx context.Context, q request, n int) plan.Answer {
	on, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = client.Pause(on, unmarkWithin); cancel() })()
	return r.changer.sendStep(on, q, r.at(n))
}

// at returns a progress function that adds two counts: the locks that have finished the stage, and the locks of the
// run.
func (r *releaseRun) at(done int) func(Progress) {
	return func(p Progress) {
		p.Locks, p.AllLocks = done, len(r.locks)
		r.progress(p)
	}
}

// finish waits, and looks at every item. It deletes each lock that still has its mark and whose value nobody holds. It
// removes the marks of the other locks, and ignores locks without a mark.
func (r *releaseRun) finish(ctx context.Context) []Receipt {
	if len(r.in(release.StateLook)) > 0 {
		r.look(ctx)
	}
	for n := range r.locks {
		m := &r.locks[n]
		if m.State != release.StateDelete { // giveUp may have changed the state
			continue
		}
		if err := checkStatements(r.table, r.said); err != nil {
			m.Machine = m.Keep(&plan.AnswerOf(err).Reasons[0], nil)
			r.send(ctx, n)
			continue
		}
		if r.send(ctx, n); m.AffectsOthers() {
			r.giveUp(ctx, m.Err)
		}
	}
	var receipts []Receipt
	for _, m := range r.locks {
		if m.untried != nil {
			receipt := untried(m.Plan, m.untried)
			receipt.Done = r.changer.now()
			receipts = append(receipts, receipt)
			continue
		}
		receipts = append(receipts, Receipt{
			Answer: m.Answer, Plan: m.Plan, ReadUnits: m.units, Reads: m.reads, Marked: m.Marked, Unmarked: m.Unmarked,
			Done: r.changer.now(),
		})
	}
	return receipts
}

func (r *releaseRun) in(state release.State) (all []int) {
	for n, m := range r.locks {
		if m.State == state {
			all = append(all, n)
		}
	}
	return all
}

// look waits until every transaction that began before the marks is visible, and reads every item. It removes the
// marks of locks that must stay.
func (r *releaseRun) look(ctx context.Context) {
	if err := wait(ctx, r.table.Connection().Settle(), r.at(0)); err != nil {
		r.giveUp(ctx, err)
		return
	}
	report, marked := r.at(0), r.in(release.StateLook)
	about := dynamo.LookCost(r.table).Items
	seen := func(read scan.Totals) {
		report(Progress{
			Stage: StageLook, Done: read.Items, Total: about, ReadUnits: read.Units, Throttled: read.Throttled,
		})
	}
	seen(scan.Totals{})
	rels := make([]*verdict.Relation, len(marked))
	for i, n := range marked {
		rels[i] = r.locks[n].Plan.Live.Release.Rel
	}
	claims := r.table.Search(rels...)
	ctx = r.changer.paced(ctx, r.table) // paces the later reads of single locks, too
	units, reads, err := release.Look(ctx, r.table, claims, r.changer.MaxReadUnits, seen)
	r.locks[marked[0]].units = units // the first lock pays for the look
	if err != nil {
		r.giveUp(ctx, err)
		return
	}
	r.table.Fit.LearnAll(claims)
	r.said, _ = r.table.Statements() // finish calls Statements again before each deletion, and reports its error
	for _, rel := range rels {
		if err := r.table.CheckSure("releasing a lock of "+rel.Constraint.Name, rel.Constraint); err != nil {
			r.giveUp(ctx, err)
			return
		}
	}
	again := false
	for i, n := range marked {
		m, rel := &r.locks[n], rels[i]
		m.reads = slices.Clone(reads)
		lacks := claims.OtherLocks(rel.Constraint).Lacks(rel.Lock.Item)
		reason := release.WhyKept(r.table, claims.Of(rel), m.Plan.Live.Release)
		if reason == nil && m.resend != nil {
			reason = m.WhyNotAgain(lacks)
		}
		if reason != nil {
			m.Machine = m.Keep(reason, nil)
		} else {
			m.Machine = m.Looked(lacks)
		}
		if m.State == release.StateUnmark {
			r.send(ctx, n)
			continue
		}
		again = again || rel.Constraint.MultiTransaction
	}
	if again {
		// A deletion by the application takes more than one step. The mark must survive all these steps, so wait
		// again.
		if err := wait(ctx, r.table.Connection().Settle(), report); err != nil {
			r.giveUp(ctx, err)
		}
	}
}

// giveUp keeps all marked locks because of an error, and removes their marks. If a removal fails for a reason
// that affects the other locks, too, giveUp sends nothing more.
func (r *releaseRun) giveUp(ctx context.Context, err error) {
	failed := false
	for n := range r.locks {
		m := &r.locks[n]
		if m.State != release.StateLook && m.State != release.StateDelete {
			continue
		}
		if failed {
			m.Machine = m.Abandon(err)
			continue
		}
		m.Machine = m.Keep(nil, err)
		failed = r.send(ctx, n).AffectsOthers()
	}
}

// wait waits for the settle time d, and reports progress.
func wait(ctx context.Context, d time.Duration, progress func(Progress)) error {
	const tick = 100 * time.Millisecond
	begin := time.Now()
	for {
		progress(Progress{Stage: StageWait, Done: time.Since(begin).Milliseconds(), Total: d.Milliseconds()})
		left := d - time.Since(begin)
		if left <= 0 {
			return ctx.Err()
		}
		if client.Pause(ctx, min(left, tick)) != nil {
			return &client.Error{
				Kind: client.Cancelled,
				Why:  "stopped while waiting; the lock was not deleted",
				Err:  ctx.Err(),
			}
		}
	}
}
