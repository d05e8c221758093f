package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/release"
	"tallylock/dynamo/client"
	"tallylock/dynamo/remedy"
)

// Resolve applies an action to an open change. The receipt has the outcome of the change: Unknown if the change
// stays open or was given up.
func (c *Changer) Resolve(ctx context.Context, s *Resolution, do Action, progress func(Progress)) Receipt {
	return c.ResolveAll(ctx, []*Resolution{s}, do, progress)[0]
}

// ResolveAll applies an action to several open changes, and returns their receipts in the same order. Releases that are
// finished together share one look. No limit of read units stops ResolveAll: see client.Owed.
func (c *Changer) ResolveAll(ctx context.Context, all []*Resolution, do Action, progress func(Progress)) []Receipt {
	if progress == nil {
		progress = func(Progress) {}
	}
	ctx = client.Owed(ctx)
	receipts := make([]Receipt, len(all))
	unlock, err := c.begin(all, do)
	if err != nil {
		for n, s := range all {
			receipts[n] = s.stillOpen(err)
		}
		return receipts
	}
	defer unlock()
	var runs []*releaseRun
	for n, s := range all {
		if do == Finish && !s.canResend() {
			if runs, err = c.joinFinish(ctx, runs, s, n, progress); err != nil {
				receipts[n] = s.stillOpen(err)
			}
			continue
		}
		receipts[n] = c.act(ctx, s, do, progress)
	}
	for _, run := range runs {
		for n, r := range run.finish(ctx) {
			place := run.locks[n].place
			if s := all[place]; s.deletionUnanswered() && r.Unmarked {
				r = c.close(ctx, s, r) // the mark was removed from the lock, so nothing had been deleted
			}
			receipts[place] = r
		}
	}
	return receipts
}

// stillOpen returns the receipt of a change that stays open: no action was taken.
func (s *Resolution) stillOpen(err error) Receipt {
	return Receipt{Plan: s.Entry.Plan, Answer: plan.Answer{ID: s.Record.Receipt, Outcome: journal.Unknown, Err: err}}
}

// begin locks the runs of the changes. It returns an error if a change is no longer open, if the action is not
// offered for it, or if the action may not send its writes.
func (c *Changer) begin(all []*Resolution, do Action) (unlock func(), err error) {
	var held []func()
	unlock = func() {
		for _, r := range held {
			r()
		}
	}
	defer func() {
		if err != nil {
			unlock()
		}
	}()
	var runs []string
	for _, s := range all {
		if err := c.checkAllowed(s, do); err != nil {
			return unlock, err
		}
		if run := s.Record.Run; !slices.Contains(runs, run) {
			r, err := c.Journal.LockRun(run)
			if err != nil {
				return unlock, err
			}
			runs, held = append(runs, run), append(held, r)
		}
	}
	if n := slices.IndexFunc(all, func(s *Resolution) bool { return !s.trusted }); n >= 0 {
		if err := c.Journal.CheckChain("resolving " + all[n].Record.Receipt); err != nil {
			return unlock, err
		}
	}
	now, err := c.Journal.Records()
	if err != nil {
		return unlock, err
	}
	newest := map[string]*journal.Record{}
	for _, r := range now {
		newest[r.Receipt] = r
	}
	for _, s := range all {
		switch r := newest[s.Record.Receipt]; {
		case r == nil || !r.Open:
			return unlock, whyUnresolved(s.Record, client.Usage, "somebody else has resolved this change",
				"read the journal again; nothing was sent")
		case !r.LastWritten().Equal(s.Record.LastWritten()):
			return unlock, whyUnresolved(s.Record, client.Usage, "somebody else has tried to resolve this change since you looked",
				"look at the change again; nothing was sent")
		}
	}
	return unlock, nil
}

// checkAllowed returns an error if an action is not offered, or may not send its writes.
func (c *Changer) checkAllowed(s *Resolution, do Action) error {
	choice, offered := s.Choice(do)
	switch {
	case !offered:
		return whyUnresolved(s.Record, client.Usage, fmt.Sprintf("%q cannot be chosen for this change now", do),
			"look at the change again; nothing was sent")
	case choice.Sends && !s.conn.Write():
		return &client.Error{
			Kind: client.ReadOnly, Op: "resolving " + s.Record.Receipt, Why: "this connection is read-only",
			Remedy: remedy.Of(remedy.AddWriteUnsent),
		}
	case do == SendAgain && s.clock.latest().After(s.Until):
		return whyUnresolved(s.Record, client.Usage, "the request's token is too old: if the request is sent again, the change might happen twice",
			"look at the change again; nothing was sent")
	case choice.Sends:
		return s.Entry.Plan.CheckDenied(s.conn)
	}
	return nil
}

