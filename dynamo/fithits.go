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

// hits finds which of the locks exist that items call for, how many different ones
// those are, and how many claims.
func (p *prober) hits(
	a *layout.Account, c *layout.Constraint, items []attr.Item,
) (h hitSet, values, claims int, ok bool) {
	t := p.t
	type call struct {
		item  int
		key   string
		forms []attr.Key
	}
	var calls []call
	keys, different := map[string]attr.Key{}, map[string]bool{}
	table := c.LockTable(t.Name)
	for n, item := range items {
		own, _ := t.Schema.KeyOf(item)
		for _, claim := range a.AppendClaimsOf(nil, c, t.Name, t.SchemaOf, item) {
			// What has the account's own partition key is a part of it, and no lock.
			if claim.Err != nil || (table == t.Name && a.IDInPartition() && claim.Key.Hash.Value.Equal(own.Hash.Value)) {
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
			if item := found[k.ID()]; item != nil && c.Is.Holds(item) {
				h.locks[call.key] = item
				h.items[call.item] = true
			}
		}
	}
	return h, len(different), len(calls), true
}
