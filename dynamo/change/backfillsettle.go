package change

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/backfill"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
)

// An earlierRun is a run of a backfill in the journal, with the summary of its file.
type earlierRun struct {
	*plan.Entry
	record  *journal.Record
	summary *backfill.Summary
}

// interrupted returns the newest run of a constraint's backfill, if it has not reached its end; else nil. A run that
// was undone or abandoned, or that had another layout, is not continued.
func (c *Changer) interrupted(t *dynamo.Table, con *layout.Constraint) (*earlierRun, error) {
	runs, err := c.backfills(t, con.Name)
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	run := runs[len(runs)-1]
	if run.record.Undoing != "" || run.Plan.Layout != config.HashOf(t.Layout, con.Name) || run.summary == nil ||
		run.summary.Finished && !run.record.Open {
		return nil, nil
	}
	return run, nil
}

// CheckUndos returns a *plan.Refusal while the undo of a constraint's backfill has not reached its end. A deletion of
// this undo may still arrive, and delete a lock that a later backfill or Verify has found. At its end, the undo has
// left no lock that such a deletion can delete. Constraints whose locks have the same keys count, too. An undo whose
// file is gone or damaged cannot reach its end. It counts until the adoption is abandoned.
func (c *Changer) CheckUndos(t *dynamo.Table, con *layout.Constraint) error {
	runs, err := c.backfills(t, "")
	if err != nil {
		return err
	}
	for _, run := range runs {
		if run.record.Undoing == "" {
			continue
		}
		switch may, err := c.mayDelete(t, con, run); {
		case err != nil:
			return err
		case !may:
			continue
		}
		do := "undo " + run.record.Receipt + " again, then put the locks"
		if run.summary == nil {
			do = "the file of the backfill cannot be read, so the undo cannot continue: restore the file, or abandon the adoption"
		}
		return plan.Refuse(plan.Changed,
			"the undo %s of the backfill %s is unfinished, and may still delete locks: %s",
			run.record.Undoing, run.record.Receipt, do)
	}
	return nil
}

// mayDelete reports whether the undo of a run may delete locks of a constraint: the run belongs to the constraint or to
// another one of the layout with the same locks, or its first lock has a key of the constraint.
func (c *Changer) mayDelete(t *dynamo.Table, con *layout.Constraint, run *earlierRun) (bool, error) {
	if run.Plan.Constraint == con.Name {
		return true, nil
	}
	if _, other := t.Layout.Constraint(run.Plan.Constraint); other != nil && other.SharesKeys(t.Name, con) {
		return true, nil
	}
	if run.summary == nil {
		return false, nil // only abandoning the other constraint would end the refusal
	}
	path := c.Journal.FileOf(run.record.Receipt)
	for l, err := range backfill.Lines(path, headerOf(run.Plan)) {
		if err != nil {
			return false, keysError("reading", path, err)
		}
		for _, w := range l.Puts() {
			_, _, ok := con.ParseLock(t.SchemaOf(w.Table), w.Key)
			return ok && w.Table == t.LockTable(con), nil
		}
	}
	return false, nil
}

// backfills returns the runs of a constraint's backfill, the newest last. If the name is empty, it returns the runs of
// all constraints. It omits runs that were undone, and runs of an abandoned adoption unless their undo can still reach
// its end. The summary of a run is nil if its file is gone, or if the file of an ended run is damaged.
func (c *Changer) backfills(t *dynamo.Table, constraint string) (runs []*earlierRun, err error) {
	records, err := c.Journal.Records()
	if err != nil {
		return nil, err
	}
	conn := t.Connection()
	for _, r := range records {
		kind := plan.Kind(r.About.Kind)
		if !kind.IsBackfill() || constraint != "" && r.About.Constraint != constraint ||
			r.Region != conn.Region() || r.Endpoint != conn.Endpoint() {
			continue
		}
		e, err := plan.Load(r)
		if err != nil {
			return nil, err
		}
		switch {
		case e.Plan.Accounts != t.Name || e.Plan.Tables[t.Name] != t.Identity():
		case kind == plan.KindAbandon:
			runs = slices.DeleteFunc(runs, func(run *earlierRun) bool {
				return run.Plan.Constraint == e.Plan.Constraint && (run.record.Undoing == "" || run.summary == nil)
			})
		case kind == plan.KindBackfill && r.Undone == "" && e.Plan.Backfill != nil:
			s, err := c.keysSummary(e.Plan)
			if constraint != "" && err != nil && !errors.Is(err, fs.ErrNotExist) && r.Open && r.Undoing == "" {
				return nil, err // only the file has the transactions of an open run
			}
			runs = append(runs, &earlierRun{Entry: e, record: r, summary: s})
		}
	}
	return runs, nil
}

