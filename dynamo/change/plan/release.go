package plan

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/verdict"
)

// Release plans to release a lock, after it reads again whether anybody claims the lock. It returns a *Refusal
// if an account claims the lock or may still do so, or if the lock is gone. If the account may still come, the
// lock is released only with reserved, and its value has to be typed.
func Release(ctx context.Context, t *dynamo.Table, rel *verdict.Relation, reserved bool) (*Plan, error) {
	return ReleaseReread(ctx, t, rel, find.RereadOptions{}, reserved)
}

// ReleaseAt is like Release, for the lock with the given constraint and key. The lock may have no value, if it
// comes from a mistake.
func ReleaseAt(
	ctx context.Context, t *dynamo.Table, constraint string, key attr.Item, reserved bool,
) (*Plan, error) {
	rel, err := LockAt(ctx, t, constraint, key)
	if err != nil {
		return nil, err
	}
	return Release(ctx, t, rel, reserved)
}

// LockAt reads the lock of a constraint under a key.
func LockAt(ctx context.Context, t *dynamo.Table, constraint string, key attr.Item) (*verdict.Relation, error) {
	_, con := t.Layout.Constraint(constraint)
	cannot := func(why, do string) error {
		op := "looking for the " + constraint + " of a lock of " + t.Name
		return &client.Error{Kind: client.Usage, Op: op, Why: why, Do: do + "; nothing was sent"}
	}
	if con == nil {
		return nil, cannot(fmt.Sprintf("the layout %s has no constraint %q", t.Layout.Name, constraint), "name one of its own")
	}
	table := t.LockTable(con)
	at, ok := t.SchemaOf(table).KeyOf(key)
	if !ok || len(key) != len(at.Item()) {
		return nil, cannot("this is no key of the table "+table, "give it as DynamoDB JSON, as a finding has it")
	}
	items, err := t.ConsistentReader().Read(ctx, table, []attr.Key{at})
	if err != nil {
		return nil, err
	}
	if items[at.ID()] == nil {
		return nil, Refuse(Absent, "there is no lock %s", at)
	}
	return t.LockAt(constraint, table, items[at.ID()])
}

// Preview returns the lines of a plan to release a lock, from a relation that was read at the given time. It
// reads nothing itself. It returns a *Refusal if the lock would not be released.
func Preview(t *dynamo.Table, rel *verdict.Relation, at time.Time) ([]Line, error) {
	p, err := ReleaseAsOf(t, rel, at, true)
	if err != nil {
		return nil, err
	}
	return p.Lines, nil
}

// ReleaseReread plans to release a lock after reading it again.
func ReleaseReread(
	ctx context.Context, t *dynamo.Table, rel *verdict.Relation, o find.RereadOptions, reserved bool,
) (*Plan, error) {
	o.OneClaimant = true
	fresh, _, err := find.Reread(ctx, t, o, rel)
	if err != nil {
		return nil, err
	}
	return ReleaseAsOf(t, fresh[0], time.Now(), reserved)
}

// ReleaseAsOf plans to release a lock from a relation that was read at the given time.
func ReleaseAsOf(t *dynamo.Table, now *verdict.Relation, at time.Time, reserved bool) (*Plan, error) {
	if !now.Lock.Exists {
		return nil, Refuse(Absent, "there is no lock %s", now.Lock.Key)
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
		same.Value = mistake.Value // the value as the lock's key has it
		now = &same
	}
	p := &Plan{
		At: at, Kind: KindRelease, Table: now.Lock.Table, Live: Live{Table: t},
		Constraint: now.Constraint.Name, Value: now.Value,
		Wording: Wording{
			Title: "Release a lock", Button: "Release the lock",
			Sentence: fmt.Sprintf("Frees the %s \"%s\". Anybody can sign up as \"%s\" afterwards. No account is changed.",
				now.Constraint.Name, now.Value, now.Value),
			Done: fmt.Sprintf("the %s \"%s\" is free", now.Constraint.Name, now.Value),
		},
	}
	p.Live.Release = &LockRelease{Rel: now, Marked: !byOwnerAlone(t, now)}
	p.Live.Request = Request{Constraint: p.Constraint, Value: p.Value, Lock: now.Lock.Key.Item(), Reserved: now.Pending}
	if p.Live.Release.Marked {
		byMark(p)
	} else {
		byOwner(p)
	}
	if mistaken {
		p.Sentence = fmt.Sprintf(
			"Deletes a lock that can only come from a mistake: %s. No account is changed. What wrote it may write another.",
			now.Lock.Key,
		)
		p.Done = fmt.Sprintf("the lock %s is gone", now.Lock.Key)
	}
	if now.Pending {
		p.Sentence += " " + pending(now) + ": whoever is signing up with it loses it."
	}
	if now.Unlikely != "" {
		p.Sentence += " Careful: it may belong to a sign-up that is not complete: " + now.Unlikely + "."
	}
	if now.Constraint.BreaksGainRule() || mistaken || now.Pending || now.Unlikely != "" {
		p.Typed = p.Subject()
	}
	if about := now.Lock.About(at); about != "" {
		p.Lines = slices.Insert(p.Lines, 1, Line{Label: LabelHas, Text: about})
	}
	p.AddLine(LabelUndo, "puts it back, if nobody has the value by then")
	return bind(p, t)
}

