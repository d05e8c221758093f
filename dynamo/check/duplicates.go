package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// idCheck compares counters with the ids in use, and finds ids that two items have.
type idCheck struct {
	*run
	series idSeries
	seen   *idSet // nil where nobody asks for duplicates
	// open: of an id only a look at all items tells who carries it.
	open bool
}

// begin begins a first reading of about that many items.
func (c *idCheck) begin(items int64) {
	if c.seen = nil; c.wantsDuplicates() {
		c.seen = newIDSet(items, c.o.Memory)
	}
}

// wantsDuplicates reports whether ids that two items have are looked for.
func (c *idCheck) wantsDuplicates() bool {
	return c.o.wants(DuplicateID) && slices.ContainsFunc(c.sources, func(from *source) bool { return len(from.ids) > 0 })
}

// twice reports whether there are ids that two items may have.
func (c *idCheck) twice() bool { return c.seen != nil && len(c.seen.twice) > 0 }

// collect has the next look collect the items of ids, and of values without locks, that
// two may have.
func (f *followUp) collect() {
	if f.ids.twice() {
		f.duplicates = &collector{set: f.ids.seen, items: map[string]*sameID{}}
	}
	if f.run.values.twice() {
		f.values = &valueCollector{values: map[string]*sameValue{}}
	}
}

// sameTwice reports what the look has collected of them.
func (f *followUp) sameTwice(ctx context.Context) error {
	if f.duplicates != nil {
		if err := f.ids.duplicates(ctx, f.duplicates); err != nil {
			return err
		}
		f.duplicates, f.ids.seen = nil, nil
	}
	if f.values != nil {
		if err := f.run.values.duplicates(ctx, f.values); err != nil {
			return err
		}
		f.values, f.run.values.seen = nil, nil
	}
	return nil
}

// overflow reports whether more ids may be had by two items than are followed up, and
// how many those are.
func (c *idCheck) overflow() (most int, over bool) {
	if c.seen == nil {
		return 0, false
	}
	return c.seen.most, c.seen.over
}

// duplicates reports ids that two items have.
func (c *idCheck) duplicates(ctx context.Context, t *collector) error {
	for _, at := range slices.Sorted(maps.Keys(t.items)) {
		all := t.items[at].items
		slices.SortFunc(all, func(a, b idHolder) int { return strings.Compare(a.from.name+a.key.ID(), b.from.name+b.key.ID()) })
		all = slices.CompactFunc(all, func(a, b idHolder) bool { return a.from == b.from && a.key.Equal(b.key) })
		if len(all) < 2 {
			continue
		}
		m := c.series[at[:strings.LastIndexByte(at, 0)]]
		if m == nil {
			continue
		}
		if err := c.duplicate(ctx, m, all, t.items[at].more); err != nil {
			return err
		}
	}
	return nil
}

// duplicate reports an id that several items have, and more that are not listed.
func (c *idCheck) duplicate(ctx context.Context, m *oneSeries, all []idHolder, more int) error {
	sure, now, evidence := false, all, "Provisional: met one at a time; nothing was read again."
	if c.o.Confirm != ConfirmNone {
		var places []client.Address
		for _, one := range all {
			places = append(places, client.Address{Table: one.from.name, Key: one.key})
		}
		items, apart, err := c.consistent.Moment(ctx, places)
		if c.conflicting(err, 1) {
			return nil
		}
		if err != nil {
			return err
		}
		now = nil
		for n, item := range items {
			if c.carries(m.counter, all[n], item) {
				now = append(now, all[n])
			}
		}
		if len(now) < 2 {
			if more > 0 {
				c.unsettled(1) // others have not been read
			}
			return nil
		}
		sure, evidence = !apart, fmt.Sprintf("Read together %s.", clock(time.Now()))
	}
	name := m.counter.NameOf(c.t.Name, c.t.Schema, m.key)
	f := Finding{
		Kind: DuplicateID, Counter: name, ID: all[0].id, Confirmed: sure,
		Detail:   fmt.Sprintf("%d items carry the id %s of the counter %s.", len(now), phrase.Group(all[0].id), name),
		Evidence: evidence,
	}
	if more > 0 {
		f.Detail += fmt.Sprintf(" So did %s more when each was read, which are not listed.", phrase.Group(fmt.Sprint(more)))
	}
	for _, one := range now {
		f.Items = append(f.Items, c.place(one))
	}
	c.emit(f)
	return nil
}
