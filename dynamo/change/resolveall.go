package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
)

// Resolve applies an action to an open change. The receipt has the outcome of the change:
// Unknown if it stays open, or was given up.
func (c *Changer) Resolve(ctx context.Context, s *Resolution, do Action, progress func(Progress)) Receipt {
	return c.ResolveAll(ctx, []*Resolution{s}, do, progress)[0]
}

// ResolveAll applies an action to several open changes, and returns their receipts in the
// same order. Releases that are finished together share one look.
func (c *Changer) ResolveAll(ctx context.Context, all []*Resolution, do Action, progress func(Progress)) []Receipt {
	if progress == nil {
		progress = func(Progress) {}
	}
	receipts := make([]Receipt, len(all))
	for n, s := range all {
		receipts[n] = Receipt{ID: s.Record.Receipt, Plan: s.Entry.Plan, Outcome: Unknown}
	}
	release, err := c.begin(all, do)
	if err != nil {
		for n := range receipts {
			receipts[n].Err = err
		}
		return receipts
	}
	defer release()
	var runs []*releaseRun
	for n, s := range all {
		r := &receipts[n]
		if do == Finish && !s.canResend() {
			runs, r.Err = c.joinFinish(ctx, runs, s, r, progress)
			continue
		}
		c.act(ctx, s, do, r, progress)
		r.Done = c.now()
	}
	for _, run := range runs {
		run.finish(ctx)
	}
	for n, s := range all {
		if r := &receipts[n]; do == Finish && s.deletionUnanswered() && r.Unmarked {
			c.close(ctx, s, r) // the mark was there, so nothing had been deleted
		}
	}
	return receipts
}

// begin locks the runs of the changes, and makes sure that they are still open, that the
// action is offered, and that what it sends may be sent.
func (c *Changer) begin(all []*Resolution, do Action) (release func(), err error) {
	var held []func()
	release = func() {
		for _, r := range held {
			r()
		}
	}
	defer func() {
		if err != nil {
			release()
		}
	}()
	var runs []string
	for _, s := range all {
		if err := c.checkAllowed(s, do); err != nil {
			return release, err
		}
		if run := s.Record.Run; !slices.Contains(runs, run) {
			r, err := c.Journal.LockRun(run)
			if err != nil {
				return release, err
			}
			runs, held = append(runs, run), append(held, r)
		}
	}
	if n := slices.IndexFunc(all, func(s *Resolution) bool { return !s.trusted }); n >= 0 {
		if err := c.Journal.CheckChain("resolving " + all[n].Record.Receipt); err != nil {
			return release, err
		}
	}
	now, err := c.Journal.Records()
	if err != nil {
		return release, err
	}
	newest := map[string]*journal.Record{}
	for _, r := range now {
		newest[r.Receipt] = r
	}
	for _, s := range all {
		switch r := newest[s.Record.Receipt]; {
		case r == nil || !r.Open:
			return release, whyUnresolved(s.Record, client.Usage, "somebody has resolved it meanwhile",
				"read the journal again; nothing was sent")
		case !r.LastWritten().Equal(s.Record.LastWritten()):
			return release, whyUnresolved(s.Record, client.Usage, "somebody has tried to resolve it since it was read",
				"look at it again; nothing was sent")
		}
	}
	return release, nil
}

// checkAllowed returns an error if an action is not offered, or what it sends may not be
// sent.
func (c *Changer) checkAllowed(s *Resolution, do Action) error {
	choice, offered := s.Choice(do)
	switch {
	case !offered:
		return whyUnresolved(s.Record, client.Usage, fmt.Sprintf("to %s is no choice here", do),
			"look at it again; nothing was sent")
	case choice.Sends && !s.conn.Write():
		return whyUnresolved(s.Record, client.ReadOnly, "this connection is read-only",
			"add --write, or set write = true for the connection in the config; nothing was sent")
	case do == SendAgain && s.clock.latest().After(s.Until):
		return whyUnresolved(s.Record, client.Usage, "its token is no longer good: sent again it might happen twice",
			"look at it again; nothing was sent")
	case choice.Sends:
		return s.Entry.Plan.checkDenied(s.conn)
	}
	return nil
}

