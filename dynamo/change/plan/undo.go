package plan

import (
	"context"
	"fmt"
	"maps"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/find"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Undo plans to undo a change, with its own conditions. It returns a *Refusal if the change cannot be undone,
// or the table is no longer as the change left it. It returns an error of the kind Usage if the change was not
// made on the connection.
func Undo(ctx context.Context, conn *dynamo.Connection, r *journal.Record) (*Plan, error) {
	e, err := Load(r)
	if err != nil {
		return nil, err
	}
	if why := WhyNotUndoable(r, e.Plan); why != "" {
		return nil, Refuse(NotUndone, "%s cannot be undone: %s", r.Receipt, why)
	}
	if err := CheckTables(ctx, conn, e, "undoing "+r.Receipt); err != nil {
		return nil, err
	}
	was := e.Plan
	t, err := conn.Open(ctx, was.Accounts)
	if err != nil {
		return nil, err
	}
	if was.Kind == KindRecreate { // the inverse of other kinds needs no layout
		if err := was.CheckLayout(t, "undoing "+r.Receipt); err != nil {
			return nil, err
		}
	}
	if why := was.OffTarget(t); why != "" {
		return nil, Refuse(NotUndone, "%s cannot be undone: %s", r.Receipt, why)
	}
	p, err := planInverseOf(ctx, t, was)
	if err != nil {
		return nil, err
	}
	for _, w := range was.Steps.Effect().Writes {
		p.AddLine("undoes", string(w.Verb)+" "+w.Key.String())
	}
	if p.Kind != KindRelease { // restoring a former state needs no layout
		p.Live.Unsure = nil
	}
	// The undo locks the run of its change, so nobody else undoes that at the same time.
	p.Undoes, p.Live.Run, p.Live.Request = r.Receipt, r.Receipt, Request{Receipt: r.Receipt}
	return p, nil
}

// planInverseOf plans the inverse of a plan that was applied. Unless the kind has a planner for its undo, every
// item is restored.
func planInverseOf(ctx context.Context, t *dynamo.Table, was *Plan) (*Plan, error) {
	switch was.Kind {
	case KindRelease:
		return planPutBack(ctx, t, was)
	case KindBump, KindRaise, KindLower:
		return planValueBack(ctx, t, was)
	case KindRecreate:
		return planReleaseAgain(ctx, t, was)
	}
	return planInverse(ctx, t, was)
}

// planPutBack plans to put a released lock back as it was, without its mark, if nobody has taken the value. An
// account may hold the value by now without a lock. Then it must still hold the value when the plan is applied.
func planPutBack(ctx context.Context, t *dynamo.Table, was *Plan) (*Plan, error) {
	w := was.Steps.Effect().Writes[0] // a release begins with its lock
	lock, seen := was.Image(w.Table, w.Key)
	if !seen {
		return nil, Refuse(NotUndone, "%s cannot be undone: the journal does not say what was there before", was.ID)
	}
	past, err := t.LockAt(was.Constraint, w.Table, lock)
	if err != nil {
		return nil, err
	}
	now, whole, err := rereadRelation(ctx, t, past, find.RereadOptions{})
	switch {
	case err != nil:
		return nil, err
	case now.Lock.Exists:
		return nil, Refuse(Held, "the %s \"%s\" was taken since: its lock %s is there", was.Constraint, was.Value,
			now.Lock.Key)
	case len(now.Claimants) > 1:
		return nil, Refuse(Duplicate, "%d accounts hold the %s \"%s\" by now, %s: people decide whose lock it would be",
			now.ClaimantCount(), was.Constraint, was.Value, listAccounts(now.Claimants))
	}
	d := newDraft(t, KindRecreate, w.Table)
	d.setSubject(now)
	d.Title, d.Button = "Put a lock back", "Put the lock back"
	d.Sentence = fmt.Sprintf(
		"Puts the lock of the %s \"%s\" back as it was released. Nobody can sign up as \"%s\" afterwards. No account is changed.",
		d.Constraint, d.Value, d.Value,
	)
	d.Done = fmt.Sprintf("the lock of the %s \"%s\" is back", d.Constraint, d.Value)
	d.put(w.Table, past.Lock.Key, withoutMark(lock))
	d.onlyIf = []string{"there is still no lock"}
	if err := d.stillAsReleased(now, past, was.Images); err != nil {
		return nil, err
	}
	d.noteUnread(whole, fmt.Sprintf("whether an account holds \"%s\" by now", d.Value))
	d.undo = "releases it again when nobody holds the value"
	return d.plan()
}

// stillAsReleased adds conditions. If an account claims the value by now, it must still do so. Otherwise the
// owner that the lock names must be as it was when the lock was released.
func (d *draft) stillAsReleased(now, past *verdict.Relation, owners []Image) error {
	if len(now.Claimants) == 1 {
		a := &now.Claimants[0]
		if len(d.t.OwnerKeys(past.Constraint, past.Lock)) > 0 && !d.t.Names(past.Constraint, past.Lock, a) {
			return Refuse(Changed,
				"%s holds the %s \"%s\" by now, and the lock named %s: put that account's missing lock instead", a.Key,
				now.Constraint.Name, now.Value, past.Lock.Owner)
		}
		kind := d.t.Layout.KindOf(d.t.Schema, a.Item)
		d.check(d.ownAccountUnchanged(kind, a, now.Constraint), d.t.Name, a.Key)
		d.onlyIf = append(d.onlyIf, unchangedWords(kind, a, "still holds "+displayAttribute(a, now.Constraint.Attribute)))
		return nil
	}
	var gone []attr.Key
	for _, i := range owners {
		switch {
		case i.Table != d.t.Name || i.Item != nil && d.t.Layout.KindOf(d.t.Schema, i.Item) == nil: // the lock itself
		case i.Item == nil:
			gone = append(gone, i.Key)
		default:
			past.OwnerAccount = &schema.Account{Key: i.Key, Item: i.Item}
		}
	}
	if past.OwnerAccount != nil || len(gone) > 0 {
		d.checkFormerOwner(past, gone)
	}
	return nil
}

// withoutMark returns a lock without the mark of a release, which is never put back.
func withoutMark(lock attr.Item) attr.Item {
	lock = maps.Clone(lock)
	delete(lock, schema.MarkAttribute)
	return lock
}

// planReleaseAgain plans to release a lock that a change put, like any other lock.
func planReleaseAgain(ctx context.Context, t *dynamo.Table, was *Plan) (*Plan, error) {
	var put attr.Item
	var table string
	for _, w := range was.Steps.Effect().Writes {
		if w.Verb == client.Put {
			put, table = w.Item, w.Table
		}
	}
	rel, err := t.LockAt(was.Constraint, table, put)
	if err != nil {
		return nil, err
	}
	// This program's locks have no time, so reserved is set. The comparison below shows that the lock is the
	// one that was put.
	p, err := Release(ctx, t, rel, true)
	if err != nil {
		return nil, err
	}
	if !p.Live.Release.Rel.Lock.Item.Equal(put) {
		return nil, Refuse(Changed, "the lock %s is no longer as the change left it", rel.Lock.Key)
	}
	return p, nil
}

// planValueBack plans to set a counter back to its former value. The counter must still hold exactly the number
// that the change left. If the former value is lower, a person has to type the counter's name.
func planValueBack(ctx context.Context, t *dynamo.Table, was *Plan) (*Plan, error) {
	c, err := CounterNamed(ctx, t, was.Counter, was.Table)
	if err != nil {
		return nil, err
	}
	now, err := rereadCounter(ctx, c)
	if err != nil {
		return nil, err
	}
	have, _ := attr.Integer(now.Value)
	before, whole := attr.Integer(was.Before)
	if left, _ := attr.Integer(was.After); !whole || left == nil || have.Cmp(left) != 0 {
		return nil, Refuse(Changed, "%s", CountedOn(was.Counter, have.String(), was.After))
	}
	if before.Cmp(have) < 0 {
		return planLowerFrom(now, before)
	}
	return planRaiseFrom(now, before, nil)
}

// CountedOn returns the reason not to set a counter back: it no longer holds the number that the change left.
func CountedOn(counter, now, left string) string {
	return fmt.Sprintf(
		"%s says %s by now, and the change left %s: numbers were handed out since, and are never taken back", counter,
		phrase.Group(now), phrase.Group(left),
	)
}

// CounterNamed returns the counter with the given name and table, among the counters of t.
func CounterNamed(ctx context.Context, t *dynamo.Table, name, table string) (counter.Counter, error) {
	counters, _, err := counter.Read(ctx, t)
	if err != nil {
		return counter.Counter{}, err
	}
	for _, c := range counters {
		if c.Name == name && c.Table == table {
			return c, nil
		}
	}
	return counter.Counter{}, Refuse(Absent, "there is no counter %s in %s any more", name, table)
}
