package change

import (
	"context"
	"fmt"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// read reads an account and lists the locks that it claims, not read yet. It
// answers a *Refusal where there is no such account.
func read(ctx context.Context, t *dynamo.Table, key attr.Key) (*layout.Account, *dynamo.Account, []*dynamo.Relation, error) {
	kind, a, err := dynamo.AccountAt(ctx, t, key)
	if err != nil {
		return nil, nil, nil, err
	}
	if a == nil {
		return nil, nil, nil, refusal(Absent, "there is no account %s", key)
	}
	return kind, a, t.Match.Relations(kind, a), nil
}

// notOurs says why a lock that an account claims is not to be deleted or
// changed with the account: it is somebody else's, too. Empty: it is its own.
func notOurs(t *dynamo.Table, now *dynamo.Relation, a *dynamo.Account) string {
	others := others(now, a)
	switch {
	case now.Lock.Exists && !now.Constraint.Is.Holds(now.Lock.Item):
		return fmt.Sprintf("it is no lock: its %s is not \"%s\"", now.Constraint.Is.Attribute, now.Constraint.Is.Value)
	case len(others) > 0:
		return fmt.Sprintf("%s holds \"%s\", too", who(others), now.Value)
	case now.Lock.Owner != "" && !t.Match.Names(now, a):
		return "it names " + now.Lock.Owner
	}
	return ""
}

// others are the claimants of a lock but one.
func others(now *dynamo.Relation, a *dynamo.Account) []dynamo.Account {
	return slices.DeleteFunc(slices.Clone(now.Claimants), func(c dynamo.Account) bool { return c.Key.Equal(a.Key) })
}

// PlanDeleteAccount plans to delete an account with all its locks, if everything is
// as it was seen. A lock that somebody else is behind is left alone. The account's
// id has to be typed. It answers a *Refusal where there is no such account, where
// its values cannot be read, and where it has more locks than a transaction takes.
func PlanDeleteAccount(ctx context.Context, t *dynamo.Table, account attr.Key) (*Plan, error) {
	kind, a, rels, err := read(ctx, t, account)
	if err != nil {
		return nil, err
	}
	if n := 1 + len(rels); n > client.MaxActions {
		return nil, tooMany(n)
	}
	d := newDraft(t, KindDeleteAccount, t.Name)
	d.Account, d.Typed, d.asked = a.Key.Hash.Value.Display(), a.ID, Asked{Account: a.Key.Item()}
	d.Before = d.Account
	d.undo = "puts the account and its locks back, if nobody has taken its values by then"
	d.Title, d.Button = "Delete an account", "Delete the account"
	d.Sentence = fmt.Sprintf("Deletes the account %s. Anybody can take its values afterwards. Other items that belong to it stay.", d.Account)
	d.Done = "the account " + d.Account + " is gone"
	var absent []string
	for _, c := range kind.Constraints {
		if len(layout.Unread(a.Item.At(c.Attribute))) > 0 {
			return nil, refusal(Incomplete, "the %s of %s cannot be read as the layout has it: its locks would be left behind", c.Attribute, a.Key)
		}
		absent = append(absent, c.Attribute)
	}
	if kind.Version != "" {
		if _, err := raised(kind, a); err != nil {
			return nil, err
		}
		absent = append(absent, kind.Version)
	}
	fresh, whole, err := t.Reread(ctx, dynamo.RereadOptions{Accounts: []attr.Key{a.Key}}, rels...)
	if err != nil {
		return nil, err
	}
	d.do(given(t.Schema, a.Item).all(absent...).write(client.Delete, t.Name, a.Key), a.Item)
	d.say(LabelDelete, a.Key.String())
	deleted := 0
	for _, now := range fresh {
		if err := agrees(now, a); err != nil {
			return nil, err
		}
		n, err := d.free(now, a)
		if err != nil {
			return nil, err
		}
		deleted += n
	}
	d.onlyIf = []string{fmt.Sprintf("the account is unchanged since %s", clock(d.At))}
	if deleted > 0 {
		d.onlyIf = append(d.onlyIf, "so are its locks")
		d.unread(whole, "whether another account holds one of its values, too")
	}
	return d.plan()
}

// agrees refuses what changed between two reads of a plan.
func agrees(now *dynamo.Relation, a *dynamo.Account) error {
	for _, c := range now.Claimants {
		if c.Key.Equal(a.Key) && c.Item.Equal(a.Item) {
			return nil
		}
	}
	return refusal(Changed, "%s changed while it was read: look again", a.Key)
}

// free deletes the lock of a value that an account gives up, unless somebody else
// is behind it, and answers how many it deletes. What keeps it from that is a
// condition, too: a lock that is the account's by then would be left behind.
func (d *draft) free(now *dynamo.Relation, a *dynamo.Account) (deleted int, err error) {
	switch why := notOurs(d.t, now, a); {
	case !now.Lock.Exists:
		d.do(absent(d.t.SchemaOf(now.Lock.Table), now.Lock.Table, now.Lock.Key, nil), nil)
		d.say("no lock", now.Lock.Key.String())
	case why != "":
		d.say("stays", now.Lock.Key.String()+": "+why)
		if others := others(now, a); len(others) > 0 {
			return 0, d.leave(now, &others[0])
		}
		d.check(d.asSeen(now.Lock), now.Lock.Table, now.Lock.Key)
	default:
		d.delete(now.Lock)
		return 1, nil
	}
	return 0, nil
}
