package planner

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/backfill"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Release plans to release a lock. It first reads again whether an account claims the lock. It returns a
// *plan.Refusal if an account claims the lock, if a sign-up may still claim it, or if the lock is gone. If reserved
// is set, Release also plans to release a lock that a sign-up may still claim; a person then has to type the value.
func Release(ctx context.Context, t *dynamo.Table, rel *verdict.Relation, reserved bool) (*plan.Plan, error) {
	return ReleaseReread(ctx, t, rel, find.RereadOptions{}, reserved)
}

// ReleaseAt is like Release, but takes the lock's constraint and key. It can also release a malformed lock whose
// key has no value.
func ReleaseAt(
	ctx context.Context, t *dynamo.Table, constraint string, key attr.Item, reserved bool,
) (*plan.Plan, error) {
	rel, err := LockAt(ctx, t, constraint, key)
	if err != nil {
		return nil, err
	}
	return Release(ctx, t, rel, reserved)
}

// LockAt reads the lock that has the given constraint and key.
func LockAt(ctx context.Context, t *dynamo.Table, constraint string, key attr.Item) (*verdict.Relation, error) {
	_, con := t.Layout.Constraint(constraint)
	cannot := func(why, do string) error {
		op := "looking for the " + constraint + " of a lock of " + t.Name
		return &client.Error{Kind: client.Usage, Op: op, Why: why, Do: do + "; nothing was sent"}
	}
	if con == nil {
		return nil, cannot(fmt.Sprintf("the layout %s has no constraint %q", t.Layout.Name, constraint), "name a constraint of the layout")
	}
	table := t.LockTable(con)
	at, ok := t.SchemaOf(table).KeyOf(key)
	if !ok || len(key) != len(at.Item()) {
		return nil, cannot("the key does not fit the key schema of the table "+table, "give the key as DynamoDB JSON, as in a finding")
	}
	items, err := t.SnapshotReader().Read(ctx, table, []attr.Key{at})
	if err != nil {
		return nil, err
	}
	if items[at.ID()] == nil {
		return nil, plan.Refuse(plan.Absent, "there is no lock %s", at)
	}
	return t.LockAt(constraint, table, items[at.ID()])
}

// ReleaseReread reads a lock again, and plans to release it.
func ReleaseReread(
	ctx context.Context, t *dynamo.Table, rel *verdict.Relation, o find.RereadOptions, reserved bool,
) (*plan.Plan, error) {
	o.OneClaimant = true
	fresh, _, err := find.Reread(ctx, t, o, rel)
	if err != nil {
		return nil, err
	}
	return ReleaseAsOf(t, fresh[0], time.Now(), reserved)
}

// ReleaseAsOf plans to release a lock. It reads nothing: the relation was read at the given time.
func ReleaseAsOf(t *dynamo.Table, now *verdict.Relation, at time.Time, reserved bool) (*plan.Plan, error) {
	if !now.Lock.Exists {
		return nil, absentRefusal(now)
	}
	if err := KeptRefusal(t, now); err != nil {
		return nil, err
	}
	if now.Pending && !reserved {
		return nil, reservedRefusal(now)
	}
	if err := ownerFormRefusal(now); err != nil {
		return nil, err
	}
	mistake, err := t.LockAt(now.Constraint.Name, now.Lock.Table, now.Lock.Item)
	mistaken := err == nil && mistake.Malformed
	if mistaken && mistake.Value != now.Value {
		same := *now
		same.Value = mistake.Value // the value in the lock's key
		now = &same
	}
	p := &plan.Plan{
		At: at, Kind: plan.KindRelease, Table: now.Lock.Table, Live: plan.Live{Table: t},
		Constraint: now.Constraint.Name, Value: now.Value, AccountValue: accountValue(now),
		Wording: plan.Wording{
			Title: "Release a lock", Button: "Release the lock",
			Sentence: fmt.Sprintf("Frees the %s \"%s\". Anybody can sign up as \"%s\" afterwards. No account is changed.",
				now.Constraint.Name, now.Shown(), now.Shown()),
			Done: fmt.Sprintf("the %s \"%s\" is free", now.Constraint.Name, now.Shown()),
		},
	}
	sayForms(p, now)
	p.Live.Release = &plan.LockRelease{Rel: now, Marked: !byOwnerAlone(t, now)}
	p.Live.Request = plan.Request{
		Constraint: p.Constraint, Value: p.Value, Lock: now.Lock.Key.Item(), Reserved: now.Pending,
	}
	if p.Live.Release.Marked {
		byMark(p, nil)
	} else {
		byOwner(p)
	}
	if mistaken {
		p.Sentence = fmt.Sprintf(
			"Deletes a lock that can only come from a mistake: %s. No account is changed. The program that wrote this lock may write another one.",
			now.Lock.Key,
		)
		p.Done = fmt.Sprintf("the lock %s is gone", now.Lock.Key)
	}
	if now.Pending {
		p.Sentence += " " + pending(now) + ": a sign-up in progress loses the value."
	}
	if now.Unlikely != "" {
		p.Sentence += " Careful: the lock may belong to an unfinished sign-up: " + now.Unlikely + "."
	}
	if now.Constraint.BreaksGainRule() || mistaken || now.Pending || now.Unlikely != "" {
		p.Typed = p.Subject()
	}
	if about := now.Lock.About(at); about != "" {
		deletion := slices.IndexFunc(p.Lines, func(l plan.Line) bool { return l.Label == plan.LabelDelete })
		p.Lines = slices.Insert(p.Lines, deletion+1, plan.Line{Label: plan.LabelHas, Text: about})
	}
	p.AddLine(plan.LabelUndo, "puts the lock back, if nobody has the value")
	return bind(p, t)
}