func (c *Changer) act(ctx context.Context, s *Resolution, do Action, progress func(Progress)) Receipt {
	switch do {
	case Close, GiveUp:
		r := s.stillOpen(nil)
		if do == Close {
			r.Outcome = s.Outcome
		}
		r.Reasons = s.factsReason(s.Words)
		return c.close(ctx, s, r)
	case TakeOff:
		return c.takeOff(ctx, s, progress)
	case Finish:
		var err error
		if s.step, s.sent, err = s.stepOf(journal.StepDelete); err != nil {
			return s.stillOpen(err)
		}
	}
	p := *s.Entry.Plan
	if err := s.checkSendable(ctx, &p); err != nil {
		return s.stillOpen(err)
	}
	s.makeSendable(&p)
	a := c.sendStep(ctx, request{plan: &p, step: s.step, again: s.sent}, progress)
	r := Receipt{Plan: s.Entry.Plan, Answer: a.Following(plan.Answer{ID: s.Record.Receipt}), Done: c.now()}
	switch {
	case r.Outcome == journal.Unknown:
		return r
	case r.Outcome == journal.Refused && do == Finish:
		// An earlier attempt may have deleted the lock after the lock was read. So the refusal does not prove the
		// outcome.
		r.Outcome = journal.Unknown
		r.Reasons = append(r.Reasons, plan.Reason{Code: plan.Changed, Text: "the lock has changed since it was read: look at the change again"})
		return r
	}
	return c.close(ctx, s, r)
}

// checkSendable returns an error if a stored request may not be sent again: the layout of the table has changed, or
// the plan writes an item outside its subject. It does not check the items of a deletion by mark: the deletion
// requires a mark that only this release set.
func (s *Resolution) checkSendable(ctx context.Context, p *plan.Plan) error {
	t, err := s.conn.Open(ctx, p.Accounts)
	if err != nil {
		return err
	}
	if err := p.CheckLayout(t, "resolving "+s.Record.Receipt); err != nil {
		return err
	}
	if p.Kind == plan.KindRelease && s.Record.Step(journal.StepMark) != nil {
		return nil
	}
	if why := p.OffTarget(t); why != "" {
		return whyUnresolved(s.Record, client.Failed, why, "look at the table, and close the change as unknown; nothing was sent")
	}
	return nil
}

// takeOff removes a release's mark. If the mark was still on the lock, the release has deleted nothing.
func (c *Changer) takeOff(ctx context.Context, s *Resolution, progress func(Progress)) Receipt {
	step, again, err := s.stepOf(journal.StepUnmark)
	if err != nil {
		return s.stillOpen(err)
	}
	if again != nil { // the step requires the mark, so it may be sent at any time
		again.first, again.until = time.Time{}, time.Time{}
	}
	p := *s.Entry.Plan
	s.makeSendable(&p)
	a := c.sendStep(ctx, request{plan: &p, step: step, again: again}, progress)
	r := Receipt{Plan: s.Entry.Plan, Answer: a, Done: c.now()}
	r.ID, r.Outcome = s.Record.Receipt, journal.Unknown
	switch {
	case a.Outcome == journal.Applied:
		r.Outcome, r.Reasons = journal.Refused, s.factsReason("The mark was removed; nothing was deleted.")
		return c.close(ctx, s, r)
	case a.IsNotThere():
		r.Reasons = []plan.Reason{{Code: plan.Changed, Text: "the mark is no longer on the lock: look at the change again"}}
	}
	return r
}

// joinFinish adds an interrupted release to the run of its table. The run then finishes the release. joinFinish opens
// each table only once, since one look uses one layout.
func (c *Changer) joinFinish(
	ctx context.Context, runs []*releaseRun, s *Resolution, place int, progress func(Progress),
) ([]*releaseRun, error) {
	var own *releaseRun
	for _, run := range runs {
		if run.table.Name == s.Entry.Plan.Accounts && run.table.Connection() == s.conn {
			own = run
		}
	}
	if own == nil {
		t, err := s.conn.Open(ctx, s.Entry.Plan.Accounts)
		if err != nil {
			return runs, err
		}
		own = &releaseRun{changer: c, table: t, progress: progress}
		runs = append(runs, own)
	}
	p, err := s.rebuild(own.table)
	if err != nil {
		return runs, err
	}
	lock := runLock{Machine: release.Resume(p, s.Record.Step(journal.StepMark).Last), place: place}
	if s.deletionUnanswered() {
		_, again, err := s.stepOf(journal.StepDelete)
		if err != nil {
			return runs, err
		}
		again.until = time.Time{} // the deletion requires the mark, so it may be sent at any time
		lock.resend = again
	}
	own.locks = append(own.locks, lock)
	return runs, nil
}

// factsReason returns the reason for the outcome. The text of the reason is the given words, followed by the facts
// that were read.
func (s *Resolution) factsReason(words string) []plan.Reason {
	for _, f := range s.Facts {
		words += " " + f.Item + ": " + f.Text + "."
	}
	return []plan.Reason{{Code: plan.Seen, Text: words}}
}

// close records the outcome of an open change, and closes it.
func (c *Changer) close(ctx context.Context, s *Resolution, r Receipt) Receipt {
	if r.Outcome == journal.Applied {
		r.Effect = r.Plan.Effect
	}
	e := journal.Entry{
		Event:   journal.EventResolved,
		Receipt: r.ID,
		At:      c.now(),
		Outcome: r.Outcome,
		Reasons: journalReasons(r.Reasons),

		AppliedBy: c.AppliedBy,
	}
	if e.Who = s.conn.Identity(ctx).ARN; e.Who == "" {
		e.Who = c.Who
	}
	if err := c.Journal.Append(context.WithoutCancel(ctx), e); err != nil {
		r.Err = errors.Join(r.Err, err)
	}
	r.Done = c.now()
	return r
}
