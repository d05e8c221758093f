package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// idCollector collects the items of ids that two may have.
type idCollector struct {
	filter *idFilter
	mu     sync.Mutex
	items  map[string]*sameID // by counter and id
}

// sameID are the items that have one id: some of them, and how many more there are.
type sameID struct {
	items []idHolder
	more  int
}

// maxIDHolders is how many items with one id are listed.
const maxIDHolders = 10

func (t *idCollector) add(name, id string, from *source, key attr.Key) {
	if !t.filter.twice[t.filter.hash(name, id)] {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	at := name + "\x00" + id
	of := t.items[at]
	if of == nil {
		of = new(sameID)
		t.items[at] = of
	}
	if len(of.items) == maxIDHolders {
		of.more++
		return
	}
	of.items = append(of.items, idHolder{strings.Clone(id), from, cloneKey(key)})
}

// duplicates reports ids that two items have.
func (c *idCheck) duplicates(ctx context.Context, t *idCollector) error {
	for _, at := range slices.Sorted(maps.Keys(t.items)) {
		all := t.items[at].items
		slices.SortFunc(all,
			func(a, b idHolder) int { return strings.Compare(a.from.name+a.key.ID(), b.from.name+b.key.ID()) })
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
func (c *idCheck) duplicate(ctx context.Context, m *idSeries, all []idHolder, more int) error {
	sure, now, evidence := false, all, "Provisional: met one at a time; nothing was read again."
	if c.run.o.Confirm != ConfirmNone {
		var places []client.Address
		for _, one := range all {
			places = append(places, client.Address{Table: one.from.name, Key: one.key})
		}
		items, apart, err := c.run.consistent.Moment(ctx, places)
		if c.report.conflicting(err, 1) {
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
				c.report.unsettled(1) // the others were not read
			}
			return nil
		}
		sure, evidence = !apart, fmt.Sprintf("Read together %s.", phrase.Clock(time.Now()))
	}
	name := m.counter.NameOf(c.run.t.Name, c.run.t.Schema, m.key)
	f := Finding{
		Kind: DuplicateID, Counter: name, ID: all[0].id, Confirmed: sure,
		Detail:   fmt.Sprintf("%d items carry the id %s of the counter %s.", len(now), phrase.Group(all[0].id), name),
		Evidence: evidence,
	}
	if more > 0 {
		f.Detail += fmt.Sprintf(" So did %s more when each was read, which are not listed.", phrase.Group(fmt.Sprint(more)))
	}
	for _, one := range now {
		f.Items = append(f.Items, c.placeOf(one))
	}
	c.report.emit(f)
	return nil
}
