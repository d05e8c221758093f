package change

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
)

// Batch is a list of plans that ApplyAll applies together.
type Batch struct {
	Plans []*plan.Plan
	// Refused lists the receipts of the changes that cannot be planned.
	Refused []Receipt
	// Price is the price of all plans together. Releases share one look, which reads every item. Undos share no look.
	Price plan.Price
	// Typed is the text that a person has to type. If the plans are a large share of all locks, it is the number of
	// plans; otherwise it is empty.
	Typed string
}

// A batch is large if it has at least largeCount plans for one constraint, and these are more than largeShare percent
// of the constraint's locks. If not all locks have been counted, largeCount plans are enough.
const (
	largeCount = 20
	largeShare = 20
)

// SetPrice computes Price and Typed from Plans.
func (b *Batch) SetPrice() {
	b.Price, b.Typed = plan.PriceOf(b.Plans), ""
	of := map[*layout.Constraint]int{}
	for _, p := range b.Plans {
		if p.Live.Table == nil || p.Constraint == "" {
			continue
		}
		_, con := p.Live.Table.Layout.Constraint(p.Constraint)
		of[con]++
		fit := p.Live.Table.Fit.Of(con)
		if of[con] >= largeCount && (!fit.Whole || 100*of[con] > largeShare*fit.Locks) {
			b.Typed = strconv.Itoa(len(b.Plans))
		}
	}
}

// PlanReleases plans to release several locks. It reads the claimants of all locks together. If it cannot read
// every account, ApplyAll scans for claimants before it deletes a lock.
func PlanReleases(ctx context.Context, t *dynamo.Table, rels ...*verdict.Relation) (*Batch, error) {
	fresh, _, err := find.Reread(ctx, t, find.RereadOptions{}, rels...)
	if err != nil {
		return nil, err
	}
	b := &Batch{}
	for n, rel := range rels {
		p, err := planner.ReleaseAsOf(t, fresh[n], time.Now(), false)
		if refused, ok := errors.AsType[*plan.Refusal](err); ok {
			b.refuse(rel.Lock.Table, rel.Constraint.Name, rel.Value, refused)
			continue
		}
		if err != nil {
			return nil, err
		}
		b.Plans = append(b.Plans, p)
	}
	b.SetPrice()
	return b, nil
}

// PlanUndos plans to undo several changes, the newest first. It plans each undo on the current items. So it refuses a
// change if a newer change of the same item has to be undone first. All undos together read the accounts' table only
// within AutoReadUnits.
func PlanUndos(ctx context.Context, conn *dynamo.Connection, records ...*journal.Record) (*Batch, error) {
	records = slices.Clone(records)
	slices.SortStableFunc(records, func(a, b *journal.Record) int { return b.At.Compare(a.At) })
	b, left := &Batch{}, conn.AutoReadUnits()
	for _, r := range records {
		p, err := planner.UndoWithin(ctx, conn, r, &left)
		if err == nil {
			err = p.Live.Unsure
		}
		if err == nil {
			b.Plans = append(b.Plans, p)
			continue
		}
		if kind := client.KindOf(err); kind != client.Usage && kind != client.Failed {
			return nil, err // the other undos would fail, too
		}
		if newer := undoneBefore(b.Plans, r); newer != nil {
			err = plan.Refuse(plan.Changed, "the newer change %s wrote the same item: once it is undone, undo %s separately", newer.Undoes, r.Receipt)
		}
		b.Refused = append(b.Refused, NotMade(&plan.Plan{
			Table: r.Table, Kind: plan.Kind(r.About.Kind), Constraint: r.About.Constraint, Value: r.About.Value,
			Counter: r.About.Counter, Undoes: r.Receipt,
		}, err))
	}
	b.SetPrice()
	b.Price = plan.Price{}
	for _, p := range b.Plans { // undos share no look
		b.Price = b.Price.Plus(p.Price)
	}
	return b, nil
}

// undoneBefore returns the plan that undoes a newer change of the same item; nil if there is none.
func undoneBefore(plans []*plan.Plan, r *journal.Record) *plan.Plan {
	e, err := plan.Load(r)
	if err != nil {
		return nil
	}
	for _, p := range plans {
		for _, w := range p.Steps.Effect().Writes {
			if w.Verb != client.Check && e.Plan.Writes(w.Table, w.Key) {
				return p
			}
		}
	}
	return nil
}

// refuse adds the receipt of a release that cannot be planned.
func (b *Batch) refuse(table, constraint, value string, why *plan.Refusal) {
	about := &plan.Plan{Kind: plan.KindRelease, Table: table, Constraint: constraint, Value: value}
	b.Refused = append(b.Refused, NotMade(about, why))
}
