package planner

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Undo plans to undo a change. The undo has conditions of its own. Undo returns a *plan.Refusal if the change
// cannot be undone, or if its items have changed since. It returns an error of the kind Usage if the change was
// made on another connection.
func Undo(ctx context.Context, conn *dynamo.Connection, r *journal.Record) (*plan.Plan, error) {
	left := math.Inf(1)
	return UndoWithin(ctx, conn, r, &left)
}

// UndoWithin is like Undo, but reads the accounts' table only if its estimated price is at most *left. Then it
// subtracts the price from *left. Otherwise the plan has a line about accounts that were not read.
func UndoWithin(ctx context.Context, conn *dynamo.Connection, r *journal.Record, left *float64) (*plan.Plan, error) {
	e, err := plan.Load(r)
	if err != nil {
		return nil, err
	}
	if why := plan.WhyNotUndoable(r, e.Plan); why != "" {
		return nil, plan.Refuse(plan.NotUndone, "%s cannot be undone: %s", r.Receipt, why)
	}
	if err := plan.CheckTables(ctx, conn, e, "undoing "+r.Receipt); err != nil {
		return nil, err
	}
	was := e.Plan
	t, err := conn.Open(ctx, was.Accounts)
	if err != nil {
		return nil, err
	}
	if was.Kind == plan.KindRecreate { // the inverse of other kinds needs no layout
		if err := was.CheckLayout(t, "undoing "+r.Receipt); err != nil {
			return nil, err
		}
	}
	if why := was.OffTarget(t); why != "" {
		return nil, plan.Refuse(plan.NotUndone, "%s cannot be undone: %s", r.Receipt, why)
	}
	o := find.RereadOptions{}
	if was.Counter == "" { // the undo of a counter's change reads no account
		units := dynamo.AccountsCost(t).Units
		if o.PointsOnly = units > *left; !o.PointsOnly {
			*left -= units
		}
	}
	p, err := planInverseOf(ctx, t, was, o)
	if err != nil {
		return nil, err
	}
	for _, w := range was.Steps.Effect().Writes {
		p.AddLine("undoes", string(w.Verb)+" "+w.Key.String())
	}
	if p.Kind != plan.KindRelease { // restoring a former state needs no layout
		p.Live.Unsure = nil
	}
	// The undo uses, and locks, the run of the change. So nobody else can undo the change at the same time.
	p.Undoes, p.Live.Run, p.Live.Request = r.Receipt, r.Receipt, plan.Request{Receipt: r.Receipt}
	return p, nil
}

// planInverseOf plans to undo an applied plan. Some kinds of change have a planner for their undo. For all other
// kinds, planInverse restores every item.
func planInverseOf(ctx context.Context, t *dynamo.Table, was *plan.Plan, o find.RereadOptions) (*plan.Plan, error) {
	switch was.Kind {
	case plan.KindRelease:
		return planPutBack(ctx, t, was, o)
	case plan.KindBump, plan.KindRaise, plan.KindLower:
		return planValueBack(ctx, t, was)
	case plan.KindRecreate:
		return planReleaseAgain(ctx, t, was, o)
	}
	return planInverse(ctx, t, was, o)
}

