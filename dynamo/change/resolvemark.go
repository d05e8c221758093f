package change

import (
	"context"
	"fmt"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
)

// markedLock is the lock of a release by mark, as examineMark read it.
type markedLock struct {
	table string
	item  attr.Item // nil if the lock is gone
	mark  string    // the mark that the release writes
}

// ours reports whether the release's mark is on the lock.
func (l markedLock) ours() bool { return l.item != nil && l.item[schema.MarkAttribute].Text == l.mark }

// others reports whether the mark of another release is on the lock.
func (l markedLock) others() bool { return l.item[schema.MarkAttribute].Exists() && !l.ours() }

// String describes the lock.
func (l markedLock) String() string {
	switch {
	case l.item == nil:
		return "missing"
	case l.ours():
		return "exists, with the mark of this release"
	case l.others():
		return "exists, with the mark of another release"
	}
	return "exists, without a mark"
}

// examineMark determines the outcome of a release by mark. It looks for the release's mark on the lock: no other
// release ever writes the same mark.
func (s *Resolution) examineMark(ctx context.Context) error {
	unmark, _, err := s.stepOf(journal.StepUnmark)
	if err != nil {
		return err
	}
	if s.deletionUnanswered() {
		if s.step, s.sent, err = s.stepOf(journal.StepDelete); err != nil {
			return err
		}
		if _, _, err = s.readStep(ctx); err != nil {
			return err
		}
	}
	w := unmark.Writes[0]
	items, _, err := s.conn.Reader().Together(ctx, []client.Address{{Table: w.Table, Key: w.Key}})
	if err != nil {
		return err
	}
	s.lock = markedLock{w.Table, items[0], plan.MarkIn(w.If).Text}
	if s.Facts == nil { // otherwise readStep has added the facts of the deletion
		for _, w := range s.Entry.Plan.Steps[1].Writes {
			s.Facts = append(s.Facts,
				Fact{w.Key.String(), "the deletion includes this item (" + string(w.Verb) + ")"})
		}
	}
	s.Facts[0] = Fact{w.Key.String(), s.lock.String()} // the lock is the first item of the deletion
	mark := s.Record.Step(journal.StepMark)
	arrives, dated := s.arrives(mark)
	switch {
	case s.lock.ours():
		s.Words = "The release was interrupted, and its mark is still on the lock. The mark is harmless: the lock works as before."
		s.offerMark()
	case s.deletionUnanswered():
		s.lostDelete()
	case mark.Outcome == journal.Unknown && s.clock.wall.Before(arrives):
		s.Words, s.Later = "The lock has no mark of this release, but the mark may still arrive.", arrives
	case mark.Outcome == journal.Unknown && !dated:
		s.Words, s.Choices = "The lock has no mark of this release."+untoldTime, []Choice{giveUp}
	case s.lock.item == nil:
		s.conclude(journal.Refused, "The lock is gone. This release did not delete it: somebody else did.")
	case s.lock.others():
		s.conclude(journal.Refused, "The lock has the mark of another release. This release deleted nothing.")
	default:
		s.conclude(journal.Refused,
			"The lock exists without the mark of this release: the mark never arrived, was removed, or somebody wrote the lock again. This release deleted nothing.")
	}
	return nil
}

// lostDelete handles a deletion whose answer was lost, when the mark is no longer on the lock. A missing lock does
// not show who deleted it: its next holder may have come and gone, or somebody may have deleted it by hand. There
// is one way to find out: send the deletion again while its token is valid.
func (s *Resolution) lostDelete() {
	s.Words = "The mark is gone: this change deleted the lock, or somebody wrote the lock again before the deletion."
	switch {
	case s.lock.item == nil:
		s.Words = "The lock is gone: this change deleted it, or somebody else did."
	case s.lock.others():
		s.Words = "The lock has the mark of another release: that release replaced the mark, or this change " +
			"deleted the lock and somebody put it again."
	}
	if s.clock.latest().Before(s.sent.until) && !s.Entry.NoTokens {
		s.Until = s.sent.until
		s.Choices = []Choice{{
			Do: SendAgain, Title: "Ask once more", Sends: true,
			Words: fmt.Sprintf(
				"Sends the deletion again with the same token. Until %s the answer shows the outcome. The deletion requires the mark. The mark is gone, so nothing is deleted now.",
				phrase.Clock(s.Until),
			),
		}}
		return
	}
	s.Words += " It is too late to find out."
	s.Choices = []Choice{
		{
			Do:    GiveUp,
			Title: "Close it as unknown",
			Safe:  true,
			Words: "Writes the current items into the journal. If a lock exists now, an account may need it, so the lock stays.",
		},
	}
}

