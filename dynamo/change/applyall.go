package change

import (
	"context"

	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/release"
	"tallylock/dynamo/client"
)

// ApplyAll applies several plans, and returns their receipts in the order of the plans. First it makes the changes
// that need no look, one after the other. Then it makes the releases by mark. One look for all these releases reads
// every item. ApplyAll stops at the first failure that affects all changes, such as a dead endpoint. It refuses the
// remaining changes with the code NotTried. If a permission is missing for a change, ApplyAll tries no further change
// of the same kind and table. If ctx is cancelled, ApplyAll removes all marks whose locks were not deleted yet. No
// limit of read units stops a change: see client.Owed.
func (c *Changer) ApplyAll(ctx context.Context, plans []*plan.Plan, progress func(Progress)) []Receipt {
	if progress == nil {
		progress = func(Progress) {}
	}
	ctx = client.Owed(ctx)
	s := &series{Changer: c, several: len(plans) > 1, progress: progress, denied: map[string]error{}}
	receipts := make([]Receipt, len(plans))
	var runs []*releaseRun
	for n, p := range plans {
		switch {
		case !p.UsesMark():
			s.total++
		case p.CheckReady() != nil:
			receipts[n] = NotMade(p, p.CheckReady())
		default:
			runs = s.join(runs, p, n)
		}
	}
	for n, p := range plans {
		if !p.UsesMark() {
			receipts[n] = s.apply(ctx, p)
		}
	}
	for _, run := range runs {
		for n, r := range run.apply(ctx, s.stopped) {
			receipts[run.locks[n].place] = r
			s.noteStopped(r)
		}
	}
	return receipts
}

// series applies several changes, one after the other.
type series struct {
	*Changer
	several     bool
	progress    func(Progress)
	done, total int64            // counts of the changes that need no look
	stopped     error            // the error that stopped the series; nil if none did
	denied      map[string]error // the permission error of each kind and table: such changes need the same permissions
}

// apply applies one plan that needs no look.
func (s *series) apply(ctx context.Context, p *plan.Plan) Receipt {
	alike := string(p.Kind) + " " + p.Table
	if s.stopped != nil {
		return untried(p, s.stopped)
	}
	if err := s.denied[alike]; err != nil {
		return untried(p, err)
	}
	r := NotMade(p, p.CheckReady())
	if r.Err == nil {
		r = s.single(ctx, p, s.report)
	}
	if s.done++; s.several {
		s.progress(Progress{Stage: StageEach, Done: s.done, Total: s.total})
	}
	if s.noteStopped(r); client.KindOf(r.Err) == client.Denied {
		s.denied[alike] = r.Err
	}
	return r
}

// report passes progress on: in a series the number of finished changes, and otherwise the step of the single
// change.
func (s *series) report(p Progress) {
	if s.several {
		p.Stage, p.Done, p.Total = StageEach, s.done, s.total
	}
	s.progress(p)
}

// noteStopped stops the series if the receipt's error would stop every further change, too.
func (s *series) noteStopped(r Receipt) {
	switch client.KindOf(r.Err) {
	case client.Unreachable, client.NoCredentials, client.Expired, client.Cancelled, client.Throttled:
		s.stopped = r.Err
	}
}

// join adds a release to the run of its table. The undo of a change gets its own run: it has to lock the run of the
// change that it undoes.
func (s *series) join(runs []*releaseRun, p *plan.Plan, place int) []*releaseRun {
	lock := runLock{Machine: release.Begin(p), place: place}
	for _, run := range runs {
		if run.table == p.Live.Table && p.Undoes == "" && run.locks[0].Plan.Undoes == "" {
			run.locks = append(run.locks, lock)
			return runs
		}
	}
	return append(runs, &releaseRun{changer: s.Changer, table: p.Live.Table, progress: s.progress, locks: []runLock{lock}})
}

// untried returns the receipt of a change that was not tried because another change failed.
func untried(p *plan.Plan, why error) Receipt {
	r := NotMade(p, why)
	r.Reasons = []plan.Reason{{Code: plan.NotTried, Text: "the change was not tried"}}
	return r
}
