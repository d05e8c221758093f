package planner

import (
	"context"
	"fmt"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Give plans to set a lock's owner to the one account that holds the lock's value. The owner attribute keeps its
// form, but gets the type that the constraint's other locks use. Give returns a *plan.Refusal if the lock is not
// foreign, or if not exactly one account holds the value.
func Give(ctx context.Context, t *dynamo.Table, rel *verdict.Relation) (*plan.Plan, error) {
	return GiveWith(ctx, t, rel, find.RereadOptions{})
}

// GiveWith is like Give, with options for the reads.
func GiveWith(ctx context.Context, t *dynamo.Table, rel *verdict.Relation, o find.RereadOptions) (*plan.Plan, error) {
	now, whole, err := rereadRelation(ctx, t, rel, o)
	if err != nil {
		return nil, err
	}
	a, owners, err := foreignLock(t, now, rel)
	if err != nil {
		return nil, err
	}
	kind, _, err := claimOf(t, now, a)
	if err != nil {
		return nil, err
	}
	attribute := now.Constraint.Owner
	like := learnPattern(t, now.Constraint)
	if have := now.Lock.Item.At(attribute); have.Kind == like.owner.Kind || !like.owner.Exists() {
		like.owner = have
	}
	owner, err := ownerLike(kind, now.Constraint, like.owner, a)
	if err != nil {
		return nil, err
	}
	given := *now
	given.Lock.Owner = owner.Text
	if !t.Names(given.Constraint, given.Lock, a) {
		return nil, plan.Refuse(plan.Incomplete,
			"a lock cannot name %s as its owner: by the layout, the owner \"%s\" is not this account", a.Key,
			owner.Text)
	}
	d := newDraft(t, plan.KindGive, now.Lock.Table)
	d.setSubject(now)
	d.undo = "gives the lock back to " + now.Lock.Owner
	d.Title, d.Button = "Give a lock its owner", "Give it to "+d.Account
	d.Sentence = fmt.Sprintf(
		"The lock of the %s \"%s\" gets a new owner: %s, which holds the value, instead of %s. No account is changed.",
		d.Constraint, now.Shown(), owner.Text, now.Lock.Owner,
	)
	d.Done = fmt.Sprintf("the lock of the %s \"%s\" names %s", d.Constraint, now.Shown(), owner.Text)
	update := d.lockUnchanged(now.Lock)
	update.set(attribute, owner)
	d.add(update.write(client.Update, now.Lock.Table, now.Lock.Key), now.Lock.Item)
	d.AddLine(plan.LabelSet, fmt.Sprintf("%s › %s = %s", now.Lock.Key, attribute, owner.Display()))
	d.onlyIf = []string{
		fmt.Sprintf("the lock has not changed since %s, and names %s", phrase.Clock(d.At), now.Lock.Owner),
		unchangedWords(kind, a, "still holds "+displayAttribute(a, now.Constraint.Attribute)),
	}
	d.check(d.ownAccountUnchanged(kind, a, now.Constraint), t.Name, a.Key)
	d.checkFormerOwner(now, owners)
	d.noteUnread(whole, fmt.Sprintf("another account that holds \"%s\", too", now.Shown()))
	typeIfUnsure(d, now)
	return d.plan()
}

// foreignLock returns the one account that holds the value of a foreign lock, and the keys of the accounts that the
// lock names instead. It returns a *plan.Refusal if the lock is not foreign.
func foreignLock(t *dynamo.Table, now, seen *verdict.Relation) (*schema.Account, []attr.Key, error) {
	if !now.Lock.Exists {
		return nil, nil, plan.Refuse(plan.Absent, "there is no lock %s", now.Lock.Key)
	}
	a, err := soleClaimant(now, seen)
	if err != nil {
		return nil, nil, err
	}
	owners := t.OwnerKeys(now.Constraint, now.Lock)
	switch {
	case now.Lock.Owner == "" || now.Constraint.Owner == "" || len(owners) == 0:
		return nil, nil, plan.Refuse(plan.InOrder, "the lock %s names no account", now.Lock.Key)
	case t.Names(now.Constraint, now.Lock, a):
		return nil, nil, plan.Refuse(plan.InOrder, "the lock %s names %s, which holds the value", now.Lock.Key, now.Lock.Owner)
	}
	if former := now.OwnerAccount; former != nil && t.Obscure(former.Item, now.Constraint, now.Value) {
		return nil, nil, plan.Refuse(plan.Incomplete,
			"the lock names %s, which does not match the layout and may hold the value", former.Key)
	}
	return a, owners, nil
}

// ownerDoubt returns a warning if fewer than half of the known locks with an owner name the right account; else the
// empty string. The layout may then have the wrong owner attribute, and no plan should overwrite that attribute
// unasked.
func ownerDoubt(fit layout.Fit, c *layout.Constraint) string {
	if c.Owner == "" || fit.Met == 0 || fit.OwnerTold() {
		return ""
	}
	return fmt.Sprintf("only %d of %d locks name their account in %s, so the layout's owner attribute may be wrong", fit.MetRight, fit.Met,
		c.Owner)
}

// checkFormerOwner adds a condition about the account that a lock names: the account is still gone, or still holds
// another value.
func (d *draft) checkFormerOwner(now *verdict.Relation, owners []attr.Key) {
	if former := now.OwnerAccount; former != nil {
		kind := d.t.Layout.KindOf(d.t.Schema, former.Item)
		d.check(d.accountUnchanged(kind, former, now.Constraint), d.t.Name, former.Key)
		d.onlyIf = append(d.onlyIf,
			former.Key.Hash.Value.Display()+" still holds "+displayAttribute(former, now.Constraint.Attribute))
		return
	}
	for _, k := range owners {
		d.add(ifAbsent(d.t.Name, k, nil), nil)
	}
	d.onlyIf = append(d.onlyIf, now.Lock.Owner+" is still gone")
}
