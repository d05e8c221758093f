package change

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// about says which value a plan is about, and whose it is.
func (d *draft) about(rel *dynamo.Relation) {
	d.Constraint, d.Value = rel.Constraint.Name, rel.Value
	if len(rel.Claimants) > 0 {
		d.Account = rel.Claimants[0].Key.Hash.Value.Display()
	}
}

// unread says what could not be known since not every account was read.
func (d *draft) unread(whole bool, what string) {
	if !whole {
		d.say("not known", fmt.Sprintf("%s: only reading the whole table tells, about %s", what, plural(big.NewInt(int64(math.Round(dynamo.LookCost(d.t).Units))), "read unit")))
	}
}

// without says what the locks put lack.
func (d *draft) without(p pattern) {
	if len(p.varies) > 0 {
		d.say("left out", p.leftOut())
	}
}

// doubt says that a layout which was only recognised may be wrong about two
// spellings of a value.
func (d *draft) doubt(spelling string) {
	d.say("note", fmt.Sprintf("the layout, which keeps \"%s\" and \"%s\" apart, was recognised and not described: if the application does not, its lock is that of \"%s\", and the layout is wrong", d.Value, spelling, spelling))
}

// near says which look-alikes of a value have locks, but for those of the plan
// itself, and keeps those that differ in what people mix up without seeing it.
func (d *draft) near(ctx context.Context, c *layout.Constraint, v string, own ...attr.Key) error {
	misses, err := dynamo.Near(ctx, d.t, c, v)
	if err != nil {
		return err
	}
	for _, miss := range misses {
		if !slices.ContainsFunc(own, miss.Relation.Lock.Key.Equal) {
			text, _ := c.Text(miss.Relation.Value)
			d.say("near", fmt.Sprintf("\"%s\" has a lock, too: %s", text, miss.How))
			if c.Spelling(miss.Relation.Value) == layout.Fold(v) {
				d.alike = append(d.alike, text)
			}
		}
	}
	return nil
}
