package dynamo

import (
	"context"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// Examine reads relations anew, each lock together with everybody who can be
// found to claim it: the accounts given, those that an index or the lock names,
// and, where reading the whole table costs no more than AutoReadUnits, all. whole
// tells whether it was read.
func (t *Table) Examine(ctx context.Context, rels []*Relation, accounts ...attr.Key) (fresh []*Relation, whole bool, err error) {
	f := &finding{t: t, r: t.conn.Reader(), only: true, claimants: map[string]map[string]Account{}, byID: map[string]bool{}}
	for _, rel := range rels {
		again := &Relation{Constraint: rel.Constraint, Value: rel.Value, Lock: Lock{Table: rel.Lock.Table, Key: rel.Lock.Key}}
		f.candidates = append(f.candidates, &candidate{rel: again, hints: slices.Clone(accounts)})
		fresh = append(fresh, again)
	}
	if err := f.points(ctx); err != nil {
		return nil, false, err
	}
	if err := f.whole(ctx, false); err != nil {
		return nil, false, err
	}
	if err := f.settle(ctx); err != nil {
		return nil, false, err
	}
	return fresh, f.swept, nil
}

// AccountAt reads one account, strongly consistent. Both are nil where there is no
// such account.
func (t *Table) AccountAt(ctx context.Context, key attr.Key) (*layout.Account, *Account, error) {
	found, err := t.conn.Reader().Get(ctx, t.Name, []attr.Key{key}, true)
	if err != nil {
		return nil, nil, err
	}
	kind, a := t.account(found[key.ID()])
	return kind, a, nil
}

// Relations are the locks that an account calls for, as relations that are not
// read yet. Values that can have no lock are left out.
func (t *Table) Relations(kind *layout.Account, a *Account) []*Relation {
	var rels []*Relation
	seen := map[string]bool{}
	for _, claim := range kind.Claims(t.Name, t.SchemaOf, a.Item) {
		lock := Lock{Table: claim.Constraint.LockTable(t.Name), Key: claim.Key}
		if id := lockID(lock.Table, lock.Key); claim.Err == nil && !seen[id] {
			seen[id] = true
			rels = append(rels, &Relation{Constraint: claim.Constraint, Value: claim.Value, Account: a, Lock: lock})
		}
	}
	return rels
}

// Names reports whether a lock names this account as its owner.
func (t *Table) Names(rel *Relation, a *Account) bool { return t.names(rel.Constraint, rel.Lock, a) }

// LockSample reads a page of a lock table, eventually consistent, for what the
// constraints' locks look like. It may find none.
func (t *Table) LockSample(ctx context.Context, table string) (map[*layout.Constraint][]attr.Item, error) {
	locks := map[*layout.Constraint][]attr.Item{}
	page, err := t.conn.Reader().Scan(ctx, table, client.PageInput{Limit: sampleSize})
	if client.KindOf(err) == client.Denied {
		return locks, nil
	}
	for _, item := range page.Items {
		if role := t.Layout.Classify(t.Name, table, t.SchemaOf(table), item); role.Constraint != nil && !role.Malformed {
			locks[role.Constraint] = append(locks[role.Constraint], item)
		}
	}
	return locks, err
}

// TimeToLive is the attribute by which a table's items expire; empty where they
// do not.
func (t *Table) TimeToLive(ctx context.Context, table string) (string, error) {
	return t.conn.Reader().TimeToLive(ctx, table)
}

// Near looks for spellings of a value that people mix up with it and that locks
// of the constraint keep, by eventually consistent point reads.
func (t *Table) Near(ctx context.Context, c *layout.Constraint, v string) ([]NearMiss, error) {
	f := &finding{t: t, r: t.conn.Reader(), query: v, typed: v, only: true}
	f.begin()
	if err := f.otherwise(ctx, true); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(f.nearMisses, func(n NearMiss) bool { return n.Relation.Constraint != c }), nil
}
