package change

import (
	"context"
	"errors"
	"strconv"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
)

// Batch is releases that are made together with ApplyAll.
type Batch struct {
	Plans []*Plan
	// Refused are the locks that are not even tried, with the reason.
	Refused []Receipt
	// Price is that of all plans; their look is paid once.
	Price Price
	// Typed is what has to be typed besides: how many they are, where they are a large
	// share of all locks. Empty where nothing has to.
	Typed string
}

// A batch is large if it has largeBatch plans for one constraint, and these are more than
// largeShare percent of the constraint's known locks.
const (
	largeBatch = 20
	largeShare = 20
)

// Weigh prices the batch, and has its number typed where it is large.
func (b *Batch) Weigh() {
	b.Price, b.Typed = PriceOf(b.Plans), ""
	of := map[*layout.Constraint]int{}
	for _, p := range b.Plans {
		if p.table == nil || p.Constraint == "" {
			continue
		}
		_, con := p.table.Layout.Constraint(p.Constraint)
		of[con]++
		fit := p.table.Fit.Of(con)
		if of[con] >= largeBatch && (!fit.Whole || 100*of[con] > largeShare*fit.Locks) {
			b.Typed = strconv.Itoa(len(b.Plans))
		}
	}
}

// oneByOne refuses what a layout would have changed in bulk that may not fit; nil where
// that is sure.
func oneByOne(t *dynamo.Table, con *layout.Constraint) *Refusal {
	fit := t.Fit.Of(con)
	if fit.Standing() == layout.Supported {
		return nil
	}
	r := refusal(ByHand, "whether the layout fits is not sure (%s): look at it, and do this one by itself", fit.Why())
	if say := t.Fit.SayRival(con); say != "" {
		r = refusal(ByHand, "whether the layout fits is not sure: %s %s", fit.Why(), say)
	}
	r.Reasons[0].Asks = t.Fit.Ask(con)
	return r
}

// PlanReleases plans to release several locks. Who claims them is read for all at
// once; where not every account can be read unasked the one look of ApplyAll
// decides.
func PlanReleases(ctx context.Context, t *dynamo.Table, rels ...*dynamo.Relation) (*Batch, error) {
	fresh, _, err := t.Reread(ctx, dynamo.RereadOptions{}, rels...)
	if err != nil {
		return nil, err
	}
	b := &Batch{}
	for n, rel := range rels {
		if refused := oneByOne(t, rel.Constraint); refused != nil && len(rels) > 1 {
			b.refuse(rel, refused)
			continue
		}
		p, err := planRelease(t, fresh[n])
		if refused, ok := errors.AsType[*Refusal](err); ok {
			b.refuse(rel, refused)
			continue
		}
		if err != nil {
			return nil, err
		}
		b.Plans = append(b.Plans, p)
	}
	b.Weigh()
	return b, nil
}

func (b *Batch) refuse(rel *dynamo.Relation, why *Refusal) {
	about := &Plan{Kind: KindRelease, Table: rel.Lock.Table, Constraint: rel.Constraint.Name, Value: rel.Value}
	b.Refused = append(b.Refused, Receipt{Plan: about, Outcome: Refused, Reasons: why.Reasons})
}