// planPutBack plans to put a released lock back, without its mark, if no other lock keeps the value. If one account
// now holds the value, this account must still hold the value when the plan is applied.
func planPutBack(
	ctx context.Context, t *dynamo.Table, was *plan.Plan, o find.RereadOptions,
) (*plan.Plan, error) {
	w := was.Steps.Effect().Writes[0] // the first write of a release deletes its lock
	lock, seen := was.Image(w.Table, w.Key)
	if !seen {
		return nil, plan.Refuse(plan.NotUndone, "%s cannot be undone: the journal has no earlier state of the lock", was.ID)
	}
	past, err := t.LockAt(was.Constraint, w.Table, lock)
	if err != nil {
		return nil, err
	}
	now, whole, err := rereadRelation(ctx, t, past, o)
	switch {
	case err != nil:
		return nil, err
	case now.Lock.Exists:
		return nil, plan.Refuse(plan.Held, "somebody has taken the %s \"%s\": its lock %s exists", was.Constraint, was.Value,
			now.Lock.Key)
	case now.Lock.Other != nil:
		return nil, OtherRefusal(now)
	case len(now.Claimants) > 1:
		return nil, plan.Refuse(plan.Duplicate, "%d accounts now hold the %s \"%s\", %s: a person must decide which one gets the lock",
			now.ClaimantCount(), was.Constraint, was.Value, listAccounts(now.Claimants))
	}
	d := newDraft(t, plan.KindRecreate, w.Table)
	d.setSubject(now)
	d.Title, d.Button = "Put a lock back", "Put the lock back"
	d.Sentence = fmt.Sprintf(
		"Puts the released lock of the %s \"%s\" back. Nobody can sign up as \"%s\" afterwards. No account is changed.",
		d.Constraint, d.Value, d.Value,
	)
	d.Done = fmt.Sprintf("the lock of the %s \"%s\" is back", d.Constraint, d.Value)
	d.put(w.Table, past.Lock.Key, withoutMark(lock))
	d.onlyIf = []string{"there is still no lock"}
	if err := d.stillAsReleased(now, past, was.Images); err != nil {
		return nil, err
	}
	d.noteUnread(whole, fmt.Sprintf("an account that holds \"%s\" now", d.Value))
	d.undo = "releases the lock again, if nobody holds the value"
	if len(now.Claimants) == 1 {
		d.undo = "releases the lock, after the account has given up the value"
	}
	return d.plan()
}