// keysSummary reads the file of a run.
func (c *Changer) keysSummary(p *plan.Plan) (*backfill.Summary, error) {
	path := c.Journal.FileOf(p.ID)
	s, err := backfill.Summarise(path, headerOf(p))
	if err != nil {
		return nil, &client.Error{
			Kind: client.Failed, Op: "reading the file " + path, Why: phrase.WithoutPath(err),
			Do: "restore this file, which belongs to the receipt " + p.ID, Err: err,
		}
	}
	return s, nil
}

func headerOf(p *plan.Plan) backfill.Header {
	return backfill.Header{Receipt: p.ID, Mark: p.Backfill.Mark}
}

// settle determines the outcomes of the open transactions of earlier processes. It sends a transaction again if its
// token is still valid. Otherwise the locks tell the outcome: a lock with the mark of the run was put.
func (r *backfillRun) settle(ctx context.Context) error {
	r.progress(Progress{Stage: StageSettle, Total: int64(len(r.was.Open))})
	for _, token := range byTime(r.was.Open) { // an error below leaves their outcomes unknown
		for _, w := range r.was.Open[token].Puts() {
			r.opened[(&backfill.Lock{Put: w}).ID()] = r.was.Open[token]
		}
	}
	for _, token := range byTime(r.was.Open) {
		l := r.was.Open[token]
		if why := r.unsound(l); why != "" {
			return &client.Error{
				Kind: client.Failed, Op: "continuing " + r.plan.ID, Why: why, Do: "undo this backfill, or abandon the adoption",
			}
		}
		outcome, err := r.sendAgain(ctx, l, r.was.First[token])
		if err == nil && outcome == journal.Unknown {
			outcome, err = r.settled(ctx, r.table.Connection(), l, r.plan.Backfill.Mark)
		}
		if err != nil {
			return err
		}
		if outcome != journal.Unknown {
			r.close(l, outcome, r.passed(r.table.Connection(), l) <= arrivesWithin)
		}
	}
	return nil
}

// unsound returns the reason why this program cannot have written a transaction in the file; empty if it can.
func (r *backfillRun) unsound(l *backfill.Line) string {
	mark := attr.String(r.plan.Backfill.Mark)
	for _, w := range l.Writes {
		_, lock := r.rule.Owner(w.Table, w.Item)
		switch {
		case w.Verb == client.Check && w.Table == r.table.Name:
		case w.Verb == client.Put && w.Absent && lock && w.Item[schema.AdoptAttribute].Equal(mark):
		default:
			return fmt.Sprintf("the file of this backfill has a transaction that does not put a lock: %s of %s", w.Verb, w.Key)
		}
	}
	return ""
}

// sendAgain sends an open transaction again if its token is still valid by all clocks.
func (r *backfillRun) sendAgain(ctx context.Context, l, first *backfill.Line) (journal.Outcome, error) {
	age := r.ageOf(first)
	if l.NoTokens || age > againWithin || age < -skew {
		return journal.Unknown, nil
	}
	step := plan.Step{Name: journal.StepName(plan.KindBackfill), Token: l.Token, Writes: l.Writes}
	body, err := step.Body()
	if err != nil {
		return journal.Unknown, err
	}
	sentFirst := r.now().Add(-max(age, 0))
	q := request{plan: r.plan, step: step, again: &resend{
		body: body, first: sentFirst, until: sentFirst.Add(againWithin), clock: r.startStopwatch(),
	}}
	a, err := r.transact(ctx, q, 0, &r.result, func(to sending) error {
		return keysError("writing", r.keys.Path(), r.keys.Send(backfill.Line{
			Token: l.Token, At: r.now(), There: endpointTime(r.table.Connection()), NoTokens: !to.tokens,
		}))
	}, r.report)
	if err == nil {
		l.At, l.There = r.now(), endpointTime(r.table.Connection())
	}
	if err == nil && endsRun(a.Err) {
		err = a.Err
	}
	return a.Outcome, err
}

