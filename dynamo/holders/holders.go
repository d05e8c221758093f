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

// A Search looks for the values of some locks in the items that its caller passes to a Reader. For each lock, it finds
// the accounts that claim the lock, and all other items that hold the lock's value in any spelling or form. A Search is
// safe for concurrent use, with a Reader for each goroutine.
type Search struct {
	v       *schema.View
	targets []target
	index   *Index
	// anyScope has the indexes of the targets that SearchAnyScope added. Their scope is unknown.
	anyScope []int32
	// digests is set if a target's value may be a digest. Only then does the Search add up the hashes of locks and claims,
	// for Balanced.
	digests bool
	// claimsKnown is set if the caller already knows which accounts claim the locks.
	claimsKnown bool
	// held has the traits of the locks that accounts claim, by constraint.
	held map[*layout.Constraint]*layout.LockTraits
	// saw is called with the Region of an item's last change, if the item has that attribute.
	saw func(table, region string)

	// ownForms is an index for OtherForm, by the ID of an account's key. Its entries are indexes of targets. No account
	// claims such a target, but the account with this key has the target's value in the constraint's attribute.
	// indexOwnForms fills the map on first use.
	ownForms map[string][]int32
	formsOf  sync.Once

	mu       sync.Mutex
	accounts int
	locks    map[*layout.Constraint]int
	balance  map[*layout.Constraint]uint64
	// others has the traits of all locks that were read, except the targets.
	others map[*layout.Constraint]*layout.LockTraits
}

// Reader makes a reader for one goroutine. The reader's Close adds the reader's counts to the Search.
func (s *Search) Reader() *Reader {
	r := &Reader{
		s: s, one: new(oneValue), balance: map[*layout.Constraint]uint64{}, locks: map[*layout.Constraint]int{},
		others: map[*layout.Constraint]*layout.LockTraits{}, plain: map[string]bool{},
	}
	r.finder = s.index.Finder(r.hit)
	r.one.finder = s.index.Finder(func(at int32) { r.one.found = r.one.found || at == r.one.want })
	return r
}

// Of returns the results for the relation's lock.
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

// Each calls visit for each place that holds a value of a target, with the target's constraint. Close all
// readers first.
func (s *Search) Each(visit func(c *layout.Constraint, h *verdict.Holding)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := range s.targets {
		for _, h := range s.targets[n].seen().holdings {
			visit(s.targets[n].con, h)
		}
	}
}

