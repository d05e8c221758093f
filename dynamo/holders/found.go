package holders

import (
	"cmp"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Found is the finding of a Search for one lock. It is empty if the Search did not search for the lock.
type Found struct {
	s   *Search
	rel *verdict.Relation
	of  *target
}

// Claimants returns the first accounts that claim the lock, without their items, and the number of further
// claimants.
func (c Found) Claimants() (first []schema.Account, more int) {
	if c.of == nil {
		return nil, 0
	}
	m := c.of.seen()
	return m.claimants, m.claiming - len(m.claimants)
}

// Balanced is Search.Balanced for the lock's constraint. It is false if Found is empty.
func (c Found) Balanced() bool { return c.of != nil && c.s.Balanced(c.of.con) }

// Holders returns the other items that hold the value. The caller has read the items with the keys of
// except, so Holders leaves out their keys and their attribute of the constraint. All readers must be
// closed.
func (c Found) Holders(except ...attr.Key) (h verdict.Holders) {
	if c.of == nil {
		return h
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	h.Overflow = c.of.seen().overflow
	for _, found := range c.holdings() {
		one := *found
		one.Keys = slices.DeleteFunc(slices.Clone(found.Keys), func(k attr.Key) bool {
			return one.Table == c.s.v.AccountTable &&
				(one.Attribute == c.of.con.Attribute || one.Attribute == layout.KeyAttribute) &&
				slices.ContainsFunc(except, k.Equal)
		})
		if one.N -= len(found.Keys) - len(one.Keys); one.N <= 0 || len(one.Keys) == 0 {
			continue
		}
		one.Answer = c.of.con.Answers.Of(one.Place)
		h.All = append(h.All, &one)
	}
	slices.SortFunc(h.All, func(a, b *verdict.Holding) int {
		return cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.Items, b.Items),
			strings.Compare(a.Attribute, b.Attribute))
	})
	h.Sort()
	return h
}

// holdings returns the places of the value. If the value was searched for in every scope, the accounts that
// claim another lock than this one are holders, too.
func (c Found) holdings() []*verdict.Holding {
	m := c.of.seen()
	if !c.of.anyScope || !c.rel.Lock.Exists {
		return m.holdings
	}
	all := slices.Clone(m.holdings)
	for _, k := range m.callers {
		if !schema.SamePlace(k.lock(c.s.v), c.rel.Lock) {
			all = append(all, &verdict.Holding{Place: k.place, N: 1, Keys: []attr.Key{k.account(c.s.v)}})
		}
	}
	return all
}

// sameValue reports whether the target's lock may keep the relation's value in another form. If the value
// is a list, a member of the list counts.
func sameValue(g *target, rel *verdict.Relation) (same bool) {
	index := NewIndex()
	index.Add(g.con, g.value, "")
	index.Finder(func(int32) { same = true }).Whole(rel.Text())
	return same
}

// AnyScopeDoubt says why it is unknown whether a value is free that has no lock in any scope; empty if it
// is known.
func (c Found) AnyScopeDoubt() string {
	if c.of == nil {
		return "it was not looked for in every scope"
	}
	con, scope := c.of.con, map[string]string{}
	for _, name := range con.Scope() {
		scope[name] = "1"
	}
	if _, err := con.LockKey(c.s.v.LockSchema(con), c.of.value, scope); err != nil {
		return "a lock of it may read as one of another value: " + err.Error()
	}
	return ""
}
