package dynamo

import (
	"context"
	"fmt"
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
	targets map[string]*target // by lock
	// anyScope are the targets whose locks' keys need more than the value: what holds it
	// is looked for in every scope.
	anyScope []*target
	values   *valueSet
	words    bool // longer texts are searched, too
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
}

// target is one lock that is asked about.
type target struct {
	rel *Relation
	// folded is the value's spelling, and kept that of what the lock's key says: another
	// where the constraint encodes its values.
	folded, kept string
	claimants    []Account
	doubt        string
	sightings    []*Sighting
	mentions     int
	// spellings are locks of values that differ from this one only in spelling, or in
	// their scope, each with an account that calls for it.
	spellings []Claimant
	anyScope  bool
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

// ClaimScan begins to ask about locks.
func (t *Table) ClaimScan(rels ...*Relation) *ClaimScan {
	s := &ClaimScan{t: t, targets: map[string]*target{}, values: newValueSet(), words: len(rels) <= fewTargets, read: map[string]bool{}, held: map[*layout.Constraint]map[string]bool{}, locks: map[*layout.Constraint]int{}}
	for _, c := range t.Layout.Constraints() {
		s.held[c] = t.Fit.Of(c).HeldAttributes
	}
	for _, rel := range rels {
		if rel.err != nil {
			continue
		}
		s.add(lockID(rel.Lock.Table, rel.Lock.Key), rel)
	}
	s.shapes.fill(s)
	return s
}

func (s *ClaimScan) add(id string, rel *Relation) *target {
	g := &target{rel: rel, folded: rel.Constraint.Spelling(rel.Value), kept: layout.Fold(rel.Value)}
	s.targets[id] = g
	s.values.add(g)
	return g
}

// ClaimsKnown leaves out the accounts that call for a lock by a key in which no text of
// theirs stands: a check has summed up all calls, and need not render each again.
func (s *ClaimScan) ClaimsKnown() { s.claimsKnown = true }

// Empty reports whether there is nothing to ask.
func (s *ClaimScan) Empty() bool { return len(s.targets) == 0 && !s.compare }

func (s *ClaimScan) target(rel *Relation) *target {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.targets[lockID(rel.Lock.Table, rel.Lock.Key)]; g != nil {
		return g
	}
	return s.inAnyScope(rel)
}

// Claimants are the accounts seen that call for the relation's lock.
func (s *ClaimScan) Claimants(rel *Relation) []Account {
	if g := s.target(rel); g != nil {
		return g.claimants
	}
	return nil
}

// Mentions is how many longer texts contain the value, where that was counted: they
// never keep a lock from being released.
func (s *ClaimScan) Mentions(rel *Relation) int {
	if g := s.target(rel); g != nil && s.words {
		return g.mentions
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
	if g.doubt != "" {
		return g.doubt
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
	for _, k := range g.spellings {
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
	if g := s.target(rel); g != nil && len(g.spellings) > 0 {
		return g.spellings[0], true
	}
	return Claimant{}, false
}
