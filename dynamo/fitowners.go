package dynamo

import (
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// met counts how many of the locks of accounts name them.
func (p *prober) met(kind *layout.Account, c *layout.Constraint, items []attr.Item, hits hitSet, e *layout.Evidence) {
	t := p.t
	for n, item := range items {
		if !hits.items[n] {
			continue
		}
		id, _ := kind.Matches(t.Schema, item)
		key, _ := t.Schema.KeyOf(item)
		for _, claim := range kind.AppendClaimsOf(nil, c, t.Name, t.SchemaOf, item) {
			lock := lockOf(c, c.LockTable(t.Name), claim.Key, hits.locks[claim.Key.ID()])
			if !lock.Exists || lock.Owner == "" {
				continue
			}
			if e.Met++; t.Match.names(c, lock, &Account{ID: id, Key: key}) {
				e.MetRight++
			}
		}
	}
}

// owners looks for the accounts that sampled locks name.
func (p *prober) owners(c *layout.Constraint, table string, e *layout.Evidence) {
	t := p.t
	if c.Owner == "" && !c.OwnedByKey() {
		return
	}
	type named struct {
		lock Lock
		keys []attr.Key
	}
	var all []named
	var ask []attr.Key
	for con, locks := range p.locks {
		if !con.SamePlace(t.Name, c) {
			continue
		}
		for _, item := range locks {
			key, _ := t.SchemaOf(table).KeyOf(item)
			lock := lockOf(c, table, key, item)
			one := named{lock, t.Match.ownerKeys(c, lock)}
			owner, known := c.OwnerForm.ID(lock.Owner)
			if !known && lock.Owner != "" {
				continue // not written as owner_form says
			}
			if len(one.keys) == 0 || len(layout.Named(t.Layout.Holders(t.Name, c), owner)) != 1 {
				// It names nobody, one of several kinds, or a text that makes no key.
				e.Unnamed++
				continue
			}
			if !e.Whole && len(all) == triedOwners {
				continue
			}
			all, ask = append(all, one), append(ask, one.keys...)
		}
	}
	found, ok := p.exist(t.Name, ask)
	if !ok {
		return
	}
	for _, one := range all {
		right := slices.ContainsFunc(one.keys, func(k attr.Key) bool { return t.Match.claims(found[k.ID()], one.lock) })
		if !right && p.reserved(c.Reserved, one.lock.Item) {
			continue
		}
		if e.Named++; right {
			e.Right++
		}
		if !slices.ContainsFunc(one.keys, func(k attr.Key) bool { return found[k.ID()] != nil }) {
			e.Gone = append(e.Gone, lockID(table, one.lock.Key))
		}
	}
}
