package dynamo

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// HeldPlace is items of one place that hold values of a constraint where the layout does not say
// so, as a sample or the last check has seen them.
type HeldPlace struct {
	Constraint *layout.Constraint
	layout.Place
	N       int      // items
	Example attr.Key // of one of them
	// Checked: the last check has seen them, among the values of locks that no account claims.
	// Otherwise they are of the sample.
	Checked bool
}

// Places lists what holds values besides accounts and locks, by constraint and place.
func (f *Fitting) Places() []HeldPlace {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.Collect(maps.Values(f.places))
	slices.SortFunc(all, func(a, b HeldPlace) int {
		return cmp.Or(strings.Compare(a.Constraint.Name, b.Constraint.Name), strings.Compare(a.Table, b.Table),
			strings.Compare(a.Items, b.Items), strings.Compare(a.Attribute, b.Attribute))
	})
	return all
}

// ID names the question whether such items count.
func (p HeldPlace) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{p.Constraint.Name, p.Table, p.Items, p.Attribute}, "\x00")))
	return "Q-" + hex.EncodeToString(sum[:4])
}

// Questions lists the places that were seen to hold values, in the sample or in the last check, and
// about which nobody has answered.
func (t *Table) Questions() []HeldPlace {
	return slices.DeleteFunc(t.Fit.Places(), func(p HeldPlace) bool {
		return p.Constraint.Answers.Of(p.Place) != layout.NoAnswer
	})
}

// placeOf names a HeldPlace.
type placeOf struct {
	c *layout.Constraint
	layout.Place
}

// LearnPlaces takes in what a scan has found to hold values. All readers must be closed.
func (f *Fitting) LearnPlaces(s *ClaimScan, checked bool) {
	found := map[placeOf]HeldPlace{}
	s.mu.Lock()
	for n := range s.targets {
		g := &s.targets[n]
		for _, h := range g.seen().holdings {
			at := placeOf{g.con, h.Place}
			one := found[at]
			if len(found) >= mostHoldings && one.N == 0 {
				continue // the rest keep their locks, and are asked about later
			}
			found[at] = HeldPlace{g.con, h.Place, one.N + h.N, h.keys[0], checked}
		}
	}
	s.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.places == nil {
		f.places = map[placeOf]HeldPlace{}
	}
	maps.Copy(f.places, found)
}

// places looks for what holds the values of the sampled locks, in the sample.
func (p *prober) places() {
	t := p.t
	var rels []*Relation
	for c, locks := range p.locks {
		table := c.LockTable(t.Name)
		for _, item := range locks {
			key, _ := t.SchemaOf(table).KeyOf(item)
			if v, _, ok := c.ParseLock(t.SchemaOf(table), key); ok {
				rels = append(rels, &Relation{Constraint: c, Value: v, Lock: lockOf(c, table, key, item)})
			}
		}
	}
	s := t.ClaimScan(rels...)
	r := s.Reader()
	for table, items := range p.known {
		for _, item := range items {
			if item != nil {
				r.See(table, item)
			}
		}
	}
	r.Close()
	t.Fit.LearnPlaces(s, false)
}