// stillAsReleased adds the conditions for putting a lock back. If an account now claims the value, this account must
// still claim the value when the plan is applied. If no account claims the value, the owner that the lock names must
// be unchanged since the release. owners has the release's images of owners and of locks; the locks are ignored.
func (d *draft) stillAsReleased(now, past *verdict.Relation, owners []plan.Image) error {
	if len(now.Claimants) == 1 {
		a := &now.Claimants[0]
		if len(d.t.OwnerKeys(past.Constraint, past.Lock)) > 0 && !d.t.Names(past.Constraint, past.Lock, a) {
			return plan.Refuse(plan.Changed,
				"%s now holds the %s \"%s\", but the old lock named %s: put the missing lock of the new holder instead", a.Key,
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
		case i.Table != d.t.Name || i.Item != nil && d.t.Layout.KindOf(d.t.Schema, i.Item) == nil: // a lock, not an owner
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

// withoutMark returns a lock without the mark of a release: a mark is never put back.
func withoutMark(lock attr.Item) attr.Item {
	lock = maps.Clone(lock)
	delete(lock, schema.MarkAttribute)
	return lock
}

// planReleaseAgain plans to undo the put of a lock: it releases the lock like any other.
func planReleaseAgain(
	ctx context.Context, t *dynamo.Table, was *plan.Plan, o find.RereadOptions,
) (*plan.Plan, error) {
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
	// A lock that this program put has no time, and may look reserved. So the release of a reserved lock is allowed.
	// The comparison below proves that the change put this lock.
	p, err := ReleaseReread(ctx, t, rel, o, true)
	if err != nil {
		return nil, err
	}
	if !p.Live.Release.Rel.Lock.Item.Equal(put) {
		return nil, plan.Refuse(plan.Changed, "the lock %s was changed after this change", rel.Lock.Key)
	}
	return p, nil
}

// planValueBack plans to set a counter back to its former value. The counter must still hold exactly the number
// that the change left. If the former value is lower, a person has to type the counter's name.
func planValueBack(ctx context.Context, t *dynamo.Table, was *plan.Plan) (*plan.Plan, error) {
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
		return nil, plan.Refuse(plan.Changed, "%s", CountedOn(was.Counter, have.String(), was.After))
	}
	if before.Cmp(have) < 0 {
		return planLowerFrom(now, before)
	}
	return planRaiseFrom(now, before, nil)
}

// CountedOn returns the reason not to set a counter back: the counter no longer holds the number that the change
// gave it.
func CountedOn(counter, now, left string) string {
	return fmt.Sprintf(
		"%s is now at %s, but this change set it to %s: numbers handed out since then cannot be taken back", counter,
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
	return counter.Counter{}, plan.Refuse(plan.Absent,
		"%s has no counter %s now: its item is gone, or the layout no longer describes it", table, name)
}

// inverses maps the kind of a change to the kind of its undo, if the two differ. typedUndos lists the kinds of undo
// for which a person has to type the subject.
var (
	inverses = map[plan.Kind]plan.Kind{
		plan.KindDeleteAccount: plan.KindRestore, plan.KindRestore: plan.KindDeleteAccount,
		plan.KindCreate: plan.KindRemove, plan.KindRemove: plan.KindCreate,
	}
	typedUndos = []plan.Kind{plan.KindDeleteAccount, plan.KindRemove, plan.KindConvert}
)

// planInverse plans an undo that restores every item that the change wrote. It requires that these items are
// unchanged since the change. Items that the change only checked must be unchanged, too.
func planInverse(
	ctx context.Context, t *dynamo.Table, was *plan.Plan, o find.RereadOptions,
) (*plan.Plan, error) {
	kind := cmp.Or(inverses[was.Kind], was.Kind)
	d := newDraft(t, kind, was.Table)
	d.Constraint, d.Value, d.AccountValue, d.Counter = was.Constraint, was.Value, was.AccountValue, was.Counter
	d.Account = was.Account
	d.Before, d.After, d.Collides = was.After, was.Before, was.Collides
	d.Title, d.Button = "Undo a change", "Undo it"
	d.Sentence = fmt.Sprintf("Undoes: %s.", was)
	if kind == plan.KindValue {
		d.Sentence = fmt.Sprintf("Changes the %s of %s back from \"%s\" to \"%s\".", d.Constraint, d.Account, d.Before, d.After)
	}
	d.Done = fmt.Sprintf("undone: %s", was)
	if slices.Contains(typedUndos, kind) {
		d.Typed = was.Subject()
	}
	writes := was.Steps.Effect().Writes
	places := make([]client.Address, len(writes))
	for n, w := range writes {
		places[n] = client.Address{Table: w.Table, Key: w.Key}
	}
	items, _, err := t.Connection().Reader().Together(ctx, places)
	if err != nil {
		return nil, err
	}
	var back []*verdict.Relation // the locks that the undo puts back
	for n, w := range writes {
		before, seen := was.Image(w.Table, w.Key)
		if !seen {
			return nil, plan.Refuse(plan.NotUndone, "%s cannot be undone: the journal has no earlier state of an item", was.ID)
		}
		if err := d.invert(w, before, items[n]); err != nil {
			return nil, err
		}
		if w.Verb == client.Delete {
			if rel, err := t.LockAt("", w.Table, before); err == nil { // otherwise it is no lock
				back = append(back, rel)
			}
		}
	}
	if err := d.checkUntaken(ctx, back, places, o); err != nil {
		return nil, err
	}
	d.onlyIf = []string{"all that the change wrote is unchanged"}
	return d.plan()
}

// checkUntaken returns a *plan.Refusal if an account already holds the value of a lock that the undo puts back. own
// lists the items that the undo writes or checks: an account among them does not count as a holder.
func (d *draft) checkUntaken(
	ctx context.Context, locks []*verdict.Relation, own []client.Address, o find.RereadOptions,
) error {
	if len(locks) == 0 {
		return nil
	}
	fresh, whole, err := find.Reread(ctx, d.t, o, locks...)
	if err != nil {
		return err
	}
	for _, now := range fresh {
		holders := slices.DeleteFunc(now.Claimants, func(a schema.Account) bool {
			return slices.ContainsFunc(own, func(p client.Address) bool { return p.Table == d.t.Name && p.Key.Equal(a.Key) })
		})
		if len(holders) > 0 {
			return plan.Refuse(plan.Held, "%s now holds the %s \"%s\"",
				listAccounts(holders), now.Constraint.Name, now.Shown())
		}
	}
	d.noteUnread(whole, "an account that now holds a restored value")
	return nil
}

// invert adds the action that undoes the action w. before is the item before the change, and now is the current item.
func (d *draft) invert(w client.Write, before, now attr.Item) error {
	keys, key := d.t.SchemaOf(w.Table), w.Key
	changed := plan.Refuse(plan.Changed, "%s was changed or deleted after this change", key)
	if w.Verb == client.Check {
		return d.checkAgain(w, before, now)
	}
	if w.Verb == client.Update {
		return d.restore(w, before, now)
	}
	switch {
	case !plan.SameItem(now, plan.ItemAfter(w, before)):
		return changed
	case now == nil:
		d.put(w.Table, key, withoutMark(before))
	default:
		d.add(newExpression(keys, now).allUnchanged(schema.MarkAttribute).write(client.Delete, w.Table, key), now)
		d.AddLine(plan.LabelDelete, key.String())
	}
	return nil
}

// restore adds an update that undoes the update w. It restores the attributes that w set, if they still have the
// values from w. It increases the version of an account instead of restoring it, since no version is used twice.
func (d *draft) restore(w client.Write, before, now attr.Item) error {
	if now == nil {
		return plan.Refuse(plan.Changed, "%s was changed or deleted after this change", w.Key)
	}
	e := newExpression(d.t.SchemaOf(w.Table), now)
	kind, version := d.versionOf(w.Table, now)
	var said []string
	for _, t := range w.Set {
		place, have, former := t.Attribute(), plan.ValueAt(now, t.Path), plan.ValueAt(before, t.Path)
		if place == version {
			continue
		}
		if !have.Equal(t.Value) {
			return plan.Refuse(plan.Changed, "%s of %s was changed after this change: it is now %s", place, w.Key, have.Display())
		}
		e.unchanged(place).set(place, former)
		if former.Exists() {
			said = append(said, place+" = "+former.Display())
		} else {
			said = append(said, "no "+place)
		}
	}
	if kind != nil {
		if err := d.compareAgain(e, w, now, version); err != nil {
			return err
		}
	}
	if version != "" {
		next, err := nextVersion(kind, &schema.Account{Key: w.Key, Item: now})
		if err != nil {
			return err
		}
		e.unchanged(version).set(version, next)
		said = append(said, version+" = "+next.Text)
	}
	d.add(e.write(client.Update, w.Table, w.Key), now)
	d.AddLine(plan.LabelSet, w.Key.String()+" › "+strings.Join(said, ", "))
	return nil
}

// compareAgain adds conditions on the attributes of an account that the update w compared but did not set: they must
// still have the values that w required. The keys of the locks may depend on these attributes.
func (d *draft) compareAgain(e *expression, w client.Write, now attr.Item, version string) error {
	for _, term := range w.If {
		name := term.Attribute()
		if name == version || slices.ContainsFunc(w.Set, func(s client.Term) bool { return overlap(s.Path, term.Path) }) {
			continue
		}
		if is := plan.ValueAt(now, term.Path); !is.Equal(term.Value) {
			return plan.Refuse(plan.Changed, "%s of %s was changed after this change: it is now %s", name, w.Key, is.Display())
		}
		e.unchanged(name)
	}
	return nil
}

// overlap reports whether one path is the other, or leads to the other.
func overlap(a, b []string) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

// versionOf returns the kind of an account, and the name of its version attribute. The kind is nil for any other
// item. The name is empty if the account has no version attribute.
func (d *draft) versionOf(table string, item attr.Item) (*layout.Account, string) {
	if table != d.t.Name {
		return nil, ""
	}
	kind := d.t.Layout.KindOf(d.t.Schema, item)
	if kind == nil {
		return nil, ""
	}
	return kind, kind.Version
}

// checkAgain adds the condition that an item is unchanged since the change, which only checked this item. For an
// account, the condition compares only the attributes that the change compared.
func (d *draft) checkAgain(w client.Write, before, now attr.Item) error {
	keys, key := d.t.SchemaOf(w.Table), w.Key
	if before == nil && now == nil {
		d.add(ifAbsent(w.Table, key, nil), nil)
		return nil
	}
	kind, _ := d.versionOf(w.Table, before)
	if kind == nil || now == nil {
		if !plan.SameItem(before, now) {
			return plan.Refuse(plan.Changed, "%s was changed or deleted after this change", key)
		}
		d.check(newExpression(keys, now).allUnchanged(schema.MarkAttribute), w.Table, key)
		return nil
	}
	e := newExpression(keys, now)
	if err := d.compareAgain(e, w, now, kind.Version); err != nil { // each write increases the version
		return err
	}
	d.check(e, w.Table, key)
	return nil
}
