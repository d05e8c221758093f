package change

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/backfill"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
)

// BackfillUndo is a planned undo of a backfill.
type BackfillUndo struct {
	Plan *plan.Plan
	// Resumes is the interrupted undo that this one continues; nil if this one is new.
	Resumes *journal.Record

	record  *journal.Record // the backfill
	was     *plan.Plan
	table   *dynamo.Table
	summary *backfill.Summary
	// others describes the locks of the constraint that were read.
	others layout.LockTraits
	units  float64 // the read units of the method deletions
}

// IsBackfill reports whether a record is a backfill, which PlanBackfillUndo undoes.
func IsBackfill(r *journal.Record) bool { return plan.Kind(r.About.Kind) == plan.KindBackfill }

// PlanBackfillUndo plans to delete the locks of a backfill that still have its mark and that nobody has changed.
// It reads only the first locks, and writes nothing to tables. If an earlier undo was interrupted, the plan continues
// that undo.
func (c *Changer) PlanBackfillUndo(
	ctx context.Context, conn *dynamo.Connection, r *journal.Record,
) (*BackfillUndo, error) {
	e, err := plan.Load(r)
	if err != nil {
		return nil, err
	}
	u := &BackfillUndo{record: r, was: e.Plan}
	switch {
	case e.Plan.Kind != plan.KindBackfill || e.Plan.Backfill == nil:
		return nil, plan.Refuse(plan.NotUndone, "%s is not a backfill", r.Receipt)
	case r.Undoing != "" && r.Undone == "":
		if u.Resumes, err = c.Journal.Record(r.Undoing); err != nil {
			return nil, err
		}
	case r.Open, r.Outcome == journal.Refused && r.Undone == "": // the file tells how far the backfill got
	case plan.WhyNotUndone(r) != "":
		return nil, plan.Refuse(plan.NotUndone, "%s cannot be undone: %s", r.Receipt, plan.WhyNotUndone(r))
	}
	if err := plan.CheckTables(ctx, conn, e, "undoing "+r.Receipt); err != nil {
		return nil, err
	}
	if u.table, err = conn.Open(ctx, e.Plan.Accounts); err != nil {
		return nil, err
	}
	if _, con := u.table.Layout.Constraint(u.was.Constraint); con != nil {
		u.others.Merge(u.table.Fit.Of(con).Held)
	}
	if err := u.readFile(ctx, c); err != nil {
		return nil, err
	}
	if r.Outcome == journal.Refused && u.summary.Sent == 0 {
		return nil, plan.Refuse(plan.NotUndone, "%s cannot be undone: %s", r.Receipt, plan.NotApplied(r.Outcome))
	}
	return u, u.makePlan(ctx, c)
}

// readFile reads the file of the backfill. It returns a refusal if a copy of one of its transactions may still arrive:
// after the undo, the copy would put the locks again.
func (u *BackfillUndo) readFile(ctx context.Context, c *Changer) (err error) {
	if u.summary, err = c.keysSummary(u.was); err != nil {
		return err
	}
	conn := u.table.Connection()
	for _, token := range byTime(u.summary.Open) {
		l := u.summary.Open[token]
		if outcome, err := c.settled(ctx, conn, l, u.was.Backfill.Mark); err != nil {
			return err
		} else if outcome != journal.Refused && c.passed(conn, l) <= arrivesWithin {
			return u.tooEarly(l.At.Add(arrivesWithin))
		}
	}
	if l := u.summary.Late; l != nil && c.passed(conn, l) <= signatureValid {
		return u.tooEarly(l.At.Add(signatureValid))
	}
	return nil
}

// tooEarly refuses the undo of a backfill. An attempt without an answer may arrive until the given time.
func (u *BackfillUndo) tooEarly(until time.Time) error {
	return plan.Refuse(plan.NotUndone, "%s cannot be undone yet: one of its transactions got no answer. "+
		"Until %s this transaction may still arrive, and put locks after the undo", u.was.ID, phrase.Clock(until))
}

