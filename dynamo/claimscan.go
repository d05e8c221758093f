package dynamo

import (
	"iter"
	"slices"
	"sync"

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
	s := &ClaimScan{
		t:       t,
		targets: newTargetSet(),
		read:    map[string]bool{},
		held:    map[*layout.Constraint]map[string]bool{},
		locks:   map[*layout.Constraint]int{},
		calls:   map[*layout.Constraint]int{},
	}
	for _, c := range t.Layout.Constraints() {
		s.held[c] = t.Fit.Of(c).HeldAttributes
	}
	for rel := range rels {
		if rel.err != nil {
			continue
		}
		at := s.targets.addLock(rel)
		s.search(at)
		if layout.Unreadable(rel.Value) {
			for _, k := range t.Match.OwnerKeys(rel) {
				s.targets.naming.add(s.targets.textHash(k.ID()), at)
			}
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

// CompareShapes has the scan take in what items of each shape hold, whether or not it is
// asked about any lock.
func (s *ClaimScan) CompareShapes() { s.compare = true }

// Empty reports whether there is nothing to ask.
func (s *ClaimScan) Empty() bool { return len(s.targets.all) == 0 && !s.compare }
