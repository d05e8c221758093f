package holders

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// A Search reads every item of some tables and finds the holders of the values of some locks: the accounts
// that claim a lock, and every other item that holds its value anywhere, in any spelling and form. It is
// safe for concurrent use: each goroutine has a Reader.
type Search struct {
	v       *schema.View
	targets []target
	index   *Index
	// anyScope are the indexes of the targets whose lock keys need more than the value.
	anyScope []int32
	// digests: a target may keep a digest, so the Search compares the keys of locks and claims.
	digests bool
	// claimsKnown: the caller knows which accounts claim the locks.
	claimsKnown bool
	// held are the traits of the locks that accounts claim, by constraint.
	held map[*layout.Constraint]*layout.LockTraits
	// saw is called with the Region of an item's last change, if the item names it.
	saw func(table, region string)

	// ownForms finds targets by an account's key: the account holds the target's value in the attribute of
	// its own values. indexOwnForms fills it when it is first needed.
	ownForms map[string][]int32
	formsOf  sync.Once

	mu       sync.Mutex
	accounts int
	locks    map[*layout.Constraint]int
	balance  map[*layout.Constraint]uint64
	// others are the traits of the locks that were read and are not targets.
	others map[*layout.Constraint]*layout.LockTraits
}

// Reader makes a reader. The reader's Close adds its counts to the Search.
func (s *Search) Reader() *Reader {
	r := &Reader{
		s: s, one: new(oneValue), balance: map[*layout.Constraint]uint64{}, locks: map[*layout.Constraint]int{},
		others: map[*layout.Constraint]*layout.LockTraits{}, plain: map[string]bool{},
	}
	r.finder = s.index.Finder(r.hit)
	r.one.finder = s.index.Finder(func(at int32) { r.one.found = r.one.found || at == r.one.want })
	return r
}

// Of returns the findings for the relation's lock.
func (s *Search) Of(rel *verdict.Relation) Found {
	if s == nil {
		return Found{}
	}
	g := s.target(rel.Lock.Table, rel.Lock.Key)
	if g == nil {
		g = s.inAnyScope(rel)
	}
	return Found{s, rel, g}
}

// Each calls visit with each place that holds a searched value, and with the value's constraint. All readers
// must be closed.
func (s *Search) Each(visit func(c *layout.Constraint, h *verdict.Holding)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := range s.targets {
		for _, h := range s.targets[n].seen().holdings {
			visit(s.targets[n].con, h)
		}
	}
}

// OtherForm returns the lock that may keep another form of the value of an account without a lock. No
// account claims that lock, and the account holds the lock's value in the attribute of its own values.
// place is that place with its answer. OtherForm returns nil if there is no such lock. All readers must be
// closed.
func (s *Search) OtherForm(missing *verdict.Relation) (lock *verdict.Relation, place *verdict.Holding) {
	s.formsOf.Do(s.indexOwnForms)
	for _, a := range missing.Claimants[:min(len(missing.Claimants), 1)] {
		for _, at := range s.ownForms[a.Key.ID()] {
			g := &s.targets[at]
			if !s.v.SamePlace(g.con, missing.Constraint) || !sameValue(g, missing) {
				continue
			}
			at := schema.Lock{Table: s.v.LockTable(g.con), Key: g.key(s.v)}
			lock = &verdict.Relation{Constraint: g.con, Value: g.value, Lock: at}
			for _, h := range s.Of(lock).Holders().All {
				if slices.ContainsFunc(h.Keys, a.Key.Equal) {
					return lock, h
				}
			}
		}
	}
	return nil, nil
}

func (s *Search) indexOwnForms() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ownForms = map[string][]int32{}
	for at := range s.targets {
		g := &s.targets[at]
		if g.anyScope || len(g.seen().claimants) > 0 {
			continue
		}
		for _, h := range g.seen().holdings {
			own := h.Attribute == g.con.Attribute || schema.Below(h.Attribute, g.con.Attribute)
			for _, k := range h.Keys {
				if own && h.Table == s.v.AccountTable {
					s.ownForms[k.ID()] = append(s.ownForms[k.ID()], int32(at))
				}
			}
		}
	}
}

