package browse

import (
	"context"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Inspection is one item with the verdicts on its values.
type Inspection struct {
	Key    attr.Key
	Item   attr.Item // nil if the item does not exist
	Values []*verdict.Relation
	At     time.Time
	Units  float64
}

// Inspect reads one item, strongly consistent. If the item is an account, Inspect also reads the locks of its values,
// and judges the values. seen has relations that were read earlier. They name other accounts with the same values, and
// Inspect reads these accounts again.
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
