package dynamo

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// ClaimScan takes in every item of the tables that a layout names, and finds who holds
// the values of some locks: the accounts that call for them, and every other item that
// holds such a value anywhere, in whatever spelling. It does not rest on the layout's
// word for what an account is: an item is passed over only where it is a lock as locks
// that are held look. It is safe for concurrent use, by readers of their own.
type ClaimScan struct {
	t       *Table
	targets *targetSet
	// anyScope are the targets whose locks' keys need more than the value: what holds it
	// is looked for in every scope.
	anyScope []int32
	words    []word // what is searched in longer texts, too
	// claimsKnown: who looks has its own way of knowing which accounts call for the locks.
	claimsKnown bool
	compare     bool // what items of each shape hold is asked for by itself
	// held are the attributes that locks have which an account calls for.
	held map[*layout.Constraint]map[string]bool

	mu     sync.Mutex
	read   map[string]bool // tables that were
	shapes shapeValues
	// accounts and locks are how many were taken in, the latter by constraint.
	accounts int
	locks    map[*layout.Constraint]int
	calls    map[*layout.Constraint]int // how many locks the accounts call for, unless claimsKnown
}

// Claimant is a lock and an account that calls for it.
type Claimant struct {
	Lock    Lock
	Account attr.Key
}

// mostSpellings is how many spellings of one value are told apart, and mostSightings how
// many shapes of items that hold it.
const (
	mostSpellings = 100
	mostSightings = 32
	// fewTargets is how many values are searched in longer texts, too.
	fewTargets = 8
)

// word is a target by its value's spelling.
type word struct {
	folded string
	at     int32
}

// ClaimScan begins to ask about locks.
func (t *Table) ClaimScan(rels ...*Relation) *ClaimScan { return t.ClaimScanOf(slices.Values(rels)) }

// ClaimScanOf is ClaimScan of very many locks: it keeps the texts of their keys, and no
// relations.
func (t *Table) ClaimScanOf(rels iter.Seq[*Relation]) *ClaimScan {
	s := &ClaimScan{t: t, targets: newTargetSet(), read: map[string]bool{}, held: map[*layout.Constraint]map[string]bool{}, locks: map[*layout.Constraint]int{}, calls: map[*layout.Constraint]int{}}
	for _, c := range t.Layout.Constraints() {
		s.held[c] = t.Fit.Of(c).HeldAttributes
	}
	for rel := range rels {
		if rel.err == nil {
			s.search(s.targets.addLock(rel))
		}
	}
	s.shapes.fill(s)
	return s
}

// search has a target's value searched in longer texts, where the targets are few.
func (s *ClaimScan) search(at int32) {
	if len(s.targets.all) > fewTargets {
		s.words = nil
		return
	}
	g := &s.targets.all[at]
	if folded := g.con.Spelling(g.value); folded != "" {
		s.words = append(s.words, word{folded, at})
	}
}

// ClaimsKnown leaves out the accounts that call for a lock by a key in which no text of
// theirs stands: a check has summed up all calls, and need not render each again.
func (s *ClaimScan) ClaimsKnown() { s.claimsKnown = true }

// Empty reports whether there is nothing to ask.
func (s *ClaimScan) Empty() bool { return len(s.targets.all) == 0 && !s.compare }

func (s *ClaimScan) target(rel *Relation) *target {
	if g := s.targets.of(s.t, rel.Lock.Table, rel.Lock.Key); g != nil {
		return g
	}
	return s.inAnyScope(rel)
}

// Claimants are the accounts seen that call for the relation's lock.
func (s *ClaimScan) Claimants(rel *Relation) []Account {
	if g := s.target(rel); g != nil {
		return g.seen().claimants
	}
	return nil
}

// Mentions is how many longer texts contain the value, where that was counted: they
// never keep a lock from being released.
func (s *ClaimScan) Mentions(rel *Relation) int {
	if g := s.target(rel); g != nil {
		return g.seen().mentions
	}
	return 0
}

// SeenDoubt says why nothing may be concluded from no account calling for the lock, by
// what was taken in alone; it is empty where nothing speaks against it.
func (s *ClaimScan) SeenDoubt(rel *Relation) string {
	g := s.target(rel)
	if g == nil {
		return ""
	}
	if doubt := g.seen().doubt; doubt != "" {
		return doubt
	}
	if h := Undecided(s.Sightings(rel)); h != nil {
		return h.String()
	}
	return ""
}

// Doubt is SeenDoubt, and reads the locks of values that differ in spelling or scope
// only, but for those of the accounts that are settled.
func (s *ClaimScan) Doubt(ctx context.Context, rel *Relation, settled ...attr.Key) (string, error) {
	return s.readDoubt(ctx, s.t.conn.Reader(), rel, settled)
}

func (s *ClaimScan) readDoubt(ctx context.Context, r *client.Reader, rel *Relation, settled []attr.Key) (string, error) {
	g := s.target(rel)
	if doubt := s.SeenDoubt(rel); g == nil || doubt != "" {
		return doubt, nil
	}
	for _, one := range g.seen().spellings {
		k := one.claimant(s.t)
		if slices.ContainsFunc(settled, k.Account.Equal) {
			continue
		}
		found, err := r.Get(ctx, k.Lock.Table, []attr.Key{k.Lock.Key}, true)
		if err != nil {
			return "", err
		}
		if len(found) == 0 {
			return fmt.Sprintf("%s holds it in another spelling or scope and has no lock of its own: the application may not keep those apart, as the layout does", k.Account), nil
		}
	}
	return "", nil
}

// Otherwise is an account that holds the relation's value in another spelling or scope.
func (s *ClaimScan) Otherwise(rel *Relation) (Claimant, bool) {
	if g := s.target(rel); g != nil && len(g.seen().spellings) > 0 {
		return g.seen().spellings[0].claimant(s.t), true
	}
	return Claimant{}, false
}