// NewSearch starts a search for the values of locks. It keeps the texts of the locks' keys, and no
// relations. held are the known traits of the locks that accounts claim. saw is called with the Region of
// an item's last change, if the item names it.
func NewSearch(
	v *schema.View, held map[*layout.Constraint]*layout.LockTraits, saw func(table, region string),
	rels iter.Seq[*verdict.Relation],
) *Search {
	s := &Search{
		v: v, index: NewIndex(), locks: map[*layout.Constraint]int{}, balance: map[*layout.Constraint]uint64{},
		held: held, saw: saw, others: map[*layout.Constraint]*layout.LockTraits{},
	}
	for rel := range rels {
		if rel.Impossible == nil {
			lock := rel.Lock
			at := s.add(target{
				con: rel.Constraint, value: rel.Value, hash: lock.Key.Hash.Value.Text, sort: lock.Key.Range.Value.Text,
			}, rel.Typed)
			s.index.AddLock(at, schema.LockID(lock.Table, lock.Key))
		}
	}
	return s
}

func (s *Search) add(g target, typed string) int32 {
	s.targets = append(s.targets, g)
	s.digests = s.digests || g.con.KeepsDigest(g.value)
	return s.index.Add(g.con, g.value, typed)
}

func (s *Search) target(table string, key attr.Key) *target {
	for at := range s.index.ByLock(schema.LockID(table, key)) {
		if g := &s.targets[at]; g.is(s.v, table, key) {
			return g
		}
	}
	return nil
}

// ClaimsKnown turns off the matching of claims by the keys of their locks. The caller, a check, has added
// up all claims already and need not render them again. The search then misses an account that claims a
// lock without holding a text of its value.
func (s *Search) ClaimsKnown() { s.claimsKnown = true }

// Empty reports whether the search has no targets.
func (s *Search) Empty() bool { return len(s.targets) == 0 }

// Counts returns the numbers of accounts and of the constraint's locks that were read. All readers must be
// closed.
func (s *Search) Counts(c *layout.Constraint) (accounts, locks int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for own, n := range s.locks {
		if s.v.SamePlace(own, c) {
			locks += n
		}
	}
	return s.accounts, locks
}

// Balanced reports whether the constraint's locks and the accounts' claims match one to one. It leaves out
// the locks that are searched for. All readers must be closed.
func (s *Search) Balanced(c *layout.Constraint) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := uint64(0)
	for own, n := range s.balance {
		if s.v.SamePlace(own, c) {
			sum += n
		}
	}
	return s.digests && !s.claimsKnown && sum == 0
}

// OtherLocks returns the traits of the locks of a constraint that were read and are not searched
// for. All readers must be closed.
func (s *Search) OtherLocks(c *layout.Constraint) *layout.LockTraits {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := new(layout.LockTraits)
	for own, traits := range s.others {
		if s.v.SamePlace(own, c) {
			all.Merge(traits)
		}
	}
	return all
}

// target is one lock that a Search searches for. It is small, since a Search may have very many targets.
type target struct {
	con        *layout.Constraint
	value      string // as in the lock's key
	hash, sort string // the lock's key; empty if anyScope
	met        *met   // nil until an item is found
	anyScope   bool
}

// met collects the findings for a target.
type met struct {
	claimants []schema.Account // the first claimants, without their items
	claiming  int              // the number of all claimants
	holdings  []*verdict.Holding
	// callers are the accounts that hold the value in some scope, with the locks that they claim. Only
	// targets of any scope have callers.
	callers []caller
	// overflow says that items of too many places hold the value; empty if all places are kept.
	overflow string
}

// caller is an account that holds a value, with the lock that it claims. It takes few bytes.
type caller struct {
	con                      *layout.Constraint
	hash, sort               string // the key of the lock
	accountHash, accountSort string
	place                    layout.Place
}

// none is the empty met of a target without findings.
var none = new(met)

// seen returns the target's findings for reading.
func (g *target) seen() *met {
	if g.met == nil {
		return none
	}
	return g.met
}

// meet returns the target's findings for writing, and creates them if needed.
func (g *target) meet() *met {
	if g.met == nil {
		g.met = new(met)
	}
	return g.met
}

// Limits of the findings for one value.
const (
	MostHoldings  = 1000 // places
	MostClaimants = 100
	mostCallers   = 100
	mostExamples  = 8 // example keys of a place
)

