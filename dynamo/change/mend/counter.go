package mend

import (
	"context"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
)

// counter plans to mend a counter. It never lowers the counter.
func (m *mender) counter(ctx context.Context, f finding.Finding) (*plan.Plan, error) {
	ids, err := m.highestIDs(ctx, f)
	if err != nil {
		return nil, err
	}
	c, err := m.counterOf(ctx, f, ids)
	if err != nil {
		return nil, err
	}
	switch f.Kind {
	case finding.CounterNotNumber:
		return planner.Convert(ctx, c, m.to)
	case finding.CounterOffStep:
		return planner.RoundUp(ctx, c)
	}
	if c.Layout.State != layout.Described {
		return nil, plan.Refuse(plan.ByHand, "the place of the ids of %s is only a guess, so tallylock writes nothing: describe the ids in the config, or raise the counter yourself", c.Name)
	}
	carried, ok := ids[c.Layout]
	switch {
	case !ok:
		return nil, plan.Refuse(plan.InOrder, "the item that had the id %s of %s has no id now: check again", f.HighestID, c.Name)
	case carried.id != f.HighestID:
		return nil, plan.Refuse(plan.Changed, "the item that had the id %s of %s now has the id %s: check again", f.HighestID,
			c.Name, carried.id)
	}
	to := leastAbove(c, carried.id)
	if !c.Exists && !c.Layout.KeyIsValue(m.t.Schema) {
		if err := planner.CheckInSeries(c, to, "creating"); err != nil {
			return nil, err
		}
		return planner.CreateAbove(ctx, c, to) // reads the id again: a stranger may have made the finding
	}
	p, err := planner.Raise(ctx, c, to)
	return plan.AsInOrder(p, err, plan.NotHigher)
}

// carriedID has the id of an item, and the key of the id's counter.
type carriedID struct {
	id  string
	key attr.Key
}

// highestIDs reads the item that has the highest id according to the finding. It returns the current id of that
// item for each counter.
func (m *mender) highestIDs(ctx context.Context, f finding.Finding) (map[*layout.Counter]carriedID, error) {
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
	items, err := m.t.SnapshotReader().Read(ctx, table, []attr.Key{key})
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

// CounterOf returns the counter of a finding. It does not read the item with the highest id. It does not trust the
// finding's key: the key must be one that the layout makes for a counter.
func CounterOf(ctx context.Context, t *dynamo.Table, f finding.Finding) (counter.Counter, error) {
	return (&mender{t: t}).counterOf(ctx, f, nil)
}

// counterOf returns the counter of a finding. ids is the result of highestIDs; nil if highestIDs was not called.
func (m *mender) counterOf(
	ctx context.Context, f finding.Finding, ids map[*layout.Counter]carriedID,
) (counter.Counter, error) {
	key, keyed := m.t.Schema.KeyOf(f.Key)
	var item attr.Item
	if keyed {
		items, err := m.t.SnapshotReader().Read(ctx, m.t.Name, []attr.Key{key})
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
			err := m.t.SnapshotReader().With(ctx, func(ctx context.Context, r *client.Reader) (err error) {
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
	return counter.Counter{}, plan.Refuse(plan.Absent, "the table %s has no counter \"%s\"", m.t.Name, f.Counter)
}
