package planner

import (
	"context"
	"fmt"
	"slices"
	"strings"

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

// whyNotOwn returns the reason to keep the lock of a value that an account gives up; empty if the lock belongs to
// this account alone.
func whyNotOwn(t *dynamo.Table, now *verdict.Relation, a *schema.Account) string {
	others := otherClaimants(now, a)
	switch {
	case now.Lock.Other != nil:
		return now.Lock.WhyOther(now.Constraint)
	case len(others) > 0:
		return fmt.Sprintf("%s holds \"%s\", too", listAccounts(others), now.Value)
	case now.Lock.Owner != "" && !t.Names(now.Constraint, now.Lock, a):
		return "the lock names " + now.Lock.Owner
	}
	return ""
}

func otherClaimants(now *verdict.Relation, a *schema.Account) []schema.Account {
	return slices.DeleteFunc(slices.Clone(now.Claimants), func(c schema.Account) bool { return c.Key.Equal(a.Key) })
}

// DeleteAccount plans to delete an account with all its locks. The plan requires that the account and the locks are
// unchanged since they were read. It keeps a lock that another account claims or owns. A person has to type the
// account's id.
// DeleteAccount returns a *plan.Refusal if the account does not exist, or if its values cannot be read. It also
// refuses an item that is a counter or has none of the constraints' attributes, and an account with more locks than
// one transaction takes.
func DeleteAccount(ctx context.Context, t *dynamo.Table, account attr.Key) (*plan.Plan, error) {
	kind, a, rels, err := readAccount(ctx, t, account)
	if err != nil {
		return nil, err
	}
	if why := whyNoAccount(t, kind, a); why != "" {
		return nil, plan.Refuse(plan.ByHand, "%s %s, so it cannot be deleted as an account", a.Key, why)
	}
	if n := 1 + len(rels); n > client.MaxActions {
		return nil, refuseTooMany(n)
	}
	d := newDraft(t, plan.KindDeleteAccount, t.Name)
	d.Account, d.Typed, d.Live.Request = a.Key.Hash.Value.Display(), a.ID, plan.Request{Account: a.Key.Item()}
	d.Before = d.Account
	d.undo = "puts the account and its locks back, if nobody has taken its values"
	if !t.Connection().KeepsImages() {
		d.undo = "impossible: " + plan.NoImageWhy
	}
	d.Title, d.Button = "Delete an account", "Delete the account"
	d.Sentence = fmt.Sprintf(
		"Deletes the account %s. Anybody can take its values afterwards. Other items of the account stay.",
		d.Account,
	)
	d.Done = "the account " + d.Account + " is gone"
	var absent []string
	for _, c := range kind.Constraints {
		if len(layout.Unread(a.Item.At(c.Attribute))) > 0 {
			return nil, plan.Refuse(plan.Incomplete, "the %s of %s does not match the layout, so the account's locks would stay behind",
				c.Attribute, a.Key)
		}
		absent = append(absent, c.Attribute)
	}
	if kind.Version != "" {
		if _, err := nextVersion(kind, a); err != nil {
			return nil, err
		}
		absent = append(absent, kind.Version)
	}
	fresh, whole, err := find.Reread(ctx, t, find.RereadOptions{Accounts: []attr.Key{a.Key}}, inAllForms(rels)...)
	if err != nil {
		return nil, err
	}
	d.add(newExpression(t.Schema, a.Item).allUnchanged(absent...).write(client.Delete, t.Name, a.Key), a.Item)
	d.AddLine(plan.LabelDelete, a.Key.String())
	deleted, err := d.freeLocks(differentLocks(fresh), a)
	if err != nil {
		return nil, err
	}
	own := []string{fmt.Sprintf("the account has not changed since %s", phrase.Clock(d.At))}
	if deleted > 0 {
		own = append(own, "its locks are unchanged, too")
		d.noteUnread(whole, "another account that holds one of its values")
	}
	d.onlyIf = append(own, d.onlyIf...)
	return d.plan()
}

// whyNoAccount returns the reason why an item with an account's key may be no account; empty if the item is an
// account. If keys are bare ids, a counter's key looks like an account's key.
func whyNoAccount(t *dynamo.Table, kind *layout.Account, a *schema.Account) string {
	for _, c := range t.Layout.Counters {
		if c.Matches(t.Schema, a.Item) {
			return "is the counter " + c.NameOf(t.Name, t.Schema, a.Key)
		}
	}
	var names []string
	for _, c := range slices.Concat(kind.Constraints, kind.Unlocked) {
		if a.Item.At(c.Attribute).Exists() {
			return ""
		}
		names = append(names, c.Attribute)
	}
	return "has no " + strings.Join(names, " and no ")
}

// freeLocks calls freeLock for all locks of an account, and returns the number of deleted locks. It returns a
// *plan.Refusal if the account has changed.
func (d *draft) freeLocks(locks []*verdict.Relation, a *schema.Account) (deleted int, err error) {
	for _, now := range locks {
		if err := checkUnchanged(now, a); err != nil {
			return 0, err
		}
		n, err := d.freeLock(now, a)
		if err != nil {
			return 0, err
		}
		deleted += n
	}
	return deleted, nil
}

// freeLock deletes the lock of a value that an account gives up, and returns the number of deleted locks. It keeps
// a lock that another account claims or owns. It also keeps the lock if other items may hold the value: only a read
// of the whole table finds such items. If another account claims a kept lock, the plan requires that this account
// still claims the lock. Otherwise the plan requires that the kept lock is unchanged. Without these conditions, a
// lock that nobody else uses could be left behind.
func (d *draft) freeLock(now *verdict.Relation, a *schema.Account) (deleted int, err error) {
	why := whyNotOwn(d.t, now, a)
	if holders, _, _ := now.Constraint.Answers.All(); why == "" && len(holders) > 0 {
		why = fmt.Sprintf("%s items may hold \"%s\", too: release this lock separately", holders[0].Items, now.Value)
	}
	switch {
	case now.Lock.Other != nil:
		d.leaveOther(now.Lock, a, why)
	case !now.Lock.Exists:
		d.add(ifAbsent(now.Lock.Table, now.Lock.Key, nil), nil)
		d.AddLine("no lock", now.Lock.Key.String())
	case why != "":
		d.AddLine("stays", now.Lock.Key.String()+": "+why)
		if others := otherClaimants(now, a); len(others) > 0 {
			return 0, d.leaveTo(now, &others[0])
		}
		d.check(d.lockUnchanged(now.Lock), now.Lock.Table, now.Lock.Key)
	default:
		d.delete(now.Lock)
		return 1, nil
	}
	return 0, nil
}

// leaveOther requires that an item at a lock's key, which is no lock, is unchanged. why is the reason why the item is
// no lock. If the item is the account itself, the account's own action compares it.
func (d *draft) leaveOther(lock schema.Lock, a *schema.Account, why string) {
	switch {
	case lock.Table != d.t.Name:
		lock.Item = lock.Other
		d.check(d.lockUnchanged(lock), lock.Table, lock.Key)
	case !lock.Key.Equal(a.Key):
		d.other(lock.Key, lock.Other).allUnchanged(schema.MarkAttribute)
	default:
		return
	}
	d.AddLine("stays", lock.Key.String()+": "+why)
}
