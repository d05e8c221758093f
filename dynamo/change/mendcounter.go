package change

import (
	"context"
	"errors"
	"math/big"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/layout"
)

// counter plans to put a counter right: never lower than it is.
func (m *mender) counter(ctx context.Context, f check.Finding) (*Plan, error) {
	ids, err := m.carried(ctx, f)
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
	carried, ok := ids[c.Layout]
	if !ok || carried.id != f.HighestID {
		return nil, refusal(InOrder, "the item that carried the id %s of %s no longer does: check again", f.HighestID, c.Name)
	}
	to := above(c, carried.id)
	if !c.Exists && !c.Layout.KeyIsValue(m.t.Schema) {
		return m.create(ctx, c, to)
	}
	p, err := PlanRaise(ctx, c, to)
	if refused, ok := errors.AsType[*Refusal](err); ok && refused.Reasons[0].Code == NotHigher {
		return nil, refusal(InOrder, "%s", refused.Reasons[0].Text)
	}
	return p, err
}

// create plans to make a counter by the highest id that a finding names. That is looked for
// once more: a finding may be old, or from a stranger. Where it cannot be found out whether
// there is a higher one, the check's word counts among many findings, which looked at every id.
func (m *mender) create(ctx context.Context, c dynamo.Counter, to *big.Int) (*Plan, error) {
	if err := inSeries(c, to, "creating"); err != nil {
		return nil, err
	}
	p, err := planCreateAbove(ctx, c, to)
	if err != nil || m.alone || p.Typed == "" {
		return p, err
	}
	return planCreate(c, to).on(m.t)
}

// carried is an id as an item carries it, and the key of the counter that it is of.
type carried struct {
	id  string
	key attr.Key
}

// carried reads the item that a finding says carries the highest id, and what it
// carries now, by the counter that mints it.
func (m *mender) carried(ctx context.Context, f check.Finding) (map[*layout.Counter]carried, error) {
	found := map[*layout.Counter]carried{}
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
		return nil, broken(f)
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
			of := carried{id: id}
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

// counterOf is the counter that a finding is about. Its key is one that the layout
// makes, not one that the finding gives.
func (m *mender) counterOf(ctx context.Context, f check.Finding, ids map[*layout.Counter]carried) (dynamo.Counter, error) {
	key, keyed := m.t.Schema.KeyOf(f.Key)
	var item attr.Item
	if keyed {
		items, err := m.t.ConsistentReader().Read(ctx, m.t.Name, []attr.Key{key})
		if err != nil {
			return dynamo.Counter{}, err
		}
		item = items[key.ID()]
	}
	for _, l := range m.t.Layout.Counters {
		if l.Attribute != f.Attribute {
			continue
		}
		if l.KeyIsValue(m.t.Schema) {
			all, _, err := m.t.ConsistentReader().Counters(ctx)
			if err != nil {
				return dynamo.Counter{}, err
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
		if keyed && ((l.Fixed(m.t.Schema) && err == nil && fixed.Equal(key)) || (carries && of.key.Equal(key)) || (item != nil && l.Matches(m.t.Schema, item))) {
			return dynamo.CounterAt(m.t, l, key, item), nil
		}
	}
	return dynamo.Counter{}, refusal(Absent, "the table %s has no counter \"%s\"", m.t.Name, f.Counter)
}
