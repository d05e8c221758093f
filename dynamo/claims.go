package dynamo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Claims is what a ClaimScan has found for one lock. It is empty if the scan did not search for
// it.
type Claims struct {
	s   *ClaimScan
	rel *Relation
	of  *target
}

// Of returns what was found for the relation's lock.
func (s *ClaimScan) Of(rel *Relation) Claims {
	if s == nil {
		return Claims{}
	}
	g := s.target(rel.Lock.Table, rel.Lock.Key)
	if g == nil {
		g = s.inAnyScope(rel)
	}
	return Claims{s, rel, g}
}

// Claimants returns the first accounts that claim the lock, without their items, and how many more
// there are.
func (c Claims) Claimants() (first []Account, more int) {
	if c.of == nil {
		return nil, 0
	}
	m := c.of.seen()
	return m.claimants, m.claiming - len(m.claimants)
}

// Balanced is ClaimScan.Balanced for the lock's constraint.
func (c Claims) Balanced() bool { return c.of != nil && c.s.Balanced(c.of.con) }

// Holding is items of one place that hold a value where the layout does not say so.
type Holding struct {
	layout.Place
	// N is how many items do.
	N int
	// Answer is what a person says of such items.
	Answer layout.Answer
	keys   []attr.Key // of some of them
	known  bool       // the layout has all of them as accounts or locks
}

// Key is the key of one of the items.
func (h *Holding) Key() attr.Key { return h.keys[0] }

// String says which items hold the value.
func (h *Holding) String() string {
	if len(h.keys) == 0 {
		return fmt.Sprintf("%s items hold the value in %s", h.Items, h.Attribute)
	}
	at := "in " + h.Attribute
	if h.Attribute == layout.KeyAttribute {
		at = "in its key"
	}
	if h.N > 1 {
		return fmt.Sprintf("%s and %s like it hold the value %s", h.Key(), phrase.Count(h.N-1, "item"), at)
	}
	return fmt.Sprintf("%s holds the value %s", h.Key(), at)
}

// OtherHolders are what holds a value besides the accounts that claim its lock.
type OtherHolders struct {
	// Known are items that hold the value, as a person says.
	Known []*Holding
	// Asks is the first place about which a person has to decide; nil if there is none.
	Asks *Holding
	// All are the places, those about which a person has said that they do not hold it included.
	All []*Holding
	// Overflow says that items of too many shapes hold the value; empty if they do not.
	Overflow string
}

// Keeps says why the lock is kept; empty if nothing holds the value.
func (h OtherHolders) Keeps() string {
	switch {
	case len(h.Known) > 0:
		return h.Known[0].String()
	case h.Asks != nil:
		return h.Asks.String() + ". Does it count?"
	}
	return h.Overflow
}

// Holders returns what else holds the value. It leaves out the key and the constraint's own attribute of
// the items with the keys of except, which the caller has read. All readers must be closed.
func (c Claims) Holders(except ...attr.Key) (h OtherHolders) {
	if c.of == nil {
		return h
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	h.Overflow = c.of.seen().overflow
	for _, found := range c.holdings() {
		one := *found
		one.keys = slices.DeleteFunc(slices.Clone(found.keys), func(k attr.Key) bool {
			return one.Table == c.s.v.AccountTable && (one.Attribute == c.of.con.Attribute || one.Attribute == layout.KeyAttribute) &&
				slices.ContainsFunc(except, k.Equal)
		})
		if one.N -= len(found.keys) - len(one.keys); one.N <= 0 || len(one.keys) == 0 {
			continue
		}
		one.Answer = c.of.con.Answers.Of(one.Place)
		h.All = append(h.All, &one)
	}
	slices.SortFunc(h.All, func(a, b *Holding) int {
		return cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.Items, b.Items),
			strings.Compare(a.Attribute, b.Attribute))
	})
	h.sort()
	return h
}

// holdings are the places of the value. Of a value that was searched for in every scope, those
// accounts hold it that claim another lock than this one.
func (c Claims) holdings() []*Holding {
	m := c.of.seen()
	if !c.of.anyScope || !c.rel.Lock.Exists {
		return m.holdings
	}
	all := slices.Clone(m.holdings)
	for _, k := range m.callers {
		if !samePlace(k.lock(c.s.v), c.rel.Lock) {
			all = append(all, &Holding{Place: k.place, N: 1, keys: []attr.Key{k.account(c.s.v)}})
		}
	}
	return all
}

// sort sorts the places by what people have said of them.
func (h *OtherHolders) sort() {
	h.Known, h.Asks = nil, nil
	for _, one := range h.All {
		switch {
		case one.Answer == layout.Hold:
			h.Known = append(h.Known, one)
		case one.Answer != layout.HoldNot && h.Asks == nil:
			h.Asks = one
		}
	}
}

// outsideLayout returns the holders that the layout has neither as accounts nor as locks.
func (h OtherHolders) outsideLayout() OtherHolders {
	h.All = slices.DeleteFunc(slices.Clone(h.All), func(one *Holding) bool { return one.known })
	h.sort()
	return h
}

// Each calls visit with each place that holds a searched value, and with the value's constraint. All readers
// must be closed.
func (s *ClaimScan) Each(visit func(c *layout.Constraint, h *Holding)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := range s.targets {
		for _, h := range s.targets[n].seen().holdings {
			visit(s.targets[n].con, h)
		}
	}
}

// OtherForm returns the lock that may keep the value of an account without a lock in another form:
// no account claims that lock, and the account holds its value where it holds its own. place says
// where, with the answer. It returns nil if there is no such lock. All readers must be closed.
func (s *ClaimScan) OtherForm(missing *Relation) (lock *Relation, place *Holding) {
	s.formsOf.Do(s.indexOwnForms)
	for _, a := range missing.Claimants[:min(len(missing.Claimants), 1)] {
		for _, at := range s.ownForms[a.Key.ID()] {
			g := &s.targets[at]
			if !s.v.SamePlace(g.con, missing.Constraint) || !sameValue(g, missing) {
				continue
			}
			lock = &Relation{Constraint: g.con, Value: g.value, Lock: Lock{Table: s.v.LockTable(g.con), Key: g.key(s.v)}}
			for _, h := range s.Of(lock).Holders().All {
				if slices.ContainsFunc(h.keys, a.Key.Equal) {
					return lock, h
				}
			}
		}
	}
	return nil, nil
}

// sameValue reports whether a lock may keep the value of a relation in another form, or a part of
// it if the value is a list.
func sameValue(g *target, rel *Relation) (same bool) {
	index := holders.NewIndex()
	index.Add(g.con, g.value, "")
	index.Finder(func(int32) { same = true }).Whole(rel.text())
	return same
}

func (s *ClaimScan) indexOwnForms() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ownForms = map[string][]int32{}
	for at := range s.targets {
		g := &s.targets[at]
		if g.anyScope || len(g.seen().claimants) > 0 {
			continue
		}
		for _, h := range g.seen().holdings {
			own := h.Attribute == g.con.Attribute || below(h.Attribute, g.con.Attribute)
			for _, k := range h.keys {
				if own && h.Table == s.v.AccountTable {
					s.ownForms[k.ID()] = append(s.ownForms[k.ID()], int32(at))
				}
			}
		}
	}
}

// root is the attribute that a path begins in.
func root(path string) string {
	name, _, _ := strings.Cut(path, ".")
	return name
}
