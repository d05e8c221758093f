package dynamo

import (
	"cmp"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// How much of other shapes is tried: the number of their attributes, a few values of
// each, and more of those that have a lock.
const (
	triedRivals      = 8
	triedRivalValues = 3
	triedMoreValues  = 12
)

// rivalValues are the locks that the values of one shape's attribute would have.
type rivalValues struct {
	layout.Rival
	items int
	keys  []attr.Key
	seen  map[string]bool
}

// rivals tries, of a table that is only sampled, whether locks keep what items of other
// shapes hold, as they keep what the accounts do. Two samples do not show which of
// them repeats the values of the other: only all of the table does.
func (p *prober) rivals(a *layout.Account, c *layout.Constraint, e *layout.Evidence) {
	if e.Whole || e.Judge(c.Name).Rule.Standing != layout.Supported {
		return
	}
	all := p.otherValues(a, c, e.OwnersTell())
	all = all[:min(len(all), triedRivals, int(p.share)/triedRivalValues)]
	table := c.LockTable(p.t.Name)
	for _, most := range []int{triedRivalValues, triedMoreValues} {
		if len(all) > 0 {
			most = min(most, int(p.share)/len(all))
		}
		var ask []attr.Key
		for _, r := range all {
			ask = append(ask, r.keys[:min(len(r.keys), most)]...)
		}
		found, ok := p.exist(table, ask)
		if !ok {
			return
		}
		for _, r := range all {
			r.Held, r.Of = 0, min(len(r.keys), most)
			for _, k := range r.keys[:r.Of] {
				if item := found[k.ID()]; item != nil && c.Is.Holds(item) && !p.reserved(c.Reserved, item) {
					r.Held++
				}
			}
		}
		all = slices.DeleteFunc(all, func(r *rivalValues) bool { return r.Held == 0 })
	}
	for _, r := range all {
		if known := slices.ContainsFunc(e.Rivals, func(b layout.Rival) bool { return b.Items == r.Items }); !known &&
			r.Held >= layout.EnoughBetter {
			e.Rivals = append(e.Rivals, r.Rival)
		}
	}
}

// otherValues are what the sample's items that are no accounts hold at each attribute,
// those under the constraint's own attribute and the commonest first.
func (p *prober) otherValues(a *layout.Account, c *layout.Constraint, ownersTell bool) []*rivalValues {
	t := p.t
	among := map[string]bool{}
	for _, item := range p.Accounts[a] {
		k, _ := t.Schema.KeyOf(item)
		among[partitionShape(layout.ShapeOf(k))] = true
	}
	byPath := map[[2]string]*rivalValues{}
	copies := map[string]bool{}
	for _, item := range p.Others {
		k, _ := t.Schema.KeyOf(item)
		shape := layout.ShapeOf(k)
		same := a.IDInPartition() && among[partitionShape(shape)]
		if ownersTell && !same {
			continue
		}
		for _, path := range layout.Paths(item) {
			copies[shape] = copies[shape] || t.Layout.Copies(shape, path)
			if t.Schema.IsKey(path) {
				continue
			}
			r := byPath[[2]string{shape, path}]
			if r == nil {
				r = &rivalValues{
					Rival: layout.Rival{Items: shape, Attribute: path, SameID: same, Sampled: true},
					seen:  map[string]bool{},
				}
				byPath[[2]string{shape, path}] = r
			}
			r.items++
			for _, key := range c.LocksOf(a, path, t.Name, t.SchemaOf, item) {
				if !r.seen[key.ID()] {
					r.seen[key.ID()] = true
					r.keys = append(r.keys, key)
				}
			}
		}
	}
	return commonestFirst(byPath, copies, c.Attribute)
}

// commonestFirst are those that may be the accounts' values: none of copies, by the shape
// of the items, and none that repeat.
func commonestFirst(byPath map[[2]string]*rivalValues, copies map[string]bool, attribute string) []*rivalValues {
	var all []*rivalValues
	for _, r := range byPath {
		if repeated := r.items - len(r.keys); !copies[r.Items] && len(r.keys) >= layout.EnoughBetter &&
			(repeated < layout.EnoughBetter || repeatedShare*repeated < r.items) {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(x, y *rivalValues) int {
		if own := x.Attribute == attribute; own != (y.Attribute == attribute) {
			if own {
				return -1
			}
			return 1
		}
		return cmp.Or(y.items-x.items, strings.Compare(x.Items+x.Attribute, y.Items+y.Attribute))
	})
	return all
}
