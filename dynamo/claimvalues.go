package dynamo

import (
	"cmp"
	"fmt"
	"iter"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// plain reports whether a text is surely as Fold would leave it.
func plain(s string) bool {
	for n := range len(s) {
		if c := s[n]; c >= 0x80 || (c >= 'A' && c <= 'Z') {
			return false
		}
	}
	return s == "" || (s[0] > ' ' && s[len(s)-1] > ' ')
}

// longestValue is how long a text is at most that may be a value: a key has no more.
const longestValue = 2048

// contains reports whether a longer text contains a folded value.
func contains(text, folded string) bool {
	if strings.Contains(text, folded) {
		return true
	}
	return !plain(text) && strings.Contains(layout.Fold(text), folded)
}

// shapeValues counts what items of each shape hold under each attribute, in memory that
// does not grow with the table: whether values repeat there, and whether they are such
// as locks keep.
type shapeValues struct {
	shapes map[shapeOf]*shapeTexts
	locks  map[*layout.Constraint]*hashSet // what locks of a constraint keep
}

// shapeTexts is that of one shape.
type shapeTexts struct {
	paths     map[string]*hashSet
	inside    int // how many of the paths lead into texts that are JSON
	documents int // how deep in such texts a reader is
}

// Limits of the counts.
const (
	mostShapes      = 64
	mostPaths       = 64 // and as many again inside of JSON
	mostShapeHashes = 1 << 10
	mostLockHashes  = 1 << 16
)

func (v *shapeValues) fill(s *ClaimScan) {
	v.shapes, v.locks = map[shapeOf]*shapeTexts{}, map[*layout.Constraint]*hashSet{}
	for _, c := range s.targets.constraints {
		v.locks[c] = newHashSet(mostLockHashes)
	}
}

func (v *shapeValues) of(shape []byte, kind *layout.Account, aside bool) *shapeTexts {
	if t := v.shapes[shapeOf{string(shape), kind, aside}]; t != nil {
		return t
	}
	return v.add(shapeOf{string(shape), kind, aside})
}

func (v *shapeValues) add(of shapeOf) *shapeTexts {
	if v.shapes[of] == nil && len(v.shapes) >= mostShapes {
		of.shape = manyShapes
	}
	t := v.shapes[of]
	if t == nil {
		t = &shapeTexts{paths: map[string]*hashSet{}}
		v.shapes[of] = t
	}
	return t
}

// under is what items of a shape hold at a path, whatever they are to the layout.
func (v *shapeValues) under(shape, path string) *hashSet {
	var found *hashSet
	merged := false
	for of, texts := range v.shapes {
		switch set := texts.paths[path]; {
		case of.shape != shape || set == nil:
		case found == nil:
			found = set
		default:
			if !merged {
				both := newHashSet(set.room)
				both.merge(found)
				found, merged = both, true
			}
			found.merge(set)
		}
	}
	return found
}

// lock takes in what a lock keeps.
func (v *shapeValues) lock(s *ClaimScan, c *layout.Constraint, value string) {
	for own, set := range v.locks {
		if own.SamePlace(s.t.Name, c) {
			set.add(s.targets.textHash(value))
		}
	}
}

// add takes in one text. hash is that of its folded form.
func (t *shapeTexts) add(path, text string, hash uint64) {
	if len(text) > longestValue {
		return
	}
	set := t.paths[path]
	if set == nil {
		if t.documents > 0 && t.inside >= mostPaths || t.documents == 0 && len(t.paths)-t.inside >= mostPaths {
			return
		}
		if t.documents > 0 {
			t.inside++
		}
		set = newHashSet(mostShapeHashes)
		t.paths[strings.Clone(path)] = set
	}
	set.add(hash)
}

func (v *shapeValues) merge(w shapeValues) {
	for of, texts := range w.shapes {
		have := v.add(of)
		for path, set := range texts.paths {
			if have.paths[path] == nil && len(have.paths) >= 2*mostPaths {
				continue
			}
			if have.paths[path] == nil {
				have.paths[path] = newHashSet(set.room)
			}
			have.paths[path].merge(set)
		}
	}
	for c, set := range w.locks {
		v.locks[c].merge(set)
	}
}

// What it takes for items that hold a value to be known from accounts without asking.
const (
	copyItems   = 50  // items, whose values are at most half as many
	otherValues = 100 // values, none of which but the one that is asked about has a lock
)

// decide says what the items of a holder's shape are, by what all of them hold.
func (v *shapeValues) decide(s *ClaimScan, g *target, h *Sighting) (Holding, string) {
	set := v.under(h.Items, h.Attribute)
	if set == nil {
		return HoldsUndecided, ""
	}
	all, different := set.counts()
	if all >= copyItems && 2*different <= all {
		return HoldsCopy, fmt.Sprintf("%s hold %s there", phrase.Count(all, "item"), phrase.Count(different, "value"))
	}
	locks := v.locks[g.con]
	if g.con.Encodes() || !s.read[g.con.LockTable(s.t.Name)] {
		return HoldsUndecided, "" // what locks keep cannot be compared with it
	}
	own, kept, seen := s.targets.textHash(g.value), 0, 0
	for value := range set.seen {
		if value == own || value > locks.limit {
			continue
		}
		if seen++; locks.seen[value] > 0 {
			kept++
		}
	}
	if seen >= otherValues && kept == 0 {
		return HoldsOther, fmt.Sprintf("none of %s there has a lock", phrase.Count(seen, "other value"))
	}
	return HoldsUndecided, ""
}

// oddAttribute is an attribute of an item which no lock of the constraint has that an
// account calls for: what looks like a lock by its key may be something else. It is
// empty where the item has none.
func (s *ClaimScan) oddAttribute(
	c *layout.Constraint, table string, key attr.Key, all iter.Seq2[string, attr.Value],
) string {
	odd, held, schema := "", s.held[c], s.t.SchemaOf(table)
	for name := range all {
		switch {
		case schema.IsKey(name),
			name == MarkAttribute,
			held[name],
			name == root(c.Owner),
			name == root(c.Is.Attribute),
			name == root(c.Reserved.Since):
		case odd == "" || name < odd:
			odd = strings.Clone(name)
		}
	}
	if odd != "" && s.t.Layout.Copies(layout.ShapeOf(key), odd) {
		return ""
	}
	return odd
}

// root is the attribute that a path begins in.
func root(path string) string {
	name, _, _ := strings.Cut(path, ".")
	return name
}

func itemFields(item attr.Item) iter.Seq2[string, attr.Value] {
	return func(yield func(string, attr.Value) bool) {
		for name, v := range item {
			if !yield(name, v) {
				return
			}
		}
	}
}

func compareSightings(a, b Sighting) int {
	return cmp.Or(strings.Compare(a.Items, b.Items), strings.Compare(a.Attribute, b.Attribute))
}

// keyAttribute reports whether an attribute is a key of the table or of its indexes.
func keyAttribute(t *Table, table, name string) bool {
	_, ok := t.locks[table].Kinds[name]
	return ok
}
