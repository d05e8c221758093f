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

// exchange is a plan that changes what an account claims, while it is made.
type exchange struct{ *draft }

// move adds what becomes of the locks when an account changes what it claims.
func (d exchange) move(ctx context.Context, a *dynamo.Account, m moved) error {
	var rels []*dynamo.Relation
	add := func(claim layout.Claim) {
		rels = append(rels, &dynamo.Relation{Constraint: claim.Constraint, Value: claim.Value, Lock: dynamo.Lock{Table: claim.Constraint.LockTable(d.t.Name), Key: claim.Key}})
	}
	for _, claim := range m.put {
		add(claim)
	}
	for _, claim := range m.free {
		add(claim)
	}
	for _, r := range m.kept {
		add(r.to)
	}
	fresh, whole, err := d.t.Reread(ctx, dynamo.RereadOptions{Accounts: []attr.Key{a.Key}}, rels...)
	if err != nil {
		return err
	}
	puts, frees, kept := fresh[:len(m.put)], fresh[len(m.put):len(m.put)+len(m.free)], fresh[len(m.put)+len(m.free):]
	for n, now := range slices.Concat(frees, kept) {
		if err := agrees(now, a); err != nil {
			return err
		}
		if n < len(frees) && !now.Lock.Exists {
			if err := d.misspelt(ctx, now, m.free[n]); err != nil {
				return err
			}
		}
	}
	for n, now := range puts {
		if err := refuseTaken(now); err != nil {
			return err
		}
		if err := d.fresh(ctx, a, m.put[n], m, frees); err != nil {
			return err
		}
	}
	deleted := 0
	for _, now := range frees {
		n, err := d.free(now, a)
		if err != nil {
			return err
		}
		deleted += n
	}
	for n, now := range kept {
		if err := d.keep(ctx, a, now, m.kept[n]); err != nil {
			return err
		}
	}
	if len(puts) > 0 {
		d.onlyIf = append(d.onlyIf, "nobody has taken the new value")
		d.unread(whole, "whether an account holds the new value without a lock, or another the old one, too")
	}
	if deleted > 0 {
		d.onlyIf = append(d.onlyIf, "the old lock is unchanged since "+clock(d.At))
	}
	return nil
}

// refuseTaken refuses a value that is taken, and says who has it.
func refuseTaken(now *dynamo.Relation) error {
	name, v := now.Constraint.Name, now.Value
	switch {
	case len(now.Claimants) > 0:
		return refusal(Held, "%s holds the %s \"%s\"", who(now.Claimants), name, v)
	case now.Pending:
		return refusal(Held, "%s", pending(now))
	case now.Lock.Exists && now.Lock.Owner != "":
		return refusal(Held, "the lock of the %s \"%s\" names %s: release it first, if nobody holds the value", name, v, now.Lock.Owner)
	case now.Lock.Exists && now.Verdict == dynamo.Unknown:
		return refusal(Held, "a lock keeps the %s \"%s\"; whether an account has it is not known", name, v)
	case now.Lock.Exists:
		return refusal(Held, "a lock keeps the %s \"%s\", though no account was found behind it: release it first", name, v)
	}
	return nil
}

// misspelt refuses to leave behind the lock that an account may really have: its
// own is missing, and there is one of another spelling.
func (d exchange) misspelt(ctx context.Context, now *dynamo.Relation, claim layout.Claim) error {
	misses, err := dynamo.Near(ctx, d.t, now.Constraint, claim.Raw)
	if err != nil || len(misses) == 0 {
		return err
	}
	return refusal(Changed, "the lock of \"%s\" is missing, and there is one of \"%s\" (%s): see first which of them is right", now.Value, misses[0].Relation.Value, misses[0].How)
}

// fresh puts the lock of a new value: as the old value's was, or, where there was
// none, as the constraint's other locks are.
func (d exchange) fresh(ctx context.Context, a *dynamo.Account, to layout.Claim, m moved, frees []*dynamo.Relation) error {
	table := to.Constraint.LockTable(d.t.Name)
	for n, now := range frees {
		if from := m.free[n]; from.Constraint == to.Constraint && now.Lock.Exists && notOurs(d.t, now, a) == "" {
			item, err := d.anew(ctx, now.Lock.Item, from, to)
			if err != nil {
				return err
			}
			d.put(table, to.Key, item)
			return nil
		}
	}
	return d.unlike(ctx, a, to)
}

// unlike puts a lock that no lock of the account is a model for.
func (d exchange) unlike(ctx context.Context, a *dynamo.Account, to layout.Claim) error {
	p, err := learn(ctx, d.t, to.Constraint)
	if err != nil {
		return err
	}
	item, err := p.lock(d.t, d.t.Layout.KindOf(d.t.Schema, a.Item), to, a)
	if err != nil {
		return err
	}
	d.put(to.Constraint.LockTable(d.t.Name), to.Key, item)
	d.without(p)
	return nil
}

// anew renders a lock for another value. Where it is more than a key, other locks
// tell what of it is the same in all.
func (d exchange) anew(ctx context.Context, old attr.Item, from, to layout.Claim) (attr.Item, error) {
	var p pattern
	if len(old) > len(from.Key.Item()) {
		var err error
		if p, err = learn(ctx, d.t, to.Constraint); err != nil {
			return nil, err
		}
	}
	return p.anew(d.t.SchemaOf(to.Constraint.LockTable(d.t.Name)), old, from, to), nil
}

// keep is for a lock that the old value and the new one share: a transaction may
// name an item once. It must be as it was seen; what it says of the value changes
// with it.
func (d exchange) keep(ctx context.Context, a *dynamo.Account, now *dynamo.Relation, r respelt) error {
	switch why := notOurs(d.t, now, a); {
	case why != "" && now.Lock.Exists:
		d.say("stays", now.Lock.Key.String()+": "+why)
		return nil
	case why != "":
		d.say("no lock", now.Lock.Key.String()+": "+why+", and people decide whose it would be")
		return nil
	case !now.Lock.Exists:
		return d.unlike(ctx, a, r.to)
	}
	schema := d.t.SchemaOf(now.Lock.Table)
	item, err := d.anew(ctx, now.Lock.Item, r.from, r.to)
	if err != nil {
		return err
	}
	e := d.asSeen(now.Lock)
	verb := client.Check
	for _, name := range item.Names() {
		if !schema.IsKey(name) && !item[name].Equal(now.Lock.Item[name]) {
			e.set(name, item[name])
			verb = client.Update
			d.say(LabelSet, fmt.Sprintf("%s › %s = %s", now.Lock.Key, name, item[name].Display()))
		}
	}
	d.do(e.write(verb, now.Lock.Table, now.Lock.Key), now.Lock.Item)
	d.say("keeps", now.Lock.Key.String())
	d.onlyIf = append(d.onlyIf, "its lock is unchanged since "+clock(d.At))
	return nil
}