// OtherForm looks for a lock that may be the missing lock of an account, in another form. No account claims such a
// lock, and the account has the lock's value in the constraint's attribute. place is the Holding of this attribute,
// with a person's answer about it. Both results are nil if there is no such lock. Close all readers first.
func (s *Search) OtherForm(missing *verdict.Relation) (lock *verdict.Relation, place *verdict.Holding) {
	s.formsOf.Do(s.indexOwnForms)
	for _, a := range missing.Claimants[:min(len(missing.Claimants), 1)] {
		for _, at := range s.ownForms[a.Key.ID()] {
			g := &s.targets[at]
			if !s.v.SharesKeys(g.con, missing.Constraint) || !sameValue(g, missing) {
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

// NewSearch starts a search for the locks of rels. The search keeps the texts of the locks' keys, but not
// the relations. held has the traits of the locks that accounts claim. saw is called with the Region of an
// item's last change, if the item has that attribute.
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
			if at := s.same(rel); at >= 0 {
				s.index.AddTyped(at, rel.Typed)
				continue
			}
			at := s.add(target{
				con: rel.Constraint, value: rel.Value, hash: lock.Key.Hash.Value.Text, sort: lock.Key.Range.Value.Text,
			}, rel.Typed)
			s.index.AddLock(at, schema.LockID(lock.Table, lock.Key))
			s.addKeys(at, rel.Constraint, lock.Key)
		}
	}
	return s
}

// addKeys adds the parts of a lock's key that contain its value, in all forms of the key. Other parts, such as the sort
// key "LOCK", may contain a short value by chance.
func (s *Search) addKeys(at int32, con *layout.Constraint, lock attr.Key) {
	inHash, inSort := false, false
	for _, form := range append([]layout.LockKeys{con.LockKeys}, con.Also...) {
		inHash = inHash || form.PK.Uses(layout.ValueVariable)
		inSort = inSort || form.SK.Uses(layout.ValueVariable)
	}
	for _, key := range con.Forms(lock) {
		if inHash {
			s.index.AddKey(at, key.Hash.Value.Text)
		}
		if inSort {
			s.index.AddKey(at, key.Range.Value.Text)
		}
	}
}

func (s *Search) add(g target, typed string) int32 {
	s.targets = append(s.targets, g)
	s.digests = s.digests || g.con.KeepsDigest(g.value)
	return s.index.Add(g.con, g.value, typed)
}

// same returns the index of the target with the lock, the constraint and the value of rel; −1 if there is none.
func (s *Search) same(rel *verdict.Relation) int32 {
	for at := range s.index.ByLock(schema.LockID(rel.Lock.Table, rel.Lock.Key)) {
		g := &s.targets[at]
		if g.con == rel.Constraint && g.value == rel.Value && g.is(s.v, rel.Lock.Table, rel.Lock.Key) {
			return at
		}
	}
	return -1
}

func (s *Search) target(table string, key attr.Key) *target {
	for at := range s.index.ByLock(schema.LockID(table, key)) {
		if g := &s.targets[at]; g.is(s.v, table, key) {
			return g
		}
	}
	return nil
}

// ClaimsKnown tells the search not to compare the keys of claims with the locks. A check calls ClaimsKnown, since the
// check has already compared all claims. The search then misses an account that claims a lock if no text of the account
// contains the lock's value.
func (s *Search) ClaimsKnown() { s.claimsKnown = true }

// Empty reports whether the search has no lock to look for.
func (s *Search) Empty() bool { return len(s.targets) == 0 }

// Counts returns the number of accounts, and of locks of the constraint, that were read. Close all readers
// first.
func (s *Search) Counts(c *layout.Constraint) (accounts, locks int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for own, n := range s.locks {
		if s.v.SharesKeys(own, c) {
			locks += n
		}
	}
	return s.accounts, locks
}

// Balanced reports whether the accounts' claims match the constraint's other locks one to one. Other locks
// are the locks that the search does not look for. If claims and other locks match, every account has its
// lock among the other locks, so no account needs a lock that the search looks for. Balanced reports false
// if no value may be a digest, or after ClaimsKnown. Close all readers first.
func (s *Search) Balanced(c *layout.Constraint) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := uint64(0)
	for own, n := range s.balance {
		if s.v.SharesKeys(own, c) {
			sum += n
		}
	}
	return s.digests && !s.claimsKnown && sum == 0
}

// OtherLocks returns the traits of the constraint's locks that were read, without the locks that the search
// looks for. Close all readers first.
func (s *Search) OtherLocks(c *layout.Constraint) *layout.LockTraits {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := new(layout.LockTraits)
	for own, traits := range s.others {
		if s.v.SharesKeys(own, c) {
			all.Merge(traits)
		}
	}
	return all
}

// target is a lock that the Search looks for. The struct is small, since there may be very many targets.
type target struct {
	con        *layout.Constraint
	value      string // the value in the lock's key
	hash, sort string // the parts of the lock's key; empty if anyScope
	met        *met   // the results; nil until an item is found
	anyScope   bool
}

// met has the results for a target: the accounts and items that hold its value.
type met struct {
	claimants []schema.Account // the first claimants, without their items
	claiming  int              // counts all claimants
	holdings  []*verdict.Holding
	// callers are the accounts that hold the value in some scope, with the locks that they claim. Only the
	// targets of SearchAnyScope have callers.
	callers []caller
	// overflow says that more places hold the value than holdings can list. It is empty if holdings is
	// complete.
	overflow string
}