// ageOf returns the time since a line was written, by the clock that measured the longest time.
func (r *backfillRun) ageOf(l *backfill.Line) time.Duration {
	age := r.now().Sub(l.At)
	if there := endpointTime(r.table.Connection()); !there.IsZero() && !l.There.IsZero() {
		age = max(age, there.Sub(l.There))
	}
	return age
}

// settled determines the outcome of an open transaction from its locks. If none of them has the mark of the run, and
// the transaction can no longer arrive, it was not applied.
func (c *Changer) settled(
	ctx context.Context, conn *dynamo.Connection, l *backfill.Line, mark string,
) (journal.Outcome, error) {
	var at []client.Address
	for _, w := range l.Puts() {
		at = append(at, client.Address{Table: w.Table, Key: w.Key})
	}
	items, _, err := conn.Reader().Together(ctx, at)
	if err != nil {
		return journal.Unknown, err
	}
	for _, item := range items {
		if item[schema.AdoptAttribute].Equal(attr.String(mark)) {
			return journal.Applied, nil
		}
	}
	if c.passed(conn, l) > arrivesWithin {
		return journal.Refused, nil
	}
	return journal.Unknown, nil
}

// passed returns the time since a line was written, by the clock that measured the shortest time.
func (c *Changer) passed(conn *dynamo.Connection, l *backfill.Line) time.Duration {
	passed := c.now().Sub(l.At)
	if there := endpointTime(conn); !l.There.IsZero() {
		passed = min(passed, there.Sub(l.There)) // negative if the endpoint's time is unknown now
	}
	return passed
}

// byTime returns the tokens of some lines, the oldest line first.
func byTime(lines map[string]*backfill.Line) []string {
	return slices.SortedFunc(maps.Keys(lines), func(a, b string) int { return lines[a].At.Compare(lines[b].At) })
}

// examineMany determines how far a change of many transactions got.
func (s *Resolution) examineMany(ctx context.Context) error {
	switch s.Entry.Plan.Kind {
	case plan.KindUndoBackfill:
		s.Words = "This undo stopped before its end. Undo the backfill again: then the undo continues."
		s.Choices = []Choice{giveUp}
		return nil
	case plan.KindAdopt:
		s.conclude(journal.Applied, "The rule was verified. This change writes no item.")
		return nil
	case plan.KindAbandon:
		s.conclude(journal.Applied, "The adoption was abandoned. This change writes no item.")
		return nil
	}
	sum, err := s.changer.keysSummary(s.Entry.Plan)
	if err != nil {
		return err
	}
	put := sum.Put
	for _, token := range byTime(sum.Open) {
		l := sum.Open[token]
		outcome, err := s.changer.settled(ctx, s.conn, l, s.Entry.Plan.Backfill.Mark)
		if err != nil {
			return err
		}
		switch outcome {
		case journal.Applied:
			put += int64(len(l.Puts()))
		case journal.Unknown:
			if until := l.At.Add(arrivesWithin); until.After(s.Later) {
				s.Later = until
			}
		}
	}
	words := phrase.Count(put, "lock") + " put."
	if !sum.Finished {
		words += " The backfill is unfinished: start it again to continue."
	}
	switch {
	case !s.Later.IsZero():
		s.Words = words + " A transaction got no answer, and may still arrive. It puts only locks that are still missing."
	case put > 0:
		s.conclude(journal.Applied, words)
	default:
		s.conclude(journal.Refused, words)
	}
	return nil
}
