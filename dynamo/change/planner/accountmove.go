package planner

import (
	"context"
	"fmt"
	"slices"

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

// rereadLocks reads the locks of all claims in m again. If the account gives up a claim, rereadLocks reads all key
// forms of its lock. Afterwards m.free has one claim for each lock in frees, with the key of that lock.
func (d *draft) rereadLocks(
	ctx context.Context, a *schema.Account, m *claimDiff,
) (puts, frees, kept []*verdict.Relation, whole bool, err error) {
	var rels []*verdict.Relation
	add := func(claim layout.Claim, key attr.Key) {
		lock := schema.Lock{Table: d.t.LockTable(claim.Constraint), Key: key}
		rels = append(rels, &verdict.Relation{Constraint: claim.Constraint, Value: claim.Value, Lock: lock})
	}
	for _, claim := range m.put {
		add(claim, claim.Key)
	}
	given := len(rels)
	for _, claim := range m.free {
		for _, key := range claim.Keys() {
			add(claim, key)
		}
	}
	ended := len(rels)
	for _, r := range m.kept {
		add(r.to, r.to.Key)
	}
	fresh, whole, err := find.Reread(ctx, d.t, find.RereadOptions{Accounts: []attr.Key{a.Key}}, rels...)
	if err != nil {
		return nil, nil, nil, false, err
	}
	frees = differentLocks(fresh[given:ended])
	m.free = claimsOf(frees, m.free)
	return fresh[:given], frees, fresh[ended:], whole, nil
}

// moveLocks adds the actions on locks that follow from an account's changed claims.
func (d *draft) moveLocks(ctx context.Context, a *schema.Account, m claimDiff) error {
	puts, frees, kept, whole, err := d.rereadLocks(ctx, a, &m)
	if err != nil {
		return err
	}
	for n, now := range slices.Concat(frees, kept) {
		if err := checkUnchanged(now, a); err != nil {
			return err
		}
		if n < len(frees) && !now.Lock.Exists && now.Lock.Other == nil {
			if err := d.checkMisspelt(ctx, now, m.free[n]); err != nil {
				return err
			}
		}
	}
	for n, now := range puts {
		if err := refuseTaken(now); err != nil {
			return err
		}
		if err := d.putLock(a, m.put[n], m, frees); err != nil {
			return err
		}
	}
	deleted := 0
	for _, now := range frees {
		n, err := d.freeLock(now, a)
		if err != nil {
			return err
		}
		deleted += n
	}
	for n, now := range kept {
		if err := d.keepShared(a, now, m.kept[n]); err != nil {
			return err
		}
	}
	if len(puts) > 0 {
		d.onlyIf = append(d.onlyIf, "nobody has taken the new value")
		d.noteUnread(whole, "an account that holds the new value without a lock, or another account with the old value")
	}
	if deleted > 0 {
		d.onlyIf = append(d.onlyIf, "the old lock has not changed since "+phrase.Clock(d.At))
	}
	return nil
}

// claimsOf returns the claims that belong to the given locks. Each claim gets the key of its lock.
func claimsOf(locks []*verdict.Relation, claims []layout.Claim) (all []layout.Claim) {
	for _, now := range locks {
		n := slices.IndexFunc(claims, func(c layout.Claim) bool {
			return c.Constraint == now.Constraint && c.IsLock(now.Lock.Key)
		})
		claim := claims[n]
		claim.Key = now.Lock.Key
		all = append(all, claim)
	}
	return all
}

// refuseTaken returns a *plan.Refusal if the value of a relation is taken. The refusal names the holder.
func refuseTaken(now *verdict.Relation) error {
	name, v := now.Constraint.Name, now.Value
	switch {
	case len(now.Claimants) > 0:
		return plan.Refuse(plan.Held, "%s holds the %s \"%s\"", listAccounts(now.Claimants), name, v)
	case now.Lock.Other != nil:
		return OtherRefusal(now)
	case now.Pending:
		return plan.Refuse(plan.Held, "%s", pending(now))
	case now.Lock.Exists && now.Lock.Owner != "":
		return plan.Refuse(plan.Held, "the lock of the %s \"%s\" names %s: release the lock first, if nobody holds the value", name, v,
			now.Lock.Owner)
	case now.Lock.Exists && now.Verdict == verdict.Unknown:
		return plan.Refuse(plan.Held, "the %s \"%s\" has a lock; unknown whether an account has this value", name, v)
	case now.Lock.Exists:
		return plan.Refuse(plan.Held, "the %s \"%s\" has a lock, but no account with this value was found: release the lock first", name, v)
	}
	return nil
}

// OtherRefusal returns the refusal to put a lock, if an item that is no lock has the lock's key.
func OtherRefusal(now *verdict.Relation) *plan.Refusal {
	return plan.Refuse(plan.Held, "no lock of the %s \"%s\" can be put at %s: %s", now.Constraint.Name, now.Value,
		now.Lock.Key, now.Lock.WhyOther(now.Constraint))
}

// refuseKeyed returns a *plan.Refusal if another account holds the new value. It checks only constraints whose lock
// keys contain the account's id: with such keys, two accounts can each have a lock of one value.
func refuseKeyed(
	ctx context.Context, t *dynamo.Table, kind *layout.Account, c *layout.Constraint, a *schema.Account, after attr.Item,
	to string,
) error {
	if !c.KeyedByAccount() {
		return nil
	}
	answer, err := find.Find(ctx, t, to, find.Options{})
	if err != nil {
		return err
	}
	own, _ := kind.ScopeOf(c, t.Schema, after)
	for _, rel := range answer.Locks {
		if rel.Constraint != c || rel.Value != c.Normalised(to) {
			continue
		}
		for _, other := range otherClaimants(rel, a) {
			if scope, ok := kind.ScopeOf(c, t.Schema, other.Item); ok && scope == own {
				return plan.Refuse(plan.Held, "%s holds the %s \"%s\"", other.Key, c.Name, to)
			}
		}
	}
	return nil
}

// checkMisspelt returns a *plan.Refusal if the account's lock is missing and a lock of another spelling exists. That
// lock may be the account's own lock, and the change would leave it behind.
func (d *draft) checkMisspelt(ctx context.Context, now *verdict.Relation, claim layout.Claim) error {
	misses, err := find.Near(ctx, d.t, now.Constraint, claim.Raw)
	if err != nil || len(misses) == 0 {
		return err
	}
	return plan.Refuse(plan.Changed,
		"the lock of \"%s\" is missing, but \"%s\" has a lock (%s): first find out which spelling is right", now.Value,
		misses[0].Relation.Value, misses[0].How)
}

// putLock adds the lock of a new value to the plan. It copies the lock of the old value. If that lock is missing, or
// does not belong to the account alone, putLock follows the pattern of the constraint's other locks.
func (d *draft) putLock(
	a *schema.Account, to layout.Claim, m claimDiff, frees []*verdict.Relation,
) error {
	table := d.t.LockTable(to.Constraint)
	for n, now := range frees {
		if from := m.free[n]; from.Constraint == to.Constraint && now.Lock.Exists && whyNotOwn(d.t, now, a) == "" {
			d.put(table, to.Key, d.renew(now.Lock.Item, from, to))
			return nil
		}
	}
	return d.putFromPattern(a, to)
}

// putFromPattern adds a lock to the plan that follows the pattern of the constraint's other locks.
func (d *draft) putFromPattern(a *schema.Account, to layout.Claim) error {
	p := learnPattern(d.t, to.Constraint)
	item, err := p.lock(d.t, d.t.Layout.KindOf(d.t.Schema, a.Item), to, a)
	if err != nil {
		return err
	}
	d.put(d.t.LockTable(to.Constraint), to.Key, item)
	d.noteLeftOut(p)
	return nil
}

// renew returns a copy of a lock, rewritten for another value. The constraint's other locks show which attributes
// stay the same.
func (d *draft) renew(old attr.Item, from, to layout.Claim) attr.Item {
	return learnPattern(d.t, to.Constraint).renew(d.t.LockSchema(to.Constraint), old, from, to)
}

// keepShared keeps a lock that the old and the new value share. One action both requires that the lock is unchanged
// and updates the attributes that contain the value, since a transaction may name an item only once.
func (d *draft) keepShared(a *schema.Account, now *verdict.Relation, r respelling) error {
	switch why := whyNotOwn(d.t, now, a); {
	case why != "" && (now.Lock.Exists || now.Lock.Other != nil):
		d.AddLine("stays", now.Lock.Key.String()+": "+why)
		return nil
	case why != "":
		d.AddLine("no lock", now.Lock.Key.String()+": "+why+", and a person must decide who gets the lock")
		return nil
	case !now.Lock.Exists:
		return d.putFromPattern(a, r.to)
	}
	schema := d.t.SchemaOf(now.Lock.Table)
	item := d.renew(now.Lock.Item, r.from, r.to)
	e := d.lockUnchanged(now.Lock)
	verb := client.Check
	for _, name := range item.Names() {
		if !schema.IsKey(name) && !item[name].Equal(now.Lock.Item[name]) {
			e.set(name, item[name])
			verb = client.Update
			d.AddLine(plan.LabelSet, fmt.Sprintf("%s › %s = %s", now.Lock.Key, name, item[name].Display()))
		}
	}
	d.add(e.write(verb, now.Lock.Table, now.Lock.Key), now.Lock.Item)
	d.AddLine("keeps", now.Lock.Key.String())
	d.onlyIf = append(d.onlyIf, "its lock has not changed since "+phrase.Clock(d.At))
	return nil
}