// sayForms changes the wording of a release if locks have several forms: the release deletes one lock, and requires
// nothing of the others.
func sayForms(p *plan.Plan, now *verdict.Relation) {
	if len(now.Constraint.Also) == 0 {
		return
	}
	further := "tallylock has read no other lock of the value"
	if len(now.Lock.Further) > 0 {
		var keys []string
		for _, key := range now.Lock.Further {
			keys = append(keys, key.String())
		}
		further = "The value has another lock, too: " + phrase.List(keys)
	}
	p.Sentence = fmt.Sprintf("Deletes the lock %s of the %s \"%s\". %s. No account is changed.",
		now.Lock.Key, now.Constraint.Name, now.Shown(), further)
	p.Done = fmt.Sprintf("the lock %s is gone", now.Lock.Key)
}

func absentRefusal(now *verdict.Relation) *plan.Refusal {
	if now.Lock.Other != nil {
		return plan.Refuse(plan.Absent, "there is no lock %s: %s", now.Lock.Key, now.Lock.WhyOther(now.Constraint))
	}
	return plan.Refuse(plan.Absent, "there is no lock %s", now.Lock.Key)
}

// ownerFormRefusal returns a *plan.Refusal if a lock's owner does not have the form that the layout describes; else
// nil.
func ownerFormRefusal(now *verdict.Relation) error {
	owner := now.Lock.Owner
	if _, known := now.Constraint.OwnerForm.ID(owner); known || owner == "" {
		return nil
	}
	return plan.Refuse(plan.ByHand, "the lock %s names \"%s\", which does not match owner_form, so its owner is unknown",
		now.Lock.Key, owner)
}

// lacksOf returns the attributes that held locks have and this lock lacks. An application may add such an attribute
// by UpdateItem when it completes a sign-up. So a deletion requires that the lock still lacks them.
func lacksOf(t *dynamo.Table, rel *verdict.Relation) []string {
	var traits layout.LockTraits
	traits.Merge(t.Fit.Of(rel.Constraint).Held)
	traits.Merge(rel.OtherLocks)
	return traits.Lacks(rel.Lock.Item)
}

// byOwnerAlone reports whether one transaction that checks the owner is enough to release a lock (docs/truth.md
// §3c): the verdict is sure, the lock names one account, and sign-ups are one transaction.
func byOwnerAlone(t *dynamo.Table, now *verdict.Relation) bool {
	c := now.Constraint
	return now.Verdict.NeedsAbsence() && now.Sure() &&
		len(t.OwnerKeys(now.Constraint, now.Lock)) > 0 && len(t.OwnerKinds(now.Constraint, now.Lock)) == 1 &&
		!c.BreaksGainRule() && !c.MultiTransaction && c.Reserved.For == 0 // otherwise a missing owner may still appear
}

