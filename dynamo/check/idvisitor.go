package check

import (
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/scan"
)

// idVisitor takes in the counters and the ids among the items of one worker.
type idVisitor struct {
	p      *pass
	from   *source
	series idSeries
	// beside: SQL has judged ids of other items, which may be the same.
	beside bool
}

// take takes in the ids that an item has.
func (v *idVisitor) take(row *scan.Fields, key attr.Key) {
	c := v.p.r
	if v.p.duplicates == nil && !v.p.first {
		return
	}
	for _, of := range v.from.ids {
		id, vars, ok := of.ids.Of(v.from.schema, row)
		counter := c.t.Layout.Counters[of.counter]
		if !ok || !counter.Mints(id) {
			continue
		}
		at := of.fixed
		if at == nil {
			k, err := counter.KeyFor(c.t.Schema, vars)
			if err != nil {
				continue
			}
			at = &k
		}
		name := seriesName(of.counter, *at)
		if v.p.duplicates != nil {
			v.p.duplicates.collect(name, id, v.from, key)
			continue
		}
		v.follow(name, counter, *at, of.fixed == nil).take(id, v.from, key)
		if c.ids.seen != nil {
			c.ids.seen.add(name, id)
			if v.beside { // only a look at all items tells
				c.ids.seen.add(name, id)
				c.ids.open = true
			}
		}
	}
}

// follow is what the worker has met of a counter.
func (v *idVisitor) follow(name string, counter *layout.Counter, key attr.Key, family bool) *oneSeries {
	m := v.series[name]
	if m == nil {
		if len(v.series) >= keptApart {
			v.p.mu.Lock()
			v.handOn()
			v.p.mu.Unlock()
		}
		m = &oneSeries{counter: counter, key: cloneKey(key), family: family}
		v.series[name] = m
	}
	return m
}

// handOn adds what the worker has met to what all have. The pass is locked.
func (v *idVisitor) handOn() {
	v.p.count.lostCounters += v.p.series.merge(v.series, mostCounters(v.p.r.o.Memory))
	clear(v.series)
}

// counter takes in a counter of a family that does not look well. The others are
// read where their ids are met.
func (v *idVisitor) counter(row *scan.Fields, l *layout.Counter, key attr.Key) {
	r := v.p.r
	if !v.p.first || l.Fixed(r.t.Schema) || l.KeyIsValue(r.t.Schema) || len(l.Faults(row.At(l.Attribute))) == 0 {
		return
	}
	v.follow(seriesName(slices.Index(r.t.Layout.Counters, l), key), l, key, true)
}