// Adoption returns the accounts table and the constraint of the backfill.
func (u *BackfillUndo) Adoption() (*dynamo.Table, string) { return u.table, u.was.Constraint }

// KeyOf returns the key of the lock in a finding of the undo.
func (u *BackfillUndo) KeyOf(f BackfillFinding) (string, error) {
	key, ok := u.table.SchemaOf(f.Table).KeyOf(f.Lock)
	if !ok {
		return "", fmt.Errorf("the key does not fit the table %s, so it is not a lock of %s", f.Table, u.was.Constraint)
	}
	return key.String(), nil
}

// makePlan makes the plan of the undo.
func (u *BackfillUndo) makePlan(ctx context.Context, c *Changer) error {
	var first []client.Write
	err := u.windows(c, func(locks []client.Write, _ bool) (bool, error) {
		deletions, _, _, err := u.deletions(ctx, locks)
		first = deletions[:min(len(deletions), backfill.MaxLocks)]
		return len(first) == 0, err
	})
	if err != nil {
		return err
	}
	p, err := planner.UndoBackfill(u.table, u.was, first)
	if err != nil {
		return err
	}
	p.Price.WriteUnits, p.Price.ReadUnits, p.Price.Estimate = 2*float64(u.summary.Sent), float64(u.summary.Sent), true
	p.Title, p.Button = "Undo a backfill", "Delete the locks"
	p.Sentence = fmt.Sprintf("Deletes the locks that the backfill of %s put, if nobody has changed them since. Then these "+
		"values have no lock: another account can take them. No account is changed.", p.Constraint)
	p.Done = "the locks of the backfill are gone"
	p.AddLine("locks", fmt.Sprintf("at most %s", phrase.Number(u.summary.Sent)))
	p.AddLine(plan.LabelOnlyIf, "the lock still has the mark of this backfill, and no attribute has changed since")
	p.AddLine(plan.LabelPrice, "at most "+p.Price.String())
	p.AddLine("undoes", u.was.String())
	p.Live.Run, p.Live.Unsure = u.record.Run, nil // removing the locks again needs no layout
	if u.Resumes != nil {
		p.ID = u.Resumes.Receipt
	}
	u.Plan = p
	return nil
}

// windows calls visit with the locks that the backfill may have put, many at once, until visit returns false. Locks
// whose transactions were all refused come last: an earlier attempt without an answer may have put them.
func (u *BackfillUndo) windows(
	c *Changer, visit func(locks []client.Write, refused bool) (more bool, err error),
) error {
	var locks []client.Write
	path := c.Journal.FileOf(u.was.ID)
	for l, err := range backfill.Lines(path, headerOf(u.was)) {
		if err != nil {
			return keysError("reading", path, err)
		}
		if l.Event != backfill.Sending || u.summary.Refused[l.Token] {
			continue
		}
		if locks = append(locks, l.Puts()...); len(locks)+backfill.MaxLocks > client.MaxBatch {
			if more, err := visit(locks, false); err != nil || !more {
				return err
			}
			locks = nil
		}
	}
	if len(locks) > 0 {
		if more, err := visit(locks, false); err != nil || !more {
			return err
		}
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(u.summary.Untaken)), client.MaxBatch) {
		locks = nil
		for _, id := range some {
			locks = append(locks, u.summary.Untaken[id])
		}
		if more, err := visit(locks, true); err != nil || !more {
			return err
		}
	}
	return nil
}