// KeptRefusal returns a *plan.Refusal if an account or another item holds the value of a lock; else nil. It also
// refuses if a person has to decide whether an item holds the value.
func KeptRefusal(t *dynamo.Table, now *verdict.Relation) error {
	switch {
	case len(now.Claimants) > 0:
		return heldRefusal(now)
	case now.HeldBy != nil:
		return plan.Refuse(plan.Held, "%s: the lock of the %s \"%s\" stays", now.HeldBy,
			now.Constraint.Name, now.Shown())
	case now.Asks != nil && t.CheckSure("", now.Constraint) == nil: // otherwise the unsure layout is reported first
		return AskedRefusal(t.Answers.AskOf(now))
	}
	return nil
}

// AskedRefusal returns the refusal of a release that needs a person's answer first.
func AskedRefusal(q *answers.Question) *plan.Refusal {
	r := plan.RefuseFor(q.Offer(), plan.Asked, "%s", q.Text)
	r.Reasons[0].Asks = q
	return r
}

func heldRefusal(rel *verdict.Relation) *plan.Refusal {
	who := rel.Claimants[0].Key
	if n := rel.ClaimantCount(); n > 1 {
		return plan.Refuse(plan.Held, "%d accounts hold the %s \"%s\", including %s: the lock is not released", n, rel.Constraint.Name,
			rel.Shown(), who)
	}
	return plan.Refuse(plan.Held, "%s holds the %s \"%s\": its lock is not released", who, rel.Constraint.Name, rel.Shown())
}

// pending returns a clause about a reserved value, with the end of its reservation if that is known.
func pending(rel *verdict.Relation) string {
	if rel.Until.IsZero() {
		return fmt.Sprintf("The %s \"%s\" may be reserved (the lock does not say since when)", rel.Constraint.Name,
			rel.Shown())
	}
	return fmt.Sprintf("The %s \"%s\" is reserved until %s", rel.Constraint.Name, rel.Shown(), rel.UntilWords())
}

// reservedRefusal returns the refusal to release a lock that a sign-up may still claim.
func reservedRefusal(rel *verdict.Relation) *plan.Refusal {
	do := remedy.WaitOrReserved
	if rel.Until.IsZero() {
		do = remedy.ReleaseReserved
	}
	return plan.RefuseFor(remedy.Of(do), plan.Reserved, "%s, and a sign-up may still create its account", pending(rel))
}

// A release takes one of two ways. The first is one transaction that checks the owner. The second sets a mark,
// waits, reads every item, and deletes the lock if it is still marked.

// byOwner plans a release in one transaction. The transaction deletes the lock if the lock is unchanged since it
// was read, and if its owner is still gone or still holds another value.
func byOwner(p *plan.Plan) {
	rel := p.Live.Release.Rel
	d := &draft{Plan: p, t: p.Live.Table, onlyIf: []string{"the lock has not changed since " + phrase.Clock(p.At)}}
	unchanged := d.lockUnchanged(rel.Lock).absent(lacksOf(d.t, rel))
	d.add(unchanged.write(client.Delete, rel.Lock.Table, rel.Lock.Key), rel.Lock.Item)
	d.AddLine(plan.LabelDelete, rel.Lock.Key.String())
	d.checkFormerOwner(rel, p.Live.Table.OwnerKeys(rel.Constraint, rel.Lock))
	d.Steps = []plan.Step{{Name: journal.StepDelete, Token: newToken(), Writes: d.writes}}
	d.AddLine(plan.LabelOnlyIf, joinConditions(d.onlyIf))
	d.AddLine(plan.LabelPrice, d.Price.String())
}

func displayAttribute(owner *schema.Account, attribute string) string {
	if v := owner.Item.At(attribute); v.Exists() {
		return `"` + v.Display() + `"`
	}
	return "no " + attribute
}

