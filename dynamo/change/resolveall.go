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

// Resolve does something about an open change. The receipt says what became of the
// change: Unknown where it stays open, or was given up.
func (c *Changer) Resolve(ctx context.Context, s *Resolution, do Action, progress func(Progress)) Receipt {
	return c.ResolveAll(ctx, []*Resolution{s}, do, progress)[0]
}

// ResolveAll does the same thing about several open changes, and answers a receipt
// for each, in their order. Releases that are finished together share one look.
func (c *Changer) ResolveAll(ctx context.Context, all []*Resolution, do Action, progress func(Progress)) []Receipt {
	if progress == nil {
		progress = func(Progress) {}
	}
	receipts := make([]Receipt, len(all))
	for n, s := range all {
		receipts[n] = Receipt{ID: s.Record.Receipt, Plan: s.Entry.Plan, Outcome: Unknown}
	}
	with := resolver{c}
	release, err := with.begin(all, do)
	if err != nil {
		for n := range receipts {
			receipts[n].Err = err
		}
		return receipts
	}
	defer release()
	var batches []*batch
	for n, s := range all {
		r := &receipts[n]
		if do == Finish && !s.repeats(c.now()) {
			batches, r.Err = with.join(ctx, batches, s, r, progress)
			continue
		}
		with.act(ctx, s, do, r, progress)
		r.Done = c.now()
	}
	for _, b := range batches {
		b.finish(ctx)
	}
	for n, s := range all {
		if r := &receipts[n]; do == Finish && s.deleted() && r.Unmarked {
			with.close(ctx, s, r) // the mark was there, so nothing had been deleted
		}
	}
	return receipts
}

// resolver does something about open changes.
type resolver struct{ *Changer }

// begin holds the runs of the changes, and makes sure that they are still open,
// that the action is offered, and that what it sends may be sent.
func (c resolver) begin(all []*Resolution, do Action) (release func(), err error) {
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
		if err := c.may(s, do); err != nil {
			return release, err
		}
		if run := s.Record.Run; !slices.Contains(runs, run) {
			r, err := c.Journal.Begin(run)
			if err != nil {
				return release, err
			}
			runs, held = append(runs, run), append(held, r)
		}
	}
	if n := slices.IndexFunc(all, func(s *Resolution) bool { return !s.trusted }); n >= 0 {
		if err := c.Journal.Intact("resolving " + all[n].Record.Receipt); err != nil {
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
		e := &client.Error{Kind: client.Usage, Op: "resolving " + s.Record.Receipt}
		switch r := newest[s.Record.Receipt]; {
		case r == nil || !r.Open:
			e.Why, e.Do = "somebody has resolved it meanwhile", "read the journal again; nothing was sent"
			return release, e
		case !r.Written().Equal(s.Record.Written()):
			e.Why = "somebody has tried to resolve it meanwhile: what was read is no longer what decides"
			e.Do = "look at it again; nothing was sent"
			return release, e
		}
	}
	return release, nil
}

// may refuses an action that is not offered, or what it sends.
func (c resolver) may(s *Resolution, do Action) error {
	op := "resolving " + s.Record.Receipt
	choice, offered := s.Choice(do)
	switch {
	case !offered:
		return &client.Error{
			Kind: client.Usage,
			Op:   op,
			Why:  fmt.Sprintf("to %s is no choice here", do),
			Do:   "look at it again; nothing was sent",
		}
	case choice.Sends && !s.conn.Write():
		return &client.Error{
			Kind: client.ReadOnly,
			Op:   op,
			Why:  "this connection is read-only",
			Do:   "add --write, or set write = true for the connection in the config; nothing was sent",
		}
	case do == SendAgain && c.now().After(s.Until):
		return &client.Error{
			Kind: client.Usage,
			Op:   op,
			Why:  "its token is no longer good: sent again it might happen twice",
			Do:   "look at it again; nothing was sent",
		}
	case choice.Sends:
		return s.Entry.Plan.denied(s.conn)
	}
	return nil
}

