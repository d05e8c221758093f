package dynamo

import (
	"iter"
	"slices"
	"sync"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
)

// ClaimScan takes in every item of some tables and finds who holds the values of some locks: the
// accounts that claim a lock, and every other item that holds its value anywhere, in any
// spelling and form. It is safe for concurrent use: each goroutine has a ClaimReader.
type ClaimScan struct {
	t       *Table
	targets []target
	index   *holders.Index
	// anyScope are the targets whose lock keys need more than the value.
	anyScope []int32
	// digests: a target may keep a digest, so the keys of locks and claims are compared.
	digests bool
	// claimsKnown: the caller knows which accounts claim the locks.
	claimsKnown bool
	// held are the traits of locks that accounts claim, from the sample.
	held map[*layout.Constraint]*layout.LockTraits

	// ownForms finds by an account's key the targets whose value it holds in another form where it
	// holds its own values; made when it is first needed.
	ownForms map[string][]int32
	formsOf  sync.Once

	mu       sync.Mutex
	accounts int
	locks    map[*layout.Constraint]int
	balance  map[*layout.Constraint]uint64
	// others are the traits of the locks that were read and are no targets.
	others map[*layout.Constraint]*layout.LockTraits
}

// ClaimScan starts a search for the values of locks.
func (t *Table) ClaimScan(rels ...*Relation) *ClaimScan { return t.ClaimScanOf(slices.Values(rels)) }

// ClaimScanOf is ClaimScan for very many locks. It keeps the texts of their keys, and no
// relations.
func (t *Table) ClaimScanOf(rels iter.Seq[*Relation]) *ClaimScan {
	s := &ClaimScan{
		t: t, index: holders.NewIndex(), locks: map[*layout.Constraint]int{}, balance: map[*layout.Constraint]uint64{},
		held: map[*layout.Constraint]*layout.LockTraits{}, others: map[*layout.Constraint]*layout.LockTraits{},
	}
	for _, c := range t.Layout.Constraints() {
		s.held[c] = t.Fit.Of(c).Held
	}
	for rel := range rels {
		if rel.err == nil {
			lock := rel.Lock
			at := s.add(target{
				con: rel.Constraint, value: rel.Value, hash: lock.Key.Hash.Value.Text, sort: lock.Key.Range.Value.Text,
			}, rel.Typed)
			s.index.AddLock(at, lockID(lock.Table, lock.Key))
		}
	}
	return s
}

func (s *ClaimScan) add(g target, typed string) int32 {
	s.targets = append(s.targets, g)
	s.digests = s.digests || g.con.KeepsDigest(g.value)
	return s.index.Add(g.con, g.value, typed)
}

// target returns the target of a lock; nil if there is none.
func (s *ClaimScan) target(table string, key attr.Key) *target {
	for at := range s.index.ByLock(lockID(table, key)) {
		if g := &s.targets[at]; g.is(s.t, table, key) {
			return g
		}
	}
	return nil
}

// ClaimsKnown leaves out the accounts that claim a lock by a key of which they hold no text: a
// check has added up all claims, and need not render each again.
func (s *ClaimScan) ClaimsKnown() { s.claimsKnown = true }

// Empty reports whether there is nothing to search for.
func (s *ClaimScan) Empty() bool { return len(s.targets) == 0 }

// Counts returns how many accounts and locks of a constraint were read. All readers must be
// closed.
func (s *ClaimScan) Counts(c *layout.Constraint) (accounts, locks int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for own, n := range s.locks {
		if own.SamePlace(s.t.Name, c) {
			locks += n
		}
	}
	return s.accounts, locks
}

// Balanced reports whether each lock of a constraint that was read, but for those that are searched
// for, is the lock of just one account, and each account has its lock. All readers must be closed.
func (s *ClaimScan) Balanced(c *layout.Constraint) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := uint64(0)
	for own, n := range s.balance {
		if own.SamePlace(s.t.Name, c) {
			sum += n
		}
	}
	return s.digests && !s.claimsKnown && sum == 0
}

// OtherLocks returns the traits of the locks of a constraint that were read and are not searched
// for. All readers must be closed.
func (s *ClaimScan) OtherLocks(c *layout.Constraint) *layout.LockTraits {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := new(layout.LockTraits)
	for own, traits := range s.others {
		if own.SamePlace(s.t.Name, c) {
			all.Merge(traits)
		}
	}
	return all
}
