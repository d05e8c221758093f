package change

import (
	"context"
	"errors"

	"tallylock/dynamo"
	"tallylock/dynamo/change/plan"
)

// Releases plans the releases of a file together, each as Replan would.
func (f *PlanFile) Releases(ctx context.Context, t *dynamo.Table) (*Batch, error) {
	b := &Batch{}
	var rels []*dynamo.Relation
	was := map[string]PlannedChange{}
	for _, one := range f.Changes {
		if err := one.CheckLayout(t); err != nil {
			return nil, err
		}
		if refused, ok := errors.AsType[*plan.Refusal](one.before); ok {
			b.refuse(t.Name, one.Request.Constraint, one.Request.Value, refused)
			continue
		}
		rel, err := plan.LockAt(ctx, t, one.Request.Constraint, one.Request.Lock)
		if refused, ok := errors.AsType[*plan.Refusal](err); ok {
			b.refuse(t.Name, one.Request.Constraint, one.Request.Value, refused)
			continue
		}
		if err != nil {
			return nil, err
		}
		id := rel.Lock.Table + " " + rel.Lock.Key.ID()
		if _, twice := was[id]; !twice {
			rels, was[id] = append(rels, rel), one
		}
	}
	if len(rels) == 0 {
		return b, nil
	}
	planned, err := PlanReleases(ctx, t, rels...)
	if err != nil {
		return nil, err
	}
	b.Refused = append(b.Refused, planned.Refused...)
	for _, p := range planned.Plans {
		lock := p.Live.Release.Rel.Lock
		if err := was[lock.Table+" "+lock.Key.ID()].CheckSeen(p); err != nil {
			b.Refused = append(b.Refused, NotMade(p, err))
			continue
		}
		b.Plans = append(b.Plans, p)
	}
	b.SetPrice()
	return b, nil
}