// deletions returns the deletions of the locks that nobody has changed. gone counts the locks that the application has
// deleted or written since. changed lists the locks that still have the mark of the backfill, but have other changes.
func (u *BackfillUndo) deletions(
	ctx context.Context, locks []client.Write,
) (all []client.Write, gone int64, changed []client.Write, err error) {
	var keys []attr.Key
	for _, w := range locks {
		keys = append(keys, w.Key)
	}
	reader := u.table.Connection().Reader()
	found, err := reader.Get(ctx, u.was.Table, keys, true)
	u.units += reader.Units
	if err != nil {
		return nil, 0, nil, err
	}
	mark, keyed := attr.String(u.was.Backfill.Mark), u.table.SchemaOf(u.was.Table)
	for _, item := range found {
		u.others.Add(maps.All(item), func(name string) bool { return keyed.IsKey(name) || name == schema.MarkAttribute })
	}
	seen := map[string]bool{}
	for _, w := range locks {
		item, id := found[w.Key.ID()], w.Key.ID()
		switch {
		case w.Table != u.was.Table || !w.Item[schema.AdoptAttribute].Equal(mark):
			return nil, 0, nil, plan.Refuse(plan.NotUndone, "the file of the backfill has an item that is not a lock of this backfill: %s of %s", w.Key, w.Table)
		case seen[id]:
		case !item[schema.AdoptAttribute].Equal(mark):
			gone++
		case !item.Equal(w.Item):
			changed = append(changed, w)
		default:
			all = append(all, planner.DeleteUnchanged(u.table, w.Table, w.Key, item, &u.others))
		}
		seen[id] = true
	}
	return all, gone, changed, nil
}

// undoRun is one run of an undo.
type undoRun struct {
	*manyRun
	*BackfillUndo
	keys *backfill.Keys // notes the deletions, for the past of a lock; nil if the file is not writable
}

// RunBackfillUndo deletes the locks of a backfill. It calls found for each lock that still has the mark of the backfill
// and that it does not delete. If ctx is cancelled, the current transaction ends first. The undo can be continued
// later.
func (c *Changer) RunBackfillUndo(
	ctx context.Context, u *BackfillUndo, found func(BackfillFinding), progress func(Progress),
) BackfillResult {
	r := &undoRun{manyRun: c.newMany(u.Plan, u.was.ID, found, progress), BackfillUndo: u}
	defer func() {
		if r.keys != nil {
			_ = r.keys.Close()
		}
	}()
	return r.do(ctx, r.begin, r.run, r.end)
}

// run deletes the locks. A busy lock stays, so the undo has not reached its end.
func (r *undoRun) run(ctx context.Context) error {
	err := r.windows(r.Changer, func(locks []client.Write, refused bool) (bool, error) {
		return true, r.window(ctx, locks, refused)
	})
	if busy := r.result.Found[BackfillBusy]; err == nil && busy > 0 {
		return &client.Error{
			Kind: client.Conflict, Op: "deleting the locks of a backfill",
			Why: "other programs kept writing " + phrase.Count(busy, "lock"), Do: "undo the backfill again: then the undo continues",
		}
	}
	return err
}

// end sets the outcome of the undo. The undo stays open until it has reached its end. It returns the words for the
// journal.
func (r *undoRun) end() string {
	words := phrase.Count(r.result.Put, "lock") + " deleted"
	if r.result.Outcome = journal.Applied; !r.result.Complete {
		r.result.Outcome, words = journal.Unknown, words+"; the undo stopped before its end"
	}
	return words
}

// begin reads the record and the file of the backfill again: another process may have continued or undone the backfill
// since the planning. It closes a backfill that was interrupted. The caller holds the lock of the run.
func (r *undoRun) begin(ctx context.Context) error {
	now, err := r.Journal.Record(r.record.Receipt)
	switch {
	case err != nil:
		return err
	case now == nil || now.Undone != "":
		return plan.Refuse(plan.NotUndone, "%s cannot be undone: it is undone already, or the journal no longer has it", r.record.Receipt)
	case now.Undoing != "" && now.Undoing != r.plan.ID:
		return plan.Refuse(plan.NotUndone, "another undo of %s has begun: undo the backfill again to continue that undo", r.record.Receipt)
	}
	if err := r.readFile(ctx, r.Changer); err != nil {
		return err
	}
	r.keys, _ = backfill.Open(r.result.File, headerOf(r.was))
	if !now.Open {
		return nil
	}
	return r.Journal.Append(ctx, journal.Entry{
		Event: journal.EventResolved, Receipt: now.Receipt, At: r.now(), Outcome: journal.Applied, Who: r.Who,
		AppliedBy: r.AppliedBy,
	})
}

