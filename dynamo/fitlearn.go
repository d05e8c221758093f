package dynamo

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/layout"
)

// Learn judges a constraint again by what was counted since.
func (f *Fitting) Learn(c *layout.Constraint, change func(*layout.Evidence)) layout.Fit {
	f.mu.Lock()
	e := f.fits[c].Evidence
	change(&e)
	if f.fits == nil { // nothing was sampled
		f.fits = map[*layout.Constraint]layout.Fit{}
	}
	f.fits[c] = e.Judge(c.Name)
	f.mu.Unlock()
	return f.Of(c)
}

// LearnAll judges again by a scan of all tables: whether there are accounts at all, and
// whether all kinds of them are known.
func (f *Fitting) LearnAll(s *ClaimScan, rels []*Relation) {
	for c, locks := range s.locks {
		if s.accounts == 0 {
			f.Learn(c, func(e *layout.Evidence) { e.Whole, e.Accounts, e.Values, e.Locked, e.Locks = true, 0, 0, 0, locks })
		}
	}
	f.learnUnclaimed(s)
	f.LearnSightings(s, slices.Values(rels))
}

// learnUnclaimed judges again by a scan of all tables how many locks no account calls for,
// at least. All readers have to be closed.
func (f *Fitting) learnUnclaimed(s *ClaimScan) {
	for _, c := range f.t.Layout.Constraints() {
		locks, calls := 0, 0
		for own, n := range s.locks {
			if own.SamePlace(f.t.Name, c) {
				locks += n
			}
		}
		for own, n := range s.calls {
			if own.SamePlace(f.t.Name, c) {
				calls += n
			}
		}
		if locks > calls {
			f.Learn(c, func(e *layout.Evidence) { e.Unclaimed, e.UnclaimedOf = locks-calls, locks })
		}
	}
}

// LearnSightings judges again whether all kinds of accounts are known, by the items that a
// scan has found to hold the values of locks that no account calls for.
func (f *Fitting) LearnSightings(s *ClaimScan, rels iter.Seq[*Relation]) {
	type holder struct{ shape, attribute string }
	counts, now := map[*layout.Constraint]map[holder]int{}, time.Now()
	for rel := range rels {
		if len(s.Of(rel).Claimants()) > 0 || rel.reserved(now) {
			continue
		}
		for _, h := range s.Of(rel).Sightings() {
			if h.As != HoldsUndecided || h.lock {
				continue
			}
			if counts[rel.Constraint] == nil {
				counts[rel.Constraint] = map[holder]int{}
			}
			counts[rel.Constraint][holder{h.Items, h.Attribute}]++
		}
	}
	for c, of := range counts {
		most := slices.MaxFunc(slices.Collect(maps.Keys(of)), func(a, b holder) int {
			if n := of[a] - of[b]; n != 0 {
				return n
			}
			return strings.Compare(b.shape+b.attribute, a.shape+a.attribute)
		})
		f.Learn(c, func(e *layout.Evidence) { e.Held, e.Shape, e.Attribute = of[most], most.shape, most.attribute })
	}
}

// LearnShapes judges again by a scan of whole tables whether items of another shape may be
// the accounts. All readers have to be closed.
func (f *Fitting) LearnShapes(s *ClaimScan) {
	if s.Empty() {
		return
	}
	for _, kind := range f.t.Layout.Accounts {
		for _, c := range kind.Constraints {
			f.Learn(c, func(e *layout.Evidence) { e.Rivals = s.shapes.rivals(f.t, kind, c) })
		}
	}
}

// rejudge judges all constraints again by what people have said since. The caller holds the
// lock.
func (f *Fitting) rejudge() {
	for c, fit := range f.fits {
		e := fit.Evidence
		if f.t.Layout.Copies(e.Shape, e.Attribute) || f.t.Layout.Holds(e.Shape, e.Attribute) {
			e.Held, e.Shape, e.Attribute = 0, "", ""
		}
		e.Rivals = slices.DeleteFunc(slices.Clone(e.Rivals),
			func(r layout.Rival) bool { return f.t.Layout.Copies(r.Items, r.Attribute) })
		f.fits[c] = e.Judge(c.Name)
	}
}
