package dynamo

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

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
	// accounts and locks are the sampled items by what the layout takes them for.
	accounts map[*layout.Account][]attr.Item
	locks    map[*layout.Constraint][]attr.Item
	items    int
	// recognised is what the samples alone would be taken for.
	recognised func() (*layout.Layout, error)
	// wanted are keys that a judgment needs, and denied the tables that may not be read.
	wanted map[string][]attr.Key
	asked  int // how many are wanted
	denied map[string]bool
	now    time.Time
}

// How many items and owners of a sample are tried.
const (
	triedItems  = 24
	triedOwners = 24
)

// judge judges the layout by samples of its tables.
func (f *Fitting) judge(ctx context.Context, r *client.Reader, samples map[string]*sampler, budget float64) error {
	p := &prober{
		t:      f.t,
		r:      r,
		left:   budget,
		whole:  map[string]bool{},
		known:  map[string]map[string]attr.Item{},
		denied: map[string]bool{},
		now:    time.Now(),
	}
	p.accounts = map[*layout.Account][]attr.Item{}
	p.locks = map[*layout.Constraint][]attr.Item{}
	p.recognised = sync.OnceValues(func() (*layout.Layout, error) { return recognisedIn(ctx, f.t, samples) })
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
	p.places()
	return nil
}

// judge judges each constraint: first all of them as the layout has it, and then, with
// what is left of the budget, those that it does not explain in full. What all of them need
// is read together, until nothing more is needed.
func (p *prober) judge(ctx context.Context) (map[*layout.Constraint]layout.Fit, error) {
	all, known := map[*layout.Constraint]*layout.Evidence{}, map[*layout.Constraint]bool{}
	each := func(do func(*layout.Account, *layout.Constraint)) error {
		for {
			p.wanted, p.asked = map[string][]attr.Key{}, 0
			for _, a := range p.t.Layout.Accounts {
				for _, c := range a.Constraints {
					do(a, c)
				}
			}
			if p.asked == 0 {
				return nil
			}
			if err := p.read(ctx); err != nil {
				return err
			}
		}
	}
	err := each(func(a *layout.Account, c *layout.Constraint) {
		all[c] = &layout.Evidence{Items: p.items}
		known[c] = p.evidence(a, c, all[c])
	})
	if err != nil {
		return nil, err
	}
	fits := map[*layout.Constraint]layout.Fit{}
	err = each(func(a *layout.Account, c *layout.Constraint) {
		e := *all[c]
		if c.State.Sure() && known[c] && (e.Values-e.Locked >= layout.EnoughBetter || e.Locked == 0) {
			e.Better = p.better(a, c, e.Locked)
		}
		fits[c] = e.Judge(c.Name)
	})
	return fits, err
}

// read reads what is wanted.
func (p *prober) read(ctx context.Context) error {
	before := p.r.Units
	defer func() { p.left -= p.r.Units - before }()
	found, err := p.r.GetTables(ctx, p.wanted, false)
	switch {
	case client.KindOf(err) != client.Denied:
	case len(p.wanted) == 1:
		for table := range p.wanted {
			p.denied[table] = true
		}
		return nil
	default:
		all := p.wanted
		for _, table := range slices.Sorted(maps.Keys(all)) {
			p.wanted = map[string][]attr.Key{table: all[table]}
			if err := p.read(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	if err != nil {
		return err
	}
	for table, keys := range p.wanted {
		for _, k := range keys {
			p.known[table][k.ID()] = found[table][k.ID()]
		}
	}
	return nil
}

// sort sorts a table's sample by what the layout takes its items for.
func (p *prober) sort(table string, s *sampler) {
	t := p.t
	schema := t.SchemaOf(table)
	p.whole[table], p.known[table] = s.whole, map[string]attr.Item{}
	maps.Copy(p.known[table], s.looked)
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
			p.locks[role.Constraint] = append(p.locks[role.Constraint], item)
		case role.Account != nil && role.Constraint == nil:
			p.accounts[role.Account] = append(p.accounts[role.Account], item)
		}
	}
}

// some are the first items of a sample that is not whole: those that are tried.
func (p *prober) some(items []attr.Item, table string) []attr.Item {
	if p.whole[table] && p.whole[p.t.Name] {
		return items
	}
	return items[:min(len(items), triedItems)]
}

// exist tells which of some keys have items. It reports false where that has to be read
// first, and where the budget is not enough for all.
func (p *prober) exist(table string, keys []attr.Key) (map[string]attr.Item, bool) {
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
	// Half a unit each, and more for items of some size.
	if len(ask) > 0 && !p.denied[table] && float64(p.asked+len(ask)) <= p.left {
		p.wanted[table] = append(p.wanted[table], ask...)
		p.asked += len(ask)
	}
	return known, len(ask) == 0
}

// reserved reports whether a lock's account may still come: it says nothing against the
// layout that there is none.
func (p *prober) reserved(r layout.Reservation, lock attr.Item) bool {
	return r.Runs(r.Said(lock), p.now)
}

// evidence counts what speaks for and against one constraint. It reports false, and counts nothing,
// if the budget is not enough.
func (p *prober) evidence(a *layout.Account, c *layout.Constraint, into *layout.Evidence) bool {
	t := p.t
	table := c.LockTable(t.Name)
	e := layout.Evidence{
		Whole: p.whole[t.Name] && p.whole[table], Items: p.items, Lapses: c.Lapses, Held: &layout.LockTraits{},
	}
	for con, locks := range p.locks {
		if con.SamePlace(t.Name, c) {
			for _, item := range locks {
				if p.reserved(con.Reserved, item) {
					e.Reserved++
				} else {
					e.Locks++
				}
			}
		}
	}
	for _, kind := range t.Layout.Holders(t.Name, c) {
		e.Accounts += len(p.accounts[kind])
		e.Kinds++
		e.Clustered = e.Clustered || kind.PK.Constant()
	}
	h, ok := p.hits(a, c, p.some(p.accounts[a], table))
	if !ok {
		p.owners(c, table, &layout.Evidence{}) // what they need is read beside
		return false
	}
	e.Values, e.Claims, e.Locked, e.Met, e.MetRight = h.values, h.claims, len(h.locks), h.met, h.metRight
	for _, item := range h.locks {
		e.Held.Add(maps.All(item), func(name string) bool { return plainLockAttribute(t, c, table, name) })
	}
	p.owners(c, table, &e)
	*into = e
	return true
}