// window deletes some locks. Locks of refused transactions do not count as gone.
func (r *undoRun) window(ctx context.Context, locks []client.Write, refused bool) error {
	if err := ctx.Err(); err != nil {
		return stopped(err)
	}
	before := r.units
	deletions, gone, changed, err := r.deletions(ctx, locks)
	r.result.ReadUnits += r.units - before
	if err != nil {
		return err
	}
	if !refused {
		r.result.Had += gone
	}
	for _, w := range changed {
		r.stays(BackfillChanged, w)
	}
	for len(deletions) > 0 {
		n := min(len(deletions), backfill.MaxLocks)
		if err := r.delete(ctx, deletions[:n], false); err != nil {
			return err
		}
		deletions = deletions[n:]
	}
	return nil
}

// delete sends some deletions as one transaction. If it is refused, delete sends its halves, down to single deletions.
func (r *undoRun) delete(ctx context.Context, some []client.Write, isHalf bool) error {
	step := plan.Step{Name: journal.StepName(r.plan.Kind), Token: uuid.NewString(), Writes: some}
	at := r.now()
	a, err := r.transact(ctx, request{plan: r.plan, step: step}, 2*float64(len(some)), &r.result,
		func(sending) error { at = r.now(); return nil }, r.report)
	if err != nil {
		return err
	}
	r.note(step, at, a)
	if !isHalf {
		err = r.result.count(a)
	}
	switch {
	case a.Outcome == journal.Applied:
		r.result.Put += int64(len(some))
		r.report(Progress{})
		return err
	case a.Outcome == journal.Unknown:
		r.result.noteOpen(&backfill.Line{Token: step.Token, At: r.now()})
		return unknownOutcome(a.Err)
	case endsRun(a.Err):
		return a.Err
	case err != nil:
		return err
	case len(some) == 1:
		return r.kept(some[0], a)
	}
	for _, half := range [][]client.Write{some[:len(some)/2], some[len(some)/2:]} {
		if err := r.delete(ctx, half, true); err != nil {
			return err
		}
	}
	return nil
}

// note records the deleted locks of a transaction in the file, without the conditions.
func (r *undoRun) note(step plan.Step, at time.Time, a plan.Answer) {
	if r.keys == nil || a.Outcome == journal.Refused {
		return
	}
	l := backfill.Line{Token: step.Token, At: at, Outcome: string(a.Outcome)}
	for _, w := range step.Writes {
		l.Writes = append(l.Writes, client.Write{Verb: w.Verb, Table: w.Table, Key: w.Key})
	}
	_ = r.keys.Undo(l) // the undo is complete without this line
}

// kept reports a lock whose deletion was refused. Only a failed condition proves that the lock has changed.
func (r *undoRun) kept(w client.Write, a plan.Answer) error {
	switch {
	case a.ConditionFailed():
		r.stays(BackfillChanged, w)
	case client.KindOf(a.Err) == client.Conflict:
		r.stays(BackfillBusy, w)
	case a.Err != nil:
		return a.Err
	default:
		return &client.Error{
			Kind: client.Failed, Op: "deleting " + w.Key.String(), Why: a.Reasons[0].Text, Do: "undo the backfill again",
		}
	}
	return nil
}

// report passes progress on.
func (r *undoRun) report(p Progress) {
	p.Stage, p.Done, p.Total = StageUnfill, r.result.Put+r.result.Had, r.summary.Sent
	p.Locks, p.AllLocks = int(r.result.Put), int(r.summary.Sent)
	r.progress(p)
}

// stays reports a lock that stays.
func (r *undoRun) stays(kind BackfillKind, w client.Write) {
	r.emit(BackfillFinding{
		Kind: kind, Constraint: r.was.Constraint, Table: w.Table, Lock: w.Key.Item(), Exists: true,
	})
}
