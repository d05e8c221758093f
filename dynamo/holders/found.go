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

// Found has the results of a Search for one relation's lock. Found is empty if the Search does not look for
// that lock.
type Found struct {
	s   *Search
	rel *verdict.Relation
	of  *target
}

// Claimants returns the first accounts that claim the lock, without their items. more counts the others.
func (c Found) Claimants() (first []schema.Account, more int) {
	if c.of == nil {
		return nil, 0
	}
	m := c.of.seen()
	return m.claimants, m.claiming - len(m.claimants)
}

// Balanced reports Search.Balanced for the lock's constraint. It reports false if Found is empty.
func (c Found) Balanced() bool { return c.of != nil && c.s.Balanced(c.of.con) }

// Holders returns the items that hold the value, besides the accounts that claim the lock. except has the keys of
// accounts that the caller has read itself. If the value is only in the key or in the constraint's attribute of such an
// account, Holders leaves the account out. Close all readers first.
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

// holdings returns the places that hold the value. After a search in every scope for a lock that exists, it adds the
// accounts that hold the value and claim another lock.
func (c Found) holdings() []*verdict.Holding {
	m := c.of.seen()
	if !c.of.anyScope || !c.rel.Lock.Exists {
		return m.holdings
	}
	all := slices.Clone(m.holdings)
	for _, k := range m.callers {
		if !schema.SameLock(k.lock(c.s.v), c.rel.Lock) {
			all = append(all, &verdict.Holding{Place: k.place, N: 1, Keys: []attr.Key{k.account(c.s.v)}})
		}
	}
	return all
}

// sameValue reports whether the target's value and the relation's value may be two forms of one value. If
// the relation's value is a list, one equal member is enough.
func sameValue(g *target, rel *verdict.Relation) (same bool) {
	index := NewIndex()
	index.Add(g.con, g.value, "")
	index.Finder(func(int32) { same = true }).Whole(rel.Text())
	return same
}

// AnyScopeDoubt returns the reason why a value may be in use although the search found no lock in any scope.
// It is empty if the value is certainly not in use.
func (c Found) AnyScopeDoubt() string {
	if c.of == nil {
		return "not every scope was searched"
	}
	con, scope := c.of.con, map[string]string{}
	for _, name := range con.Scope() {
		scope[name] = "1"
	}
	if _, err := con.LockKey(c.s.v.LockSchema(con), c.of.value, scope); err != nil {
		return "the value's lock may look like the lock of another value: " + err.Error()
	}
	return ""
}
