package browse

import (
	"context"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Inspection is one item and what its values mean.
type Inspection struct {
	Key    attr.Key
	Item   attr.Item // nil where the item does not exist
	Values []*verdict.Relation
	At     time.Time
	Units  float64
}

// Inspect reads one item, strongly consistent, and, where it is an account, the
// locks of its values, and judges those that no locks keep as a Browser does. seen are
// relations read before: an item by itself does not say who else holds its values, so their
// accounts are read again with it.
func Inspect(
	ctx context.Context, t *dynamo.Table, table string, key attr.Key, seen ...*verdict.Relation,
) (*Inspection, error) {
	r := t.Connection().Reader()
	found, err := r.Get(ctx, table, []attr.Key{key}, true)
	if err != nil {
		return nil, err
	}
	in := &Inspection{Key: key, Item: found[key.ID()], At: time.Now()}
	if kind, a := t.AccountOf(in.Item); a != nil && table == t.Name {
		claims := map[string]dynamo.ClaimedBy{}
		for _, rel := range seen {
			if len(rel.Claimants) > 1 {
				id := schema.LockID(rel.Lock.Table, rel.Constraint.FirstForm(rel.Lock.Key))
				by := dynamo.ClaimedBy{More: rel.MoreClaimants}
				for _, other := range rel.Claimants {
					by.First = append(by.First, other.Key)
				}
				claims[id] = by
			}
		}
		if in.Values, err = dynamo.NewLockReader(t, r).Values(ctx, *a, nil, claims); err != nil {
			return nil, err
		}
		uses, err := inspectUnlocked(ctx, t, r, kind, a, seen)
		if err != nil {
			return nil, err
		}
		in.Values = append(in.Values, uses...)
	}
	in.Units = r.Units
	return in, nil
}
