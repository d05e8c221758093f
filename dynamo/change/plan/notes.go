package plan

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// setSubject sets the value that a plan is about, and its account.
func (d *draft) setSubject(rel *dynamo.Relation) {
	d.Constraint, d.Value = rel.Constraint.Name, rel.Value
	if len(rel.Claimants) > 0 {
		d.Account = rel.Claimants[0].Key.Hash.Value.Display()
	}
}

// noteUnread says what is not known because not every account was read.
func (d *draft) noteUnread(whole bool, what string) {
	if !whole {
		d.addLine(
			"not known",
			fmt.Sprintf("%s: only reading the whole table tells, about %s", what,
				phrase.Count(int64(math.Round(dynamo.AccountsCost(d.t).Units)), "read unit")),
		)
	}
}

// noteLeftOut says which attributes of other locks the new lock lacks, and why.
func (d *draft) noteLeftOut(p pattern) {
	switch names := strings.Join(p.leftOut, ", "); {
	case p.few:
		d.addLine(LabelLeftOut, cmp.Or(names, "everything")+" that other locks may have: fewer than "+
			fmt.Sprint(minHeld)+" locks of different accounts were read, so the new lock has what the layout describes")
	case names != "":
		d.addLine(LabelLeftOut, names+": other locks do not share it, or it is an owner, a time or an id of theirs")
	}
}

// noteLayoutDoubt says that an inferred layout may be wrong about two spellings of a value.
func (d *draft) noteLayoutDoubt(spelling string) {
	d.addLine(
		"note",
		fmt.Sprintf(
			"the layout, which keeps \"%s\" and \"%s\" apart, was recognised and not described: if the application does not, its lock is that of \"%s\", and the layout is wrong",
			d.Value, spelling, spelling,
		),
	)
}

// noteSimilar lists similar values that have locks, except the plan's own, and records in
// d.alike those that fold to the same.
func (d *draft) noteSimilar(ctx context.Context, c *layout.Constraint, v string, own ...attr.Key) error {
	misses, err := find.Near(ctx, d.t, c, v)
	if err != nil {
		return err
	}
	for _, miss := range misses {
		if !slices.ContainsFunc(own, miss.Relation.Lock.Key.Equal) {
			text, _ := c.Text(miss.Relation.Value)
			d.addLine("near", fmt.Sprintf("\"%s\" has a lock, too: %s", text, miss.How))
			if c.Spelling(miss.Relation.Value) == layout.Fold(v) {
				d.alike = append(d.alike, text)
			}
		}
	}
	return nil
}
