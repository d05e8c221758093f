package planner

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

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

// TTLAttributes caches the TTL attribute of each table of accounts or locks. The attribute of each table is requested
// only once: there may be thousands of findings, and DynamoDB soon throttles this request.
type TTLAttributes struct {
	by    map[string]string // the attribute of each table; empty if the table has no TTL
	known bool
	err   error // the error if the role lacks the permission or the endpoint lacks TTL
}

// of returns the TTL attribute of the accounts table and of each lock table. Its error is a *client.Error.
func (a *TTLAttributes) of(ctx context.Context, t *dynamo.Table) (map[string]string, error) {
	if a.known {
		return a.by, a.err
	}
	by := map[string]string{}
	for _, table := range append(t.Layout.LockTables(t.Name), t.Name) {
		if _, asked := by[table]; asked {
			continue
		}
		attribute, err := t.Connection().Reader().TimeToLive(ctx, table)
		switch client.KindOf(err) {
		case client.Denied, client.Unsupported:
			a.known, a.err = true, err
		}
		if err != nil {
			return nil, err
		}
		by[table] = attribute
	}
	a.by, a.known = by, true
	return by, nil
}

// Expire plans to let an account's locks expire together with the account, or never if the account never expires. It
// changes only locks that a check reports: either the lock or the account expires, but not both. If the two expire
// at different times, the lock is unchanged, since applications may renew only the account. A lock that another
// account claims or owns is unchanged, too. Expire returns a *plan.Refusal if no lock has to change.
func Expire(
	ctx context.Context, t *dynamo.Table, account attr.Key, ttl *TTLAttributes, o find.RereadOptions,
) (*plan.Plan, error) {
	kind, a, rels, err := readAccount(ctx, t, account)
	// If the account is gone, nothing is left to mend here: another finding reports the locks.
	if _, err := plan.AsInOrder(nil, err, plan.Absent); err != nil {
		return nil, err
	}
	o.Accounts = []attr.Key{a.Key}
	fresh, _, err := find.Reread(ctx, t, o, rels...)
	if err != nil {
		return nil, err
	}
	d := newDraft(t, plan.KindExpire, t.Name)
	d.undo = "restores the present expiry times of the locks"
	d.Account = a.Key.Hash.Value.Display()
	by, err := ttl.of(ctx, t)
	if err != nil {
		return nil, err
	}
	own := by[t.Name]
	if own == "" {
		return nil, neverExpire(t.Name)
	}
	if at := a.Item[own]; at.Exists() && at.Kind != attr.N {
		return nil, plan.Refuse(plan.NotANumber, "the %s of %s is \"%s\", which is not a time in seconds", own, a.Key, at.Display())
	}
	constraints, err := d.expireWith(a, fresh, by)
	if err != nil {
		return nil, err
	}
	if len(constraints) == 0 && d.adopted {
		return nil, plan.Refuse(plan.ByHand, "the locks of %s %s", a.Key, withoutTTL)
	}
	if len(constraints) == 0 {
		return nil, plan.Refuse(plan.InOrder, "the locks of %s already have the account's expiry", a.Key)
	}
	d.check(d.ownAccountUnchanged(kind, a, constraints...).unchanged(own), t.Name, a.Key)
	d.Title, d.Button = "Stop the expiry of locks", "Change the locks"
	d.Sentence = fmt.Sprintf("The locks of %s will no longer expire, because %[1]s does not expire. The account is not changed.",
		d.Account)
	d.onlyIf = []string{
		unchangedWords(kind, a, "still holds the same values and does not expire"),
		"its locks have not changed since " + phrase.Clock(d.At),
	}
	d.Done = fmt.Sprintf("the locks of %s no longer expire", d.Account)
	if at, ok := a.Item[own]; ok {
		d.Title = "Let locks expire with their account"
		d.Done = fmt.Sprintf("the locks of %s expire with the account", d.Account)
		d.Sentence = fmt.Sprintf("The locks of %s will expire with the account, %s. The account is not changed.", d.Account,
			expiryWords(at))
		d.onlyIf[0] = unchangedWords(kind, a, "still holds the same values and expires at the same time")
	}
	return d.plan()
}

