package dynamo

import (
	"maps"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// hitSet is what the claims of some items hit.
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

// hits finds which of the locks exist that items call for, how many different ones
// those are, and how many claims.
func (p *prober) hits(r layout.Reading, items []attr.Item) (h hitSet, values, claims int, ok bool) {
	t := p.t
	type call struct {
		item  int
		key   string
		forms []attr.Key
	}
	var calls []call
	keys, different := map[string]attr.Key{}, map[string]bool{}
	table := r.LockTable(t.Name)
	for n, item := range items {
		own, _ := t.Schema.KeyOf(item)
		for _, claim := range r.Claims(t.Name, t.SchemaOf, item) {
			// What has the account's own partition key is a part of it, and no lock.
			if claim.Err != nil || (table == t.Name && r.IDInPartition() && claim.Key.Hash.Value.Equal(own.Hash.Value)) {
				continue
			}
			id := claim.Key.ID()
			calls, different[id] = append(calls, call{n, id, claim.Keys()}), true
			for _, k := range claim.Keys() {
				keys[k.ID()] = k
			}
		}
	}
	var ask []attr.Key
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		ask = append(ask, keys[id])
	}
	found, ok := p.exist(table, ask)
	h = hitSet{map[string]attr.Item{}, map[int]bool{}}
	if !ok {
		return h, 0, 0, false
	}
	for _, call := range calls {
		for _, k := range call.forms {
			if item := found[k.ID()]; item != nil && r.IsLock(item) && !(r.Another && p.reserved(r.Reservation(), item)) {
				h.locks[call.key] = item
				h.items[call.item] = true
			}
		}
	}
	return h, len(different), len(calls), true
}

// better is the reading that explains more than the layout: it hits all that the layout
// hits, and at least two values more.
func (p *prober) better(
	a *layout.Account, c *layout.Constraint, e layout.Evidence, own hitSet,
) (best layout.Alternative) {
	t := p.t
	table := c.LockTable(t.Name)
	for _, r := range t.Layout.Readings(a, c, t.Name, t.SchemaOf, p.Sorted) {
		if r.Another && !e.Whole && e.Accounts > 0 {
			continue // of two samples neither holds what the other does
		}
		items := p.some(r.Items, table)
		if missed := own.missed(items); !r.Another && !e.Whole && len(missed) >= 2 {
			h, _, _, ok := p.hits(r, missed)
			if !ok || len(h.items) < 2 {
				continue // it explains none of what the layout does not
			}
		}
		h, values, claims, ok := p.hits(r, items)
		if !ok {
			continue
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
		if covers && (more >= layout.EnoughBetter || (cleaner && r.Another && more >= 0 && len(h.locks) > 0)) &&
			len(h.locks) > best.Fits {
			best = layout.Alternative{Line: r.Line, At: r.At, Fits: len(h.locks), Of: values}
		}
	}
	return best
}