// caller is an account that holds a value, and the lock that the account claims. The struct has only texts,
// to save memory.
type caller struct {
	con                      *layout.Constraint
	hash, sort               string // the keys of the lock
	accountHash, accountSort string
	place                    layout.Place
}

// none has the results of a target that no item holds. It must not be changed.
var none = new(met)

// seen returns the results for the target. The caller must only read them.
func (g *target) seen() *met {
	if g.met == nil {
		return none
	}
	return g.met
}

// meet returns the results for the target. The caller may change them.
func (g *target) meet() *met {
	if g.met == nil {
		g.met = new(met)
	}
	return g.met
}

// The limits of the results for one target.
const (
	MostHoldings  = 1000 // places that hold the value
	MostClaimants = 100
	mostCallers   = 100
	mostExamples  = 8 // keys of each place
)

// claim adds an account that claims the target's lock.
func (m *met) claim(a schema.Account) {
	if m.claiming++; m.claiming <= MostClaimants {
		m.claimants = append(m.claimants, schema.Account{Model: a.Model, ID: strings.Clone(a.ID), Key: a.Key.Clone()})
	}
}

// hold adds an item that holds the target's value. known is true if the item is an account or a lock of the
// layout.
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
		m.overflow = fmt.Sprintf("items of more than %d shapes hold the value, such as %s", MostHoldings, key)
		return
	}
	m.holdings = append(m.holdings, &verdict.Holding{Place: place, N: 1, Keys: []attr.Key{key.Clone()}, Known: known})
}

// is reports whether the target's lock has this key in this table.
func (g *target) is(v *schema.View, table string, key attr.Key) bool {
	return !g.anyScope && v.LockTable(g.con) == table && g.key(v).Equal(key)
}

func (g *target) key(v *schema.View) attr.Key { return v.LockSchema(g.con).KeyFrom(g.hash, g.sort) }

// callerOf copies the texts of the keys. Without copies, the texts would keep whole items in memory.
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

// SearchAnyScope adds a lock whose scope is unknown. The search looks for the lock's value in every scope.
func (s *Search) SearchAnyScope(rel *verdict.Relation) {
	at := s.add(target{con: rel.Constraint, value: rel.Value, anyScope: true}, rel.Typed)
	s.anyScope = append(s.anyScope, at)
}

// inAnyScope looks among the targets that SearchAnyScope added. It returns the target with the relation's
// constraint and value. If there is none, it returns a target with the same lock keys and another spelling
// of the value.
func (s *Search) inAnyScope(rel *verdict.Relation) *target {
	var alike *target
	for _, at := range s.anyScope {
		g := &s.targets[at]
		switch c := g.con; {
		case !s.v.SharesKeys(c, rel.Constraint):
		case g.value == rel.Value && c == rel.Constraint:
			return g
		case alike == nil && c.Spelling(rel.Value) == c.Spelling(g.value):
			alike = g
		}
	}
	return alike
}

// spells reports whether a claim's value is the target's value in any spelling.
func (g *target) spells(claim layout.Claim) bool {
	raw, folded := layout.Fold(claim.Raw), g.con.Spelling(g.value)
	return raw == folded || raw == layout.Fold(g.value) || claim.Constraint.Spelling(claim.Value) == folded
}

// called looks for claims of the account that have the target's value. For each claim, it adds the account
// and the claimed lock to callers. It reports whether there is such a claim.
func (g *target) called(v *schema.View, claims []layout.Claim, account attr.Key, place layout.Place) bool {
	found := false
	for _, claim := range claims {
		if claim.Err != nil || !v.SharesKeys(claim.Constraint, g.con) || !g.spells(claim) {
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

// Callers returns the keys of the accounts that claim this lock. The result is empty unless SearchAnyScope
// added the lock's value.
func (s *Search) Callers(lock schema.Lock) (accounts []attr.Key) {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.anyScope {
		for _, k := range s.targets[at].seen().callers {
			if schema.SameLock(k.lock(s.v), lock) {
				accounts = append(accounts, k.account(s.v))
			}
		}
	}
	return accounts
}