// withoutTTL is the reason why the locks of an adopted constraint get no TTL.
const withoutTTL = "have no TTL, because the constraint was adopted: its writers do not update the TTL of a lock, " +
	"so a lock could expire before its account. Release the lock when the account is gone"

// adopted reports whether a backfill has put this lock, or another lock of the constraint that was read.
func adopted(t *dynamo.Table, c *layout.Constraint, lock attr.Item) bool {
	return slices.ContainsFunc(append(slices.Clip(t.Fit.Of(c).HeldLocks), lock), func(one attr.Item) bool {
		return one[schema.AdoptAttribute].Exists()
	})
}

// expireWith adds updates that let an account's own locks expire with the account. It returns the constraints of
// the changed locks.
func (d *draft) expireWith(
	a *schema.Account, fresh []*verdict.Relation, by map[string]string,
) (constraints []*layout.Constraint, err error) {
	own := by[d.t.Name]
	for _, now := range fresh {
		if err := checkUnchanged(now, a); err != nil {
			return nil, err
		}
		if now.Constraint.Lapses {
			continue // locks of this constraint have their own expiry
		}
		theirs := by[now.Lock.Table]
		if theirs == "" {
			return nil, neverExpire(now.Lock.Table)
		}
		if expires := now.Lock.Item[theirs].Kind == attr.N; !now.Lock.Exists || expires == a.Item[own].Exists() {
			continue
		}
		if why := whyNotOwn(d.t, now, a); why != "" {
			d.AddLine("stays", now.Lock.Key.String()+": "+why)
			continue
		}
		at := a.Item[own]
		if at.Exists() && adopted(d.t, now.Constraint, now.Lock.Item) {
			d.adopted = true
			d.AddLine("stays", now.Lock.Key.String()+": the locks "+withoutTTL)
			continue
		}
		e := d.lockUnchanged(now.Lock).unchanged(theirs).set(theirs, at)
		if at.Exists() {
			d.AddLine(plan.LabelSet, fmt.Sprintf("%s › %s = %s", now.Lock.Key, theirs, at.Text))
		} else {
			d.AddLine(plan.LabelRemove, fmt.Sprintf("%s › %s", now.Lock.Key, theirs))
		}
		d.add(e.write(client.Update, now.Lock.Table, now.Lock.Key), now.Lock.Item)
		constraints = append(constraints, now.Constraint)
		d.Table = now.Lock.Table
	}
	return constraints, nil
}

// neverExpire returns the refusal for a table without a TTL attribute.
func neverExpire(table string) error {
	return plan.Refuse(plan.Absent, "no items of %s expire: the table has no TTL attribute", table)
}

func expiryWords(at attr.Value) string {
	then, ok := attr.Expiry(at)
	if !ok {
		return "at " + at.Text
	}
	s := "at " + phrase.UTC(then)
	if then.Before(time.Now()) {
		s += ", which is in the past: DynamoDB may delete the locks and the account at any time, perhaps the locks first"
	}
	return s
}

// expiring returns the lock item with the expiry that Expire would set. It adds a condition to the parameter still: the
// account's expiry is unchanged.
func (p *pattern) expiring(
	ctx context.Context, t *dynamo.Table, table string, item attr.Item, a *schema.Account, still *expression,
	ttl *TTLAttributes,
) (attr.Item, error) {
	by, err := ttl.of(ctx, t)
	switch client.KindOf(err) {
	case client.Denied, client.Unsupported:
		return item, nil
	}
	if p.adopted {
		return item, err // see withoutTTL
	}
	own, theirs := by[t.Name], by[table]
	if err != nil || theirs == "" {
		return item, err
	}
	if _, shared := item[theirs]; shared { // this is the expiry of other accounts
		item = maps.Clone(item)
		delete(item, theirs)
		p.leftOut = append(p.leftOut, theirs)
	}
	if own == "" {
		return item, nil
	}
	still.unchanged(own)
	p.leftOut = slices.DeleteFunc(p.leftOut, func(name string) bool { return name == theirs })
	if at := a.Item[own]; at.Kind == attr.N {
		item = plan.WithAttribute(item, theirs, at)
	}
	return item, nil
}
