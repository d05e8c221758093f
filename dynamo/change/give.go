package change

import (
	"context"
	"fmt"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// PlanGive plans to let a lock name the one account that holds its value, in the
// form in which it names another now, and of the type that the constraint's locks have. It answers a *Refusal where the lock is not
// foreign, or not exactly one account is found to hold the value.
func PlanGive(ctx context.Context, t *dynamo.Table, rel *dynamo.Relation) (*Plan, error) {
	return planGive(ctx, t, rel, dynamo.RereadOptions{})
}

func planGive(ctx context.Context, t *dynamo.Table, rel *dynamo.Relation, o dynamo.RereadOptions) (*Plan, error) {
	now, whole, err := examine(ctx, t, rel, o)
	if err != nil {
		return nil, err
	}
	if !now.Lock.Exists {
		return nil, refusal(Absent, "there is no lock %s", now.Lock.Key)
	}
	a, err := sole(now, rel)
	if err != nil {
		return nil, err
	}
	owners := t.Match.OwnerKeys(now)
	switch {
	case now.Lock.Owner == "" || now.Constraint.Owner == "" || len(owners) == 0:
		return nil, refusal(InOrder, "the lock %s names no account", now.Lock.Key)
	case t.Match.Names(now, a):
		return nil, refusal(InOrder, "the lock %s names %s, which holds the value", now.Lock.Key, now.Lock.Owner)
	}
	if former := now.OwnerAccount; former != nil && t.Match.Obscure(former.Item, now) {
		return nil, refusal(Incomplete, "%s, which the lock names, cannot be read as the layout has it, and may hold the value", former.Key)
	}
	kind, _, err := claimOf(t, now, a)
	if err != nil {
		return nil, err
	}
	attribute := now.Constraint.Owner
	like, err := learn(ctx, t, now.Constraint)
	if err != nil {
		return nil, err
	}
	if have := now.Lock.Item.At(attribute); have.Kind == like.owner.Kind || !like.owner.Exists() {
		like.owner = have
	}
	owner, err := ownerLike(kind, like.owner, a)
	if err != nil {
		return nil, err
	}
	given := *now
	given.Lock.Owner = owner.Text
	if !t.Match.Names(&given, a) {
		return nil, refusal(Incomplete, "how a lock names %s as its owner cannot be told: the layout makes no key of an account from \"%s\"", a.Key, owner.Text)
	}
	d := newDraft(t, KindGive, now.Lock.Table)
	d.about(now)
	d.undo = "has it name " + now.Lock.Owner + " again"
	d.Title, d.Button = "Give a lock its owner", "Give it to "+d.Account
	d.Sentence = fmt.Sprintf("The lock of the %s \"%s\" names %s from now on, which holds it, and no longer %s. No account is changed.", d.Constraint, d.Value, owner.Text, now.Lock.Owner)
	d.Done = fmt.Sprintf("the lock of the %s \"%s\" names %s", d.Constraint, d.Value, owner.Text)
	update := d.asSeen(now.Lock)
	update.set(attribute, owner)
	d.do(update.write(client.Update, now.Lock.Table, now.Lock.Key), now.Lock.Item)
	d.say(LabelSet, fmt.Sprintf("%s › %s = %s", now.Lock.Key, attribute, owner.Display()))
	d.onlyIf = []string{fmt.Sprintf("the lock is unchanged since %s and names %s", clock(d.At), now.Lock.Owner), unchanged(kind, a, "still holds "+other(a, now.Constraint.Attribute))}
	d.check(d.own(kind, a, now.Constraint), t.Name, a.Key)
	d.former(now, owners)
	d.unread(whole, fmt.Sprintf("whether another account holds \"%s\", too", d.Value))
	return d.plan()
}

// former adds that the account which a lock names is as it was seen: gone, or
// with the other value that it held.
func (d *draft) former(now *dynamo.Relation, owners []attr.Key) {
	if former := now.OwnerAccount; former != nil {
		kind := d.t.Layout.KindOf(d.t.Schema, former.Item)
		d.check(d.holds(kind, former, now.Constraint), d.t.Name, former.Key)
		d.onlyIf = append(d.onlyIf, former.Key.Hash.Value.Display()+" still holds "+other(former, now.Constraint.Attribute))
		return
	}
	for _, k := range owners {
		d.do(absent(d.t.Schema, d.t.Name, k, nil), nil)
	}
	d.onlyIf = append(d.onlyIf, now.Lock.Owner+" is still gone")
}
