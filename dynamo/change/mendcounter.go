package change

import (
	"context"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
)

// counter plans to mend a counter, and never lowers it.
func (m *mender) counter(ctx context.Context, f check.Finding) (*Plan, error) {
	ids, err := m.highestIDs(ctx, f)
	if err != nil {
		return nil, err
	}
	c, err := m.counterOf(ctx, f, ids)
	if err != nil {
		return nil, err
	}
	switch f.Kind {
	case check.CounterNotNumber:
		return PlanConvert(ctx, c, m.to)
	case check.CounterOffStep:
		return PlanRoundUp(ctx, c)
	}
	if c.Layout.State != layout.Described {
		return nil, refuse(ByHand, "where the ids of %s are is only guessed, and a guess writes nothing: describe them as ids in the config, or raise the counter by yourself", c.Name)
	}
	carried, ok := ids[c.Layout]
	switch {
	case !ok:
		return nil, refuse(InOrder, "the item that carried the id %s of %s no longer does: check again", f.HighestID, c.Name)
	case carried.id != f.HighestID:
		return nil, refuse(Changed, "the item that the finding names for the id %s of %s carries %s: check again", f.HighestID,
			c.Name, carried.id)
	}
	to := leastAbove(c, carried.id)
	if !c.Exists && !c.Layout.KeyIsValue(m.t.Schema) {
		if err := checkInSeries(c, to, "creating"); err != nil {
			return nil, err
		}
		return planCreateAbove(ctx, c, to) // which looks for the highest id: the finding may be from a stranger
	}
	p, err := PlanRaise(ctx, c, to)
	return inOrder(p, err, NotHigher)
}

// carriedID is the id of an item, and the key of the counter it belongs to.
type carriedID struct {
	id  string
	key attr.Key
}

// highestIDs reads the item that a finding names for the highest id, and returns the ids that
// it carries now, by counter.
func (m *mender) highestIDs(ctx context.Context, f check.Finding) (map[*layout.Counter]carriedID, error) {
	found := map[*layout.Counter]carriedID{}
	if len(f.Items) == 0 {
		return found, nil
	}
	table := f.Items[0].Table
	if table == "" {
		table = m.t.Name
	}
	schema := m.t.SchemaOf(table)
	key, ok := schema.KeyOf(f.Items[0].Key)
	if !ok {
		return nil, badFinding(f)
	}
	items, err := m.t.ConsistentReader().Read(ctx, table, []attr.Key{key})
	if err != nil {
		return nil, err
	}
	item := items[key.ID()]
	for _, l := range m.t.Layout.Counters {
		for n := range l.IDs {
			id, vars, ok := l.IDs[n].Of(schema, item)
			if item == nil || !ok || !l.Mints(id) || l.IDs[n].TableOf(m.t.Name) != table {
				continue
			}
			of := carriedID{id: id}
			if !l.KeyIsValue(m.t.Schema) {
				if of.key, err = l.KeyFor(m.t.Schema, vars); err != nil {
					continue
				}
			}
			found[l] = of
		}
	}
	return found, nil
}

// counterOf returns the counter of a finding. Its key is made by the layout, not taken from
// the finding.
func (m *mender) counterOf(
	ctx context.Context, f check.Finding, ids map[*layout.Counter]carriedID,
) (counter.Counter, error) {
	key, keyed := m.t.Schema.KeyOf(f.Key)
	var item attr.Item
	if keyed {
		items, err := m.t.ConsistentReader().Read(ctx, m.t.Name, []attr.Key{key})
		if err != nil {
			return counter.Counter{}, err
		}
		item = items[key.ID()]
	}
	for _, l := range m.t.Layout.Counters {
		if l.Attribute != f.Attribute {
			continue
		}
		if l.KeyIsValue(m.t.Schema) {
			var all []counter.Counter
			err := m.t.ConsistentReader().With(ctx, func(ctx context.Context, r *client.Reader) (err error) {
				all, _, err = counter.ReadWith(ctx, m.t, r)
				return err
			})
			if err != nil {
				return counter.Counter{}, err
			}
			for _, c := range all {
				if c.Layout == l && c.Name == f.Counter {
					return c, nil
				}
			}
			continue
		}
		fixed, err := l.Key(m.t.Schema)
		of, carries := ids[l]
		if keyed &&
			((l.Fixed(m.t.Schema) && err == nil && fixed.Equal(key)) || (carries && of.key.Equal(key)) ||
				(item != nil && l.Matches(m.t.Schema, item))) {
			return counter.At(m.t, l, key, item), nil
		}
	}
	return counter.Counter{}, refuse(Absent, "the table %s has no counter \"%s\"", m.t.Name, f.Counter)
}