// claim adds an account that claims the lock.
func (m *met) claim(a schema.Account) {
	if m.claiming++; m.claiming <= MostClaimants {
		m.claimants = append(m.claimants, schema.Account{Model: a.Model, ID: strings.Clone(a.ID), Key: a.Key.Clone()})
	}
}

// hold adds an item that holds the value. known: the layout has the item as an account or a lock.
func (m *met) hold(place layout.Place, key attr.Key, known bool) {
	for _, h := range m.holdings {
		if h.Place == place {
			h.Known = h.Known && known
			if h.N++; len(h.Keys) < mostExamples {
				h.Keys = append(h.Keys, key.Clone())
			}
			return
		}
	}
	if len(m.holdings) == MostHoldings {
		m.overflow = fmt.Sprintf("items of more than %d shapes hold it, %s among them", MostHoldings, key)
		return
	}
	m.holdings = append(m.holdings, &verdict.Holding{Place: place, N: 1, Keys: []attr.Key{key.Clone()}, Known: known})
}

// is reports whether the target is the lock with this key.
func (g *target) is(v *schema.View, table string, key attr.Key) bool {
	return !g.anyScope && v.LockTable(g.con) == table && g.key(v).Equal(key)
}

func (g *target) key(v *schema.View) attr.Key { return v.LockSchema(g.con).KeyFrom(g.hash, g.sort) }

// callerOf copies the texts, since a text of an item would keep the whole item in memory.
func callerOf(claim layout.Claim, account attr.Key, place layout.Place) caller {
	return caller{
		claim.Constraint, strings.Clone(claim.Key.Hash.Value.Text), strings.Clone(claim.Key.Range.Value.Text),
		strings.Clone(account.Hash.Value.Text), strings.Clone(account.Range.Value.Text), place,
	}
}

func (k caller) lock(v *schema.View) schema.Lock {
	return schema.Lock{Table: v.LockTable(k.con), Key: v.LockSchema(k.con).KeyFrom(k.hash, k.sort)}
}

func (k caller) account(v *schema.View) attr.Key {
	return v.AccountSchema().KeyFrom(k.accountHash, k.accountSort)
}

// SearchAnyScope adds a value to search for in every scope. Its lock key needs more than the value.
func (s *Search) SearchAnyScope(rel *verdict.Relation) {
	at := s.add(target{con: rel.Constraint, value: rel.Value, anyScope: true}, rel.Typed)
	s.anyScope = append(s.anyScope, at)
}

// inAnyScope returns the target with the relation's value, or else a target whose value differs only in
// spelling.
func (s *Search) inAnyScope(rel *verdict.Relation) *target {
	var alike *target
	for _, at := range s.anyScope {
		g := &s.targets[at]
		switch c := g.con; {
		case !s.v.SamePlace(c, rel.Constraint):
		case g.value == rel.Value && c == rel.Constraint:
			return g
		case alike == nil && c.Spelling(rel.Value) == c.Spelling(g.value):
			alike = g
		}
	}
	return alike
}

// spells reports whether a claim's value is a spelling of the target's value.
func (g *target) spells(claim layout.Claim) bool {
	raw, folded := layout.Fold(claim.Raw), g.con.Spelling(g.value)
	return raw == folded || raw == layout.Fold(g.value) || claim.Constraint.Spelling(claim.Value) == folded
}

// called adds the locks that an account claims with the target's value in any scope. It reports whether the
// account claims such a lock.
func (g *target) called(v *schema.View, claims []layout.Claim, account attr.Key, place layout.Place) bool {
	found := false
	for _, claim := range claims {
		if claim.Err != nil || !v.SamePlace(claim.Constraint, g.con) || !g.spells(claim) {
			continue
		}
		found = true
		k := callerOf(claim, account, place)
		if m := g.meet(); len(m.callers) < mostCallers && !slices.Contains(m.callers, k) {
			m.callers = append(m.callers, k)
		}
	}
	return found
}

// Callers returns the keys of the accounts that claim the lock with a value that is searched for in every
// scope.
func (s *Search) Callers(lock schema.Lock) (accounts []attr.Key) {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.anyScope {
		for _, k := range s.targets[at].seen().callers {
			if schema.SamePlace(k.lock(s.v), lock) {
				accounts = append(accounts, k.account(s.v))
			}
		}
	}
	return accounts
}