// act does one thing about one change.
func (c resolver) act(ctx context.Context, s *Resolution, do Action, r *Receipt, progress func(Progress)) {
	switch do {
	case Close, GiveUp:
		if r.Outcome = s.Outcome; do == GiveUp {
			r.Outcome = Unknown
		}
		r.Reasons = s.seen(s.Words)
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
	if r.Err = s.sendable(ctx, &p); r.Err != nil {
		return
	}
	s.send(&p)
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

// sendable answers an error where a stored request may not be sent again: the table has
// another layout than it was planned by, or the plan is not on what it says it is about.
// The deletion of a release rests on its mark, which nothing but that release set.
func (s *Resolution) sendable(ctx context.Context, p *Plan) error {
	t, err := s.conn.Open(ctx, p.accounts())
	if err != nil {
		return err
	}
	if err := p.sameLayout(t, "resolving "+s.Record.Receipt); err != nil {
		return err
	}
	if p.Kind == KindRelease && s.Record.Step(journal.StepMark) != nil {
		return nil
	}
	if why := (stored{p}).elsewhere(t); why != "" {
		return &client.Error{
			Kind: client.Failed,
			Op:   "resolving " + s.Record.Receipt,
			Why:  why,
			Do:   "look at the table, and close it as not known; nothing was sent",
		}
	}
	return nil
}

// takeOff takes a release's mark off. Where it was on the lock nothing was deleted.
func (c resolver) takeOff(ctx context.Context, s *Resolution, r *Receipt, progress func(Progress)) {
	step, err := s.stepOf(journal.StepUnmark)
	if err != nil {
		r.Err = err
		return
	}
	step.first, step.until = time.Time{}, time.Time{} // it rests on the mark: it is safe at any time
	p := *s.Entry.Plan
	s.send(&p)
	var off Receipt
	c.step(ctx, &p, *step, &off, progress)
	r.WriteUnits, r.Err, r.Who, r.NoSTS = off.WriteUnits, off.Err, off.Who, off.NoSTS
	switch {
	case off.Outcome == Applied:
		r.Outcome = Refused
		r.Reasons = s.seen("The marker was removed; nothing was deleted.")
		c.close(ctx, s, r)
	case off.Outcome == Refused && off.Err == nil:
		r.Reasons = []Reason{{Code: Changed, Text: "the marker is no longer there: look at it again"}}
	default:
		r.Reasons = off.Reasons
	}
}

// deleted reports whether the deletion of a release was sent and never answered.
func (s *Resolution) deleted() bool {
	remove := s.Record.Step(journal.StepDelete)
	return remove != nil && remove.Outcome == Unknown
}

// repeats reports whether the deletion of a release may just be sent again: its token
// says what became of it, and the look is minutes old. After that every account is
// looked at again; the mark would not ask for it, but writers that break the rule do.
func (s *Resolution) repeats(now time.Time) bool {
	if !s.deleted() {
		return false
	}
	first := s.Record.Step(journal.StepDelete).First
	return now.Before(first.Add(againWithin)) && first.Sub(now) < skew
}

// join puts a release that is to be finished into the batch of its table, which is
// opened once: what is asked of one look has to be of one layout.
func (c resolver) join(ctx context.Context, batches []*batch, s *Resolution, r *Receipt, progress func(Progress)) ([]*batch, error) {
	var own *batch
	for _, b := range batches {
		if b.t.Name == s.Entry.Plan.accounts() && b.t.Connection() == s.conn {
			own = b
		}
	}
	if own == nil {
		t, err := s.conn.Open(ctx, s.Entry.Plan.accounts())
		if err != nil {
			return batches, err
		}
		own = &batch{c: c.Changer, t: t, progress: progress}
		batches = append(batches, own)
	}
	p, err := s.rebuild(own.t)
	if err == nil {
		r.Plan, r.Marked = p, s.Record.Step(journal.StepMark).Last
		own.all = append(own.all, &batchLock{p: p, r: r, marked: true})
	}
	return batches, err
}

// seen is what was read, as the reason of what was concluded.
func (s *Resolution) seen(words string) []Reason {
	for _, f := range s.Facts {
		words += " " + f.Item + ": " + f.Text + "."
	}
	return []Reason{{Code: Seen, Text: words}}
}

// close writes down what became of an open change, and closes it.
func (c resolver) close(ctx context.Context, s *Resolution, r *Receipt) {
	if p := r.Plan; r.Outcome == Applied {
		r.Before, r.After, r.First, r.Last = p.Before, p.After, p.First, p.Last
	}
	e := journal.Entry{Event: journal.EventResolved, Receipt: r.ID, At: c.now(), Outcome: r.Outcome, Reasons: kept(r.Reasons)}
	if e.Who = s.conn.Identity(ctx).ARN; e.Who == "" {
		e.Who = c.Who
	}
	if err := c.Journal.Append(context.WithoutCancel(ctx), e); err != nil {
		r.Err = errors.Join(r.Err, err)
	}
}
