package dynamo

import (
	"maps"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// hits is what the locks that some items call for show.
type hits struct {
	locks          map[string]attr.Item // those that exist, by the key of the first form
	values, claims int                  // different locks that are called for, and how often
	met, metRight  int                  // locks that name somebody, and those that name who calls for them
}

// hits finds which of the locks exist that items call for. It reports false if they have to be read
// first, or if the budget is not enough for all.
func (p *prober) hits(a *layout.Account, c *layout.Constraint, items []attr.Item) (h hits, ok bool) {
	t, table := p.t, c.LockTable(p.t.Name)
	type call struct {
		by    *Account
		id    string
		forms []attr.Key
	}
	var calls []call
	keys, different := map[string]attr.Key{}, map[string]bool{}
	for _, item := range items {
		id, _ := a.Matches(t.Schema, item)
		own, _ := t.Schema.KeyOf(item)
		by := &Account{ID: id, Key: own}
		for _, claim := range a.AppendClaimsOf(nil, c, t.Name, t.SchemaOf, item) {
			// What has the account's own partition key is a part of it, and no lock.
			if claim.Err != nil || (table == t.Name && a.IDInPartition() && claim.Key.Hash.Value.Equal(own.Hash.Value)) {
				continue
			}
			one := call{by, claim.Key.ID(), claim.Keys()}
			calls, different[one.id] = append(calls, one), true
			for _, k := range one.forms {
				keys[k.ID()] = k
			}
		}
	}
	var ask []attr.Key
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		ask = append(ask, keys[id])
	}
	found, ok := p.exist(table, ask)
	if !ok {
		return h, false
	}
	h = hits{locks: map[string]attr.Item{}, values: len(different), claims: len(calls)}
	for _, call := range calls {
		for _, k := range call.forms {
			item := found[k.ID()]
			if item == nil || !c.Is.Holds(item) {
				continue
			}
			h.locks[call.id] = item
			if lock := lockOf(c, table, k, item); lock.Owner != "" {
				h.met++
				if t.Match.names(c, lock, call.by) {
					h.metRight++
				}
			}
		}
	}
	return h, true
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