// act applies an action to one change.
func (c *Changer) act(ctx context.Context, s *Resolution, do Action, r *Receipt, progress func(Progress)) {
	switch do {
	case Close, GiveUp:
		if r.Outcome = s.Outcome; do == GiveUp {
			r.Outcome = Unknown
		}
		r.Reasons = s.factsReason(s.Words)
		c.close(ctx, s, r)
		return
	case TakeOff:
		c.takeOff(ctx, s, r, progress)
		return
	case Finish:
		var err error
		if s.step, err = s.stepOf(journal.StepDelete); err != nil {
			r.Err = err
			return
		}
	}
	p := *s.Entry.Plan
	if r.Err = s.checkSendable(ctx, &p); r.Err != nil {
		return
	}
	s.makeSendable(&p)
	c.step(ctx, &p, *s.step, r, progress)
	switch {
	case r.Outcome == Unknown:
	case r.Outcome == Refused && do == Finish:
		// An earlier attempt may have arrived since the lock was read.
		r.Outcome = Unknown
		r.Reasons = append(r.Reasons, Reason{Code: Changed, Text: "the lock changed since it was read: look at it again"})
	default:
		c.close(ctx, s, r)
	}
}

// checkSendable returns an error if a stored request may not be sent again: the table has
// another layout than the plan, or the plan writes something else than it says. The deletion
// of a release rests on its mark, which only that release set.
func (s *Resolution) checkSendable(ctx context.Context, p *Plan) error {
	t, err := s.conn.Open(ctx, p.Accounts)
	if err != nil {
		return err
	}
	if err := p.checkLayout(t, "resolving "+s.Record.Receipt); err != nil {
		return err
	}
	if p.Kind == KindRelease && s.Record.Step(journal.StepMark) != nil {
		return nil
	}
	if why := (stored{p}).offTarget(t); why != "" {
		return whyUnresolved(s.Record, client.Failed, why, "look at the table, and close it as not known; nothing was sent")
	}
	return nil
}

// takeOff takes a release's mark off. If the mark was on the lock, nothing was deleted.
func (c *Changer) takeOff(ctx context.Context, s *Resolution, r *Receipt, progress func(Progress)) {
	step, err := s.stepOf(journal.StepUnmark)
	if err != nil {
		r.Err = err
		return
	}
	step.first, step.until = time.Time{}, time.Time{} // it rests on the mark: it is safe at any time
	p := *s.Entry.Plan
	s.makeSendable(&p)
	var off Receipt
	c.step(ctx, &p, *step, &off, progress)
	r.WriteUnits, r.Err, r.Who, r.NoSTS = off.WriteUnits, off.Err, off.Who, off.NoSTS
	switch {
	case off.Outcome == Applied:
		r.Outcome = Refused
		r.Reasons = s.factsReason("The marker was removed; nothing was deleted.")
		c.close(ctx, s, r)
	case off.Outcome == Refused && off.Err == nil:
		r.Reasons = []Reason{{Code: Changed, Text: "the marker is no longer there: look at it again"}}
	default:
		r.Reasons = off.Reasons
	}
}

// joinFinish adds a release that is to be finished to the run of its table. The table is opened
// once: one look takes one layout.
func (c *Changer) joinFinish(
	ctx context.Context, runs []*releaseRun, s *Resolution, r *Receipt, progress func(Progress),
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
	if err == nil {
		r.Plan, r.Marked = p, s.Record.Step(journal.StepMark).Last
		own.locks = append(own.locks, &runLock{plan: p, receipt: r, marked: true})
	}
	return runs, err
}

// factsReason returns what was read, as the reason for what was concluded.
func (s *Resolution) factsReason(words string) []Reason {
	for _, f := range s.Facts {
		words += " " + f.Item + ": " + f.Text + "."
	}
	return []Reason{{Code: Seen, Text: words}}
}

// close records the outcome of an open change, and closes it.
func (c *Changer) close(ctx context.Context, s *Resolution, r *Receipt) {
	if r.Outcome == Applied {
		r.Effect = r.Plan.Effect
	}
	e := journal.Entry{
		Event:   journal.EventResolved,
		Receipt: r.ID,
		At:      c.now(),
		Outcome: r.Outcome,
		Reasons: journalReasons(r.Reasons),
	}
	if e.Who = s.conn.Identity(ctx).ARN; e.Who == "" {
		e.Who = c.Who
	}
	if err := c.Journal.Append(context.WithoutCancel(ctx), e); err != nil {
		r.Err = errors.Join(r.Err, err)
	}
}
