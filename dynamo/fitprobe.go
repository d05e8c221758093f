package dynamo

import (
	"context"
	"maps"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// prober gathers the evidence of a layout's fit: from a sample, and by reading what the
// sample's items call for.
type prober struct {
	t    *Table
	r    *client.Reader
	left float64 // read units
	// of each table: whether the sample is all of it, and the items read, nil for what
	// does not exist.
	whole map[string]bool
	known map[string]map[string]attr.Item
	layout.Sorted
	items int
}

// Numbers of what a sample is tried on.
const (
	triedItems  = 24
	triedOwners = 24
	triedMisses = 8
)

// judgeFit judges the layout by samples of its tables.
func (f *Fitting) judge(ctx context.Context, r *client.Reader, samples map[string]sample, budget float64) error {
	p := &prober{t: f.t, r: r, left: budget, whole: map[string]bool{}, known: map[string]map[string]attr.Item{}}
	p.Accounts, p.Locks, p.Keys = map[*layout.Account][]attr.Item{}, map[*layout.Constraint][]attr.Item{}, map[string][]attr.Key{}
	for _, table := range slices.Sorted(maps.Keys(samples)) {
		p.sort(table, samples[table])
	}
	fits, err := p.judge(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	f.fits = fits
	f.mu.Unlock()
	p.unclaimed()
	return nil
}

// judge judges each constraint: first all of them as the layout has it, and then, with
// what is left of the budget, those that it does not explain in full.
func (p *prober) judge(ctx context.Context) (map[*layout.Constraint]layout.Fit, error) {
	all, hits := map[*layout.Constraint]*layout.Evidence{}, map[*layout.Constraint]hitSet{}
	each := func(do func(*layout.Account, *layout.Constraint) error) error {
		for _, a := range p.t.Layout.Accounts {
			for _, c := range a.Constraints {
				if err := do(a, c); err != nil && client.KindOf(err) != client.Denied {
					return err
				}
			}
		}
		return nil
	}
	err := each(func(a *layout.Account, c *layout.Constraint) (err error) {
		all[c] = &layout.Evidence{Items: p.items}
		hits[c], err = p.evidence(ctx, a, c, all[c])
		return err
	})
	if err != nil {
		return nil, err
	}
	err = each(func(a *layout.Account, c *layout.Constraint) (err error) {
		e := all[c]
		if hits[c].items != nil && (e.Values-e.Locked >= 2 || e.Locked == 0 || e.Claims > e.Values) {
			e.Better, err = p.better(ctx, a, c, *e, hits[c])
		}
		if err == nil {
			err = p.rivals(ctx, a, c, e)
		}
		return err
	})
	fits := map[*layout.Constraint]layout.Fit{}
	for c, e := range all {
		fits[c] = e.Judge(c.Name)
	}
	return fits, err
}

// sort sorts a table's sample by what the layout takes its items for.
func (p *prober) sort(table string, s sample) {
	t := p.t
	schema := t.SchemaOf(table)
	p.whole[table], p.known[table] = s.whole, map[string]attr.Item{}
	for _, item := range s.items {
		k, ok := schema.KeyOf(item)
		if !ok {
			continue
		}
		p.items++
		p.known[table][k.ID()] = item
		role := t.Layout.Classify(t.Name, table, schema, item)
		switch {
		case role.Constraint != nil && !role.Malformed:
			p.Locks[role.Constraint] = append(p.Locks[role.Constraint], item)
		case role.Account != nil && role.Constraint == nil:
			p.Accounts[role.Account] = append(p.Accounts[role.Account], item)
			continue
		case role.Counter == nil && role.Constraint == nil && table == t.Name:
			p.Others = append(p.Others, item)
		}
		p.Keys[table] = append(p.Keys[table], k)
	}
}

// some are the first items of a sample that is not whole: those that are tried.
func (p *prober) some(items []attr.Item, table string) []attr.Item {
	if p.whole[table] && p.whole[p.t.Name] {
		return items
	}
	return items[:min(len(items), triedItems)]
}

// exist tells which of some keys there are items at. It reports false where the budget
// is not enough to tell of all.
func (p *prober) exist(ctx context.Context, table string, keys []attr.Key) (map[string]attr.Item, bool, error) {
	if p.known[table] == nil {
		p.known[table] = map[string]attr.Item{}
	}
	known := p.known[table]
	var ask []attr.Key
	for _, k := range keys {
		if _, have := known[k.ID()]; !have && !p.whole[table] {
			ask = append(ask, k)
		}
	}
	before := p.r.Units
	for batch := range slices.Chunk(ask, client.MaxBatch) {
		if float64(len(batch)) > p.left-(p.r.Units-before) { // half a unit each, and more for items of some size
			return nil, false, nil
		}
		found, err := p.r.Get(ctx, table, batch, false)
		if err != nil {
			return nil, false, err
		}
		for _, k := range batch {
			known[k.ID()] = found[k.ID()]
		}
	}
	p.left -= p.r.Units - before
	return known, true, nil
}

// evidence counts what speaks for and against one constraint, and answers what its
// accounts' values hit; nothing where the budget is not enough to tell.
func (p *prober) evidence(ctx context.Context, a *layout.Account, c *layout.Constraint, into *layout.Evidence) (hitSet, error) {
	t := p.t
	table := c.LockTable(t.Name)
	e := layout.Evidence{Whole: p.whole[t.Name] && p.whole[table], Items: p.items, HeldAttributes: map[string]bool{}}
	for con, locks := range p.Locks {
		if con.SamePlace(t.Name, c) {
			e.Locks += len(locks)
		}
	}
	for _, kind := range t.Layout.Holders(t.Name, c) {
		e.Accounts += len(p.Accounts[kind])
		e.Kinds++
		e.Clustered = e.Clustered || kind.PK.Constant()
	}
	own := p.some(p.Accounts[a], table)
	hits, values, claims, ok, err := p.hits(ctx, layout.Own(a, c), own)
	if err != nil || !ok {
		return hitSet{}, err
	}
	e.Values, e.Claims, e.Locked = values, claims, len(hits.locks)
	for _, item := range hits.locks {
		for name := range item {
			if name != MarkAttribute {
				e.HeldAttributes[name] = true
			}
		}
	}
	p.met(a, c, own, hits, &e)
	*into = e
	return hits, p.owners(ctx, c, table, into)
}

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

// hit is what the claims of some items hit.
type hitSet struct {
	locks map[string]attr.Item // by key
	items map[int]bool
}

// missed are some of the items that hit nothing.
func (h hitSet) missed(items []attr.Item) []attr.Item {
	var out []attr.Item
	for n, item := range items {
		if !h.items[n] && len(out) < triedMisses {
			out = append(out, item)
		}
	}
	return out
}

// hits tells which of the locks exist that items call for, how many different ones
// those are, and how many claims.
func (p *prober) hits(ctx context.Context, r layout.Reading, items []attr.Item) (h hitSet, values, claims int, ok bool, err error) {
	t := p.t
	type call struct {
		item int
		key  attr.Key
	}
	var calls []call
	keys := map[string]attr.Key{}
	table := r.LockTable(t.Name)
	for n, item := range items {
		own, _ := t.Schema.KeyOf(item)
		for _, claim := range r.Claims(t.Name, t.SchemaOf, item) {
			// What has the account's own partition key is a part of it, and no lock.
			if claim.Err != nil || (table == t.Name && claim.Key.Hash.Value.Equal(own.Hash.Value)) {
				continue
			}
			calls = append(calls, call{n, claim.Key})
			keys[claim.Key.ID()] = claim.Key
		}
	}
	var ask []attr.Key
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		ask = append(ask, keys[id])
	}
	found, ok, err := p.exist(ctx, table, ask)
	h = hitSet{map[string]attr.Item{}, map[int]bool{}}
	if err != nil || !ok {
		return h, 0, 0, ok, err
	}
	for _, call := range calls {
		if item := found[call.key.ID()]; item != nil && r.IsLock(item) {
			h.locks[call.key.ID()] = item
			h.items[call.item] = true
		}
	}
	return h, len(keys), len(calls), true, nil
}

// better is the reading that explains more than the layout: it hits all that the layout
// hits, and at least two values more.
func (p *prober) better(ctx context.Context, a *layout.Account, c *layout.Constraint, e layout.Evidence, own hitSet) (best layout.Alternative, err error) {
	t := p.t
	table := c.LockTable(t.Name)
	for _, r := range t.Layout.Readings(a, c, t.Name, t.SchemaOf, p.Sorted) {
		if r.Another && !e.Whole && e.Accounts > 0 {
			continue // of two samples neither holds what the other does
		}
		items := p.some(r.Items, table)
		if missed := own.missed(items); !r.Another && !e.Whole && len(missed) >= 2 {
			h, _, _, ok, err := p.hits(ctx, r, missed)
			if err != nil {
				return best, err
			}
			if !ok || len(h.items) < 2 {
				continue // it explains none of what the layout does not
			}
		}
		h, values, claims, ok, err := p.hits(ctx, r, items)
		if err != nil {
			return best, err
		}
		if !ok {
			break
		}
		// As many locks, and fewer values that are held twice or have none.
		cleaner := claims-values < e.Claims-e.Values && values-len(h.locks) <= e.Values-e.Locked
		more := len(h.items) - len(own.items)
		covers := true
		if r.Another {
			more = len(h.locks) - len(own.locks)
			for id := range own.locks {
				covers = covers && h.locks[id] != nil
			}
		} else {
			for n := range own.items {
				covers = covers && h.items[n]
			}
		}
		if covers && (more >= layout.EnoughBetter || (cleaner && r.Another && more >= 0 && len(h.locks) > 0)) && len(h.locks) > best.Fits {
			best = layout.Alternative{Line: r.Line, At: r.At, Fits: len(h.locks), Of: values}
		}
	}
	return best, nil
}

// owners looks for the accounts that sampled locks name.
func (p *prober) owners(ctx context.Context, c *layout.Constraint, table string, e *layout.Evidence) error {
	t := p.t
	if c.Owner == "" {
		return nil
	}
	type named struct {
		lock Lock
		keys []attr.Key
	}
	var all []named
	var ask []attr.Key
	for con, locks := range p.Locks {
		if !con.SamePlace(t.Name, c) {
			continue
		}
		for _, item := range locks {
			key, _ := t.SchemaOf(table).KeyOf(item)
			lock := lockOf(c, table, key, item)
			one := named{lock, t.Match.ownerKeys(c, lock)}
			if len(one.keys) == 0 || len(layout.Named(t.Layout.Holders(t.Name, c), lock.Owner)) != 1 {
				// It names nobody, or somebody of whom no key can be made, or one of several.
				e.Unnamed++
				continue
			}
			if !e.Whole && len(all) == triedOwners {
				continue
			}
			all, ask = append(all, one), append(ask, one.keys...)
		}
	}
	found, ok, err := p.exist(ctx, t.Name, ask)
	if err != nil || !ok {
		return err
	}
	for _, one := range all {
		e.Named++
		if slices.ContainsFunc(one.keys, func(k attr.Key) bool { return t.Match.claims(found[k.ID()], one.lock) }) {
			e.Right++
		} else {
			e.Strays = append(e.Strays, lockID(table, one.lock.Key))
		}
	}
	slices.Sort(e.Strays)
	return nil
}

// unclaimed looks, where all of the tables was read, for what holds the values of locks
// that no account calls for, and for other items that may be the accounts.
func (p *prober) unclaimed() {
	t := p.t
	for _, name := range t.Layout.LockTables(t.Name) {
		if !p.whole[name] || !p.whole[t.Name] {
			return
		}
	}
	called := map[string]bool{}
	for a, items := range p.Accounts {
		for _, item := range items {
			for _, claim := range a.Claims(t.Name, t.SchemaOf, item) {
				if claim.Err == nil {
					called[lockID(claim.Constraint.LockTable(t.Name), claim.Key)] = true
				}
			}
		}
	}
	var rels []*Relation
	for c, locks := range p.Locks {
		table := c.LockTable(t.Name)
		for _, item := range locks {
			key, _ := t.SchemaOf(table).KeyOf(item)
			if v, _, ok := c.ParseLock(t.SchemaOf(table), key); ok && !called[lockID(table, key)] {
				rels = append(rels, &Relation{Constraint: c, Value: v, Lock: lockOf(c, table, key, item)})
			}
		}
	}
	s := t.ClaimScan(rels...)
	s.CompareShapes()
	r := s.Reader()
	for table, items := range p.known {
		for _, item := range items {
			if item != nil {
				r.See(table, item)
			}
		}
	}
	r.Close()
	t.Fit.LearnShapes(s)
	t.Fit.LearnSightings(s, rels)
	for _, rel := range rels {
		// A lock whose value nothing holds says nothing against what other locks name.
		if id := lockID(rel.Lock.Table, rel.Lock.Key); s.SeenDoubt(rel) == "" {
			t.Fit.Learn(rel.Constraint, func(e *layout.Evidence) {
				e.Strays = slices.DeleteFunc(slices.Clone(e.Strays), func(stray string) bool { return stray == id })
			})
		}
	}
}