// byMark plans a release by mark, with three steps. The first marks the lock. The second deletes the lock after a
// read of every item. The third removes the mark if the lock has to stay. more has the other writes of the second
// step, their conditions in words, and their price; nil if the step has no other writes. The plan's lines are in the
// order of the steps.
func byMark(p *plan.Plan, more *draft) {
	t, rel := p.Live.Table, p.Live.Release.Rel
	lock, key := rel.Lock.Item, rel.Lock.Key
	onlyIf := []string{"every item was read, none holds " + phrase.Quote(rel.Shown())}
	var writes []client.Write
	if more != nil {
		writes, onlyIf = more.writes, append(onlyIf, more.onlyIf...)
	}
	addImage(p, rel.Lock.Table, key, lock)
	p.Steps = markSteps(t, rel, writes)
	marked := plan.WithAttribute(lock, schema.MarkAttribute, plan.MarkIn(p.Steps[0].Writes[0].Set))
	p.Price.WriteUnits += 2 * client.WriteUnits(marked.Size())
	p.Price.ReadUnits, p.Price.Estimate = dynamo.LookCost(t).Units, true
	if t.Bytes == 0 {
		p.Price.SizeUnknown = true // AWS updates the size every six hours, so it is 0 for a new table
	}
	p.Lines = append([]plan.Line{
		{Label: plan.LabelMark, Text: "the lock, in " + schema.MarkAttribute},
		{Label: plan.LabelOnlyIf, Text: "the lock has not changed since " + phrase.Clock(p.At)},
		{Label: plan.LabelLook, Text: fmt.Sprintf("after %g s, at every item, for %s",
			t.Connection().Settle().Round(time.Millisecond).Seconds(), phrase.Quote(rel.Shown()))},
	}, p.Lines...)
	p.AddLine(plan.LabelDelete, rel.Lock.Key.String())
	p.AddLine(plan.LabelOnlyIf, joinConditions(append(onlyIf, "the lock has not changed since it was marked")))
	p.AddLine(plan.LabelPrice, p.Price.String())
}

// markSteps returns the steps of a release by mark, with a new mark.
func markSteps(t *dynamo.Table, rel *verdict.Relation, extra []client.Write) []plan.Step {
	keys, lacks, mark := t.SchemaOf(rel.Lock.Table), lacksOf(t, rel), attr.String(backfill.NewMark())
	lock, key := rel.Lock.Item, rel.Lock.Key
	// The lock may have a mark that an earlier release left behind. The condition includes this old mark, and the
	// new mark replaces it.
	absent := []string{schema.MarkAttribute}
	if owner := rel.Constraint.Owner; owner != "" && rel.Lock.Owner == "" {
		absent = append(absent, owner)
	}
	set := newExpression(keys, lock).allUnchanged(absent...).absent(lacks).set(schema.MarkAttribute, mark).
		write(client.Update, rel.Lock.Table, key)
	marked := plan.WithAttribute(lock, schema.MarkAttribute, mark)
	remove := newExpression(keys, marked).allUnchanged(absent...).absent(lacks).write(client.Delete, rel.Lock.Table, key)
	off := newExpression(keys, marked).unchanged(schema.MarkAttribute).set(schema.MarkAttribute, attr.Value{}).
		write(client.Update, rel.Lock.Table, key)
	return []plan.Step{
		{Name: journal.StepMark, Token: newToken(), Writes: []client.Write{set}},
		{
			Name:   journal.StepDelete,
			Token:  newToken(),
			Writes: append([]client.Write{remove}, extra...),
			Only:   "every item was read, and none holds the value",
		},
		{
			Name:   journal.StepUnmark,
			Token:  newToken(),
			Writes: []client.Write{off},
			Only:   "an account holds the value, or the search did not finish",
		},
	}
}

// WithNewMark returns a copy of the plan with another mark, for another attempt. The first step of the copy requires
// that the lock has no mark: the previous attempt removed its own mark, which had replaced any older mark.
func WithNewMark(p *plan.Plan, now time.Time) *plan.Plan {
	again, mark := *p, attr.String(backfill.NewMark())
	again.ID, again.Steps = newID(now), slices.Clone(p.Steps)
	for n := range again.Steps {
		s := &again.Steps[n]
		s.Token, s.Writes = newToken(), slices.Clone(s.Writes)
		w := &s.Writes[0] // the lock
		w.Set = withMark(w.Set, mark)
		if w.If = withMark(w.If, mark); n == 0 {
			w.If = withMark(w.If, attr.Value{})
		}
	}
	return &again
}

// withMark returns a copy of terms in which the given mark replaces any other mark.
func withMark(terms []client.Term, mark attr.Value) []client.Term {
	terms = slices.Clone(terms)
	for n, t := range terms {
		if t.Attribute() == schema.MarkAttribute && t.Value.Exists() {
			terms[n].Value = mark
		}
	}
	return terms
}
