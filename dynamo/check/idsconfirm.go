package check

import (
	"context"
	"fmt"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// confirmBehind reads counters that are behind or missing together with the items that have
// the highest ids: an item may have been written together with its counter, or be gone.
func (c *idCheck) confirmBehind(ctx context.Context, all []*idSeries) error {
	if len(all) == 0 || !(c.run.o.wants(CounterBehind) || c.run.o.wants(CounterMissing)) {
		return nil
	}
	if c.run.o.Confirm == ConfirmFull {
		// An application that writes the item first is behind for a moment.
		if err := pause(ctx, c.run.t.Connection().Settle()); err != nil {
			return err
		}
	}
	for _, m := range all {
		counter, highest, apart, err := c.readTogether(ctx, m)
		if c.report.conflicting(err, 1) {
			continue
		}
		if err != nil {
			return err
		}
		if highest == nil {
			c.report.unsettled() // all these items are gone
			continue
		}
		if counter.Exists && !counter.Layout.Behind(counter.Value, highest.id) {
			continue
		}
		counter.HighestID = highest.id
		sure := !apart && c.run.t.Regions().Unproven() == "" // a write in another Region is seen late
		c.report.emit(
			c.findingOfIDs(counter, *highest, sure,
				fmt.Sprintf("Counter and %s read together %s, after every id.", highest.key, phrase.Clock(counter.ReadAt))),
		)
	}
	return nil
}

// readTogether reads a counter and the items with the highest ids at one moment, and returns
// the item with the highest id that still has it; nil if none does. apart: the endpoint could
// not read them at one moment.
func (c *idCheck) readTogether(
	ctx context.Context, m *idSeries,
) (counter dynamo.Counter, highest *idHolder, apart bool, err error) {
	key := m.key
	if m.counter.KeyIsValue(c.run.t.Schema) {
		counters, err := c.readCounters(ctx)
		if err != nil {
			return counter, nil, false, err
		}
		for _, now := range counters {
			if now.Layout == m.counter {
				key = now.Key
			}
		}
	}
	var places []client.Address
	if key.Hash.Name != "" {
		places = append(places, client.Address{Table: c.run.t.Name, Key: key})
	}
	for _, h := range m.highest {
		places = append(places, client.Address{Table: h.from.name, Key: h.key})
	}
	items, apart, err := c.run.consistent.Moment(ctx, places)
	if err != nil {
		return counter, nil, false, err
	}
	var own attr.Item
	if key.Hash.Name != "" {
		own, items = items[0], items[1:]
	}
	for n, item := range items {
		if c.carries(m.counter, m.highest[n], item) {
			return dynamo.CounterAt(c.run.t, m.counter, key, own), &m.highest[n], apart, nil
		}
	}
	return counter, nil, apart, nil
}

// carries reports whether an item still has the id that was read of it.
func (c *idCheck) carries(counter *layout.Counter, h idHolder, item attr.Item) bool {
	if item == nil {
		return false
	}
	for n := range counter.IDs {
		ids := &counter.IDs[n]
		if id, _, ok := ids.Of(h.from.schema, item); ok && id == h.id && ids.TableOf(c.run.t.Name) == h.from.name {
			return true
		}
	}
	return false
}