// ownerFormRefusal returns a *Refusal if a lock names its owner in another form than the layout describes; else
// nil.
func ownerFormRefusal(now *verdict.Relation) error {
	owner := now.Lock.Owner
	if _, known := now.Constraint.OwnerForm.ID(owner); known || owner == "" {
		return nil
	}
	return Refuse(ByHand, "the lock %s names \"%s\", which is not written as owner_form says: nobody knows whom it names",
		now.Lock.Key, owner)
}

// lacksOf returns the attributes that held locks have and a lock lacks: an application that completes a sign-up
// by UpdateItem adds one.
func lacksOf(t *dynamo.Table, rel *verdict.Relation) []string {
	var traits layout.LockTraits
	traits.Merge(t.Fit.Of(rel.Constraint).Held)
	traits.Merge(rel.OtherLocks)
	return traits.Lacks(rel.Lock.Item)
}

// byOwnerAlone reports whether a lock may be released in one transaction that rests on its owner
// (docs/truth.md §3c): the verdict is sure, the lock names one account, and sign-ups are one
// transaction.
func byOwnerAlone(t *dynamo.Table, now *verdict.Relation) bool {
	c := now.Constraint
	return now.Verdict.NeedsAbsence() && now.Sure() &&
		len(t.OwnerKeys(now.Constraint, now.Lock)) > 0 && len(t.OwnerKinds(now.Constraint, now.Lock)) == 1 &&
		!c.BreaksGainRule() && !c.TwoSteps && c.Reserved.For == 0 // an absent owner may be about to appear
}

// KeptRefusal returns a *Refusal if an account or another item holds the value of a lock, or if a person has to
// decide whether it does; else nil.
func KeptRefusal(t *dynamo.Table, now *verdict.Relation) error {
	switch {
	case len(now.Claimants) > 0:
		return heldRefusal(now)
	case now.HeldBy != nil:
		return Refuse(Held, "%s: the lock of the %s \"%s\" is not released", now.HeldBy, now.Constraint.Name, now.Value)
	case now.Asks != nil && t.CheckSure("", now.Constraint) == nil: // otherwise the unsure layout is reported first
		return AskedRefusal(t.Answers.AskOf(now))
	}
	return nil
}

// AskedRefusal returns the refusal of a release that waits for a person's answer.
func AskedRefusal(q *answers.Question) *Refusal {
	r := RefuseFor(q.Offer(), Asked, "%s", q.Text)
	r.Reasons[0].Asks = q
	return r
}

func heldRefusal(rel *verdict.Relation) *Refusal {
	who := rel.Claimants[0].Key
	if n := rel.ClaimantCount(); n > 1 {
		return Refuse(Held, "%d accounts hold the %s \"%s\", %s among them: its lock is not released", n, rel.Constraint.Name,
			rel.Value, who)
	}
	return Refuse(Held, "%s holds the %s \"%s\": its lock is not released", who, rel.Constraint.Name, rel.Value)
}

// pending returns, in words, the time until which an account may still come for a lock.
func pending(rel *verdict.Relation) string {
	if rel.Until.IsZero() {
		return fmt.Sprintf("The %s \"%s\" may be reserved, and its lock does not say since when", rel.Constraint.Name,
			rel.Value)
	}
	return fmt.Sprintf("The %s \"%s\" is reserved until %s", rel.Constraint.Name, rel.Value, rel.UntilWords())
}

// reservedRefusal returns the refusal to release a lock whose account may still come.
func reservedRefusal(rel *verdict.Relation) *Refusal {
	do := remedy.WaitOrReserved
	if rel.Until.IsZero() {
		do = remedy.ReleaseReserved
	}
	return RefuseFor(remedy.Of(do), Reserved, "%s, and its account may still come", pending(rel))
}
