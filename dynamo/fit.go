package dynamo

import (
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// FitOf is how well a constraint of the layout agrees with what was seen of the table.
func (t *Table) FitOf(c *layout.Constraint) layout.Fit {
	t.fitting.Lock()
	defer t.fitting.Unlock()
	f := t.fits[c]
	f.Trusted = t.conn != nil && t.conn.options.TrustLayout
	f.Accepted = t.accepts(c.Name, f.Evidence)
	return f
}

// Fits lists the fit of all constraints, in the layout's order.
func (t *Table) Fits() []layout.Fit {
	var all []layout.Fit
	for _, c := range t.Layout.Constraints() {
		all = append(all, t.FitOf(c))
	}
	return all
}

// Misfit says why the layout is not to be believed about a constraint; nil where that
// may be, or where a person answers for the layout. With nil it asks about all of them.
func (t *Table) Misfit(op string, c *layout.Constraint) error {
	for _, con := range t.Layout.Constraints() {
		fit := t.FitOf(con)
		if (c != nil && con != c) || fit.Standing() != layout.Contradicted {
			continue
		}
		e := &client.Error{
			Kind: client.NoLayout, Op: op, Why: "the layout " + t.Layout.Name + " does not fit: " + fit.Why(),
			Do: "correct the layout in the config, which this shows: " + t.Command([]string{"layout"}) + "; if the layout is right and the table is broken, add --trust-layout",
		}
		e.Err = openQuestion{t.Ask(con)}
		switch at := fit.Better.At; {
		case fit.Why() == fit.Kinds.Text:
			e.Do = Sighting{Items: fit.Shape, Attribute: fit.Attribute}.Say(t)
		case at != "":
			e.Do = "correct " + at + "; if the layout is right and the table is broken, add --trust-layout"
		}
		return e
	}
	return nil
}

// Trusted reports whether a person answers for the layout, for this run, against what
// speaks against its fit: of a constraint, or, with nil, of any.
func (t *Table) Trusted(c *layout.Constraint) bool {
	for _, con := range t.Layout.Constraints() {
		if fit := t.FitOf(con); (c == nil || con == c) && fit.Trusted && (fit.Against() != "" || fit.Rule.Standing != layout.Supported) {
			return true
		}
	}
	return false
}

// Learn judges a constraint again by what was counted since.
func (t *Table) Learn(c *layout.Constraint, change func(*layout.Evidence)) layout.Fit {
	t.fitting.Lock()
	e := t.fits[c].Evidence
	change(&e)
	if t.fits == nil { // nothing was sampled
		t.fits = map[*layout.Constraint]layout.Fit{}
	}
	t.fits[c] = e.Judge(c.Name)
	t.fitting.Unlock()
	return t.FitOf(c)
}

// LearnAll judges again by a scan of all tables: whether there are accounts at all, and
// whether all kinds of them are known.
func (t *Table) LearnAll(s *ClaimScan, rels []*Relation) {
	for c, locks := range s.locks {
		if s.accounts == 0 {
			t.Learn(c, func(e *layout.Evidence) { e.Whole, e.Accounts, e.Values, e.Locked, e.Locks = true, 0, 0, 0, locks })
		}
	}
	t.LearnSightings(s, rels)
}

// OwnerSupported reports whether it may be relied on that the relation's lock names the
// account that holds its value.
func (t *Table) OwnerSupported(rel *Relation) bool {
	return t.FitOf(rel.Constraint).OwnerSupported(lockID(rel.Lock.Table, rel.Lock.Key))
}

// LearnSightings judges again whether all kinds of accounts are known, by the items that a
// scan has found to hold the values of locks that no account calls for.
func (t *Table) LearnSightings(s *ClaimScan, rels []*Relation) {
	type holder struct{ shape, attribute string }
	counts := map[*layout.Constraint]map[holder]int{}
	for _, rel := range rels {
		if len(s.Claimants(rel)) > 0 {
			continue
		}
		for _, h := range s.Sightings(rel) {
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
		t.Learn(c, func(e *layout.Evidence) { e.Held, e.Shape, e.Attribute = of[most], most.shape, most.attribute })
	}
}

// keyAttribute reports whether an attribute is a key of the table or of its indexes.
func (t *Table) keyAttribute(table, name string) bool {
	_, ok := t.locks[table].Kinds[name]
	return ok
}
