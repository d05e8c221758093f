package dynamo

import (
	"cmp"
	"slices"
	"strings"

	"tallylock/dynamo/layout"
)

// shapeOf is whose items are counted together: those of one shape that are the same to
// the layout.
type shapeOf struct {
	shape string
	kind  *layout.Account // of the accounts among them; nil for what is none
	// aside: they are locks, or in another table, and no accounts whatever the layout is.
	aside bool
}

// manyShapes stands for all shapes beyond those that there is room for.
const manyShapes = "…"

// rivals are the shapes of items that hold the values of a constraint as the layout's
// accounts do: once each. Any of them may be the accounts, and the layout's their copies.
func (v *shapeValues) rivals(t *Table, kind *layout.Account, c *layout.Constraint) []layout.Rival {
	own, among := newHashSet(mostShapeHashes), map[string]bool{}
	for of, texts := range v.shapes {
		if set := texts.paths[c.Attribute]; of.kind == kind && set != nil {
			own.merge(set)
			among[partitionShape(of.shape)] = true
		}
	}
	var all []layout.Rival
	for of, texts := range v.shapes {
		if of.kind == kind || of.aside {
			continue
		}
		best, told := layout.Rival{Items: of.shape, SameID: kind.IDInPartition() && among[partitionShape(of.shape)]}, false
		for path, set := range texts.paths {
			told = told || t.Layout.Copies(of.shape, path)
			if held, compared := own.shared(set); !t.Schema.IsKey(path) &&
				(held > best.Held || (held == best.Held && path < best.Attribute)) {
				best.Attribute, best.Held, best.Of = path, held, compared
			}
		}
		if best.Held >= layout.EnoughBetter && !told {
			all = append(all, best)
		}
	}
	slices.SortFunc(all, func(a, b layout.Rival) int {
		return cmp.Or(cmp.Compare(b.Held, a.Held), strings.Compare(a.Items, b.Items))
	})
	return all
}

// partitionShape is what a shape says of partition keys.
func partitionShape(shape string) string {
	partition, _, _ := strings.Cut(shape, "/")
	return partition
}