// deletionUnanswered reports whether the deletion of a release was sent but not answered.
func (s *Resolution) deletionUnanswered() bool {
	remove := s.Record.Step(journal.StepDelete)
	return remove != nil && remove.Outcome == journal.Unknown
}

// canResend reports whether the deletion of a release may be sent again without another look. This is safe while
// the deletion's token is valid, since the look is then only minutes old. Later, every item has to be read again:
// the mark is enough only for writers that keep the gain rule (docs/truth.md §1).
func (s *Resolution) canResend() bool {
	if !s.deletionUnanswered() || s.Entry.NoTokens {
		return false
	}
	first, now := s.firstSent(s.Record.Step(journal.StepDelete)), s.clock.latest()
	return now.Before(first.Add(againWithin)) && first.Sub(now) < skew
}

// offerMark adds the choices for a mark that an interrupted release left on its lock.
func (s *Resolution) offerMark() {
	s.Choices = []Choice{
		{
			Do:    TakeOff,
			Title: "Remove the mark",
			Words: "The lock is then as before the release.",
			Safe:  true,
			Sends: true,
		},
	}
	finish := Choice{Do: Finish, Title: "Finish the release", Sends: true}
	switch {
	case !s.Record.Step(journal.StepMark).Once:
		s.Words += " The mark may have been sent more than once, so it cannot protect a deletion: remove the mark, and release the lock again."
		return
	case s.Record.Step(journal.StepDelete) != nil && !s.deletionUnanswered():
		return // the deletion was refused: the lock has changed since it was read
	case s.canResend():
		finish.Words = "Sends the deletion again. Every item was read before, and the deletion requires the mark."
	default:
		finish.Words = fmt.Sprintf(
			"Waits %g s and searches every item for the value. Deletes the lock if no item holds the value and the mark is still there.",
			s.conn.Settle().Seconds(),
		)
	}
	s.Choices = append(s.Choices, finish)
}

// rebuild returns the plan of an interrupted release, with everything that is needed to finish the release. rebuild
// does not trust the journal: the lock must belong to the constraint and value that the plan names.
func (s *Resolution) rebuild(t *dynamo.Table) (*plan.Plan, error) {
	p := *s.Entry.Plan
	rel, err := t.LockAt(p.Constraint, s.lock.table, s.lock.item)
	if err != nil {
		return nil, err
	}
	op := "finishing the release of " + p.Value
	cannot := func(kind client.Kind, why, do string) error {
		return &client.Error{Kind: kind, Op: op, Why: why, Do: do}
	}
	const again = "remove the mark, and release the lock again"
	if !p.HasValue(rel.Value) &&
		(p.Kind == plan.KindRelease || rel.Constraint.Spelling(rel.Value) != rel.Constraint.Spelling(p.Value)) {
		return nil, cannot(client.Usage,
			fmt.Sprintf("by the layout %s, the marked lock has the value \"%s\"", t.Layout.Name, rel.Value), again)
	}
	if err := p.CheckLayout(t, op); err != nil {
		return nil, err
	}
	if why := p.OffTarget(t); why != "" {
		return nil, cannot(client.Failed, why, again)
	}
	if why := t.Regions().Refuses(p.Steps.Verbs()...); why != "" {
		return nil, cannot(client.Usage, why, "remove the mark")
	}
	p.Live.Table, p.Live.Release = t, &plan.LockRelease{Rel: rel, Marked: true}
	for _, w := range p.Steps.Effect().Writes { // the accounts that get a lock in the right spelling
		if w.Verb == client.Check && w.Table == t.Name {
			p.Live.Release.Respelt = append(p.Live.Release.Respelt, w.Key)
		}
	}
	s.makeSendable(&p)
	return &p, nil
}

// makeSendable adds the connection, the AWS account and the run to a plan from the journal. Without them the plan
// cannot be sent.
func (s *Resolution) makeSendable(p *plan.Plan) {
	p.Live.Conn, p.Live.Account, p.Live.Run = s.conn, s.Entry.Account, s.Record.Run
}
