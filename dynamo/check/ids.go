package check

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/report"
	"tallylock/dynamo/check/twice"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/scan"
)

// idCheck compares counters with the ids in use, and finds duplicate ids.
type idCheck struct {
	run    *run
	report *report.Report
	series seriesMap
	places map[*join.Source][]idsOf // the attributes of each table that have ids
	filter *twice.Filter            // nil unless duplicates are wanted
	// unresolved is set if SQL has not judged all ids: only a reading of all items finds the
	// items that have them.
	unresolved bool
	// uncompared is the reason why counters were not compared with the ids in use; empty if they were.
	uncompared string
}

// begin prepares for a first reading of about that many items.
func (c *idCheck) begin(items int64) {
	if c.filter = nil; c.wantsDuplicates(c.run.o.FollowedIDs) {
		c.filter = twice.New(items/4, c.run.o.Memory) // 16 bits for each item
	}
}

// wantsDuplicates reports whether duplicate ids are wanted and is holds for any counter.
func (c *idCheck) wantsDuplicates(is func(*layout.Counter) bool) bool {
	return c.run.o.Wants(finding.DuplicateID) && slices.ContainsFunc(c.run.t.Layout.Counters, is)
}

// idsOf is an attribute or a key of a table that has the ids of a counter.
type idsOf struct {
	counter int // its index in the layout
	ids     *layout.IDs
	fixed   *attr.Key // the counter's key; nil if it varies with the item
}

// placesIn returns the attributes and keys of a table that have ids.
func (c *idCheck) placesIn(from *join.Source) []idsOf {
	var all []idsOf
	for n, counter := range c.run.t.Layout.Counters {
		for m := range counter.IDs {
			of := idsOf{counter: n, ids: &counter.IDs[m]}
			if of.ids.TableOf(c.run.t.Name) != from.Name {
				continue
			}
			if counter.KeyIsValue(c.run.t.Schema) {
				of.fixed = &attr.Key{}
			} else if counter.Fixed(c.run.t.Schema) {
				if k, err := counter.Key(c.run.t.Schema); err == nil {
					of.fixed = &k
				}
			}
			all = append(all, of)
		}
	}
	return all
}

// addIDs takes in the ids of the current item, and reports whether it has any.
func (v *visitor) addIDs(key attr.Key) (has bool) {
	c := v.run
	if v.pass.shared == nil && !v.pass.first {
		return false
	}
	for _, of := range v.ids {
		id, vars, ok := of.ids.Of(v.from.Schema, &v.row)
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
		has = true
		name := seriesName(of.counter, *at)
		v.key = append(append(append(v.key[:0], name...), 0), id...)
		one := sharing{text: id, guessed: !c.o.FollowedIDs(counter)}
		print := c.seed.Fingerprint(v.key)
		if !v.pass.first {
			if one.series = c.ids.series[name]; one.series != nil && c.ids.filter.Has(print) {
				one.addTo(v.pass.shared, print, v.pass.room, v.from, key)
			}
			continue
		}
		one.series = v.follow(name, counter, *at, of.fixed == nil)
		one.series.add(id, v.from, key)
		switch {
		case one.guessed:
			if g := v.pass.guess; g != nil && c.o.Wants(finding.DuplicateID) {
				one.addTo(&g.shared, print, v.pass.room, v.from, key)
			}
		case c.ids.filter != nil:
			c.ids.filter.AddNumber(c.seed.Hash([]byte(name)), id, print)
			if slices.Contains(v.unjudged, idsBeside) { // an item that SQL has judged may have the id, too
				c.ids.filter.Mark(print)
				c.ids.unresolved = true
			}
		}
	}
	return has
}

// follow returns the worker's series of a counter, and creates it if needed.
func (v *visitor) follow(name string, counter *layout.Counter, key attr.Key, family bool) *idSeries {
	m := v.series[name]
	if m == nil {
		if len(v.series) >= keptApart {
			v.pass.mu.Lock()
			v.flushSeries()
			v.pass.mu.Unlock()
		}
		m = &idSeries{counter: counter, key: key.Clone(), ofMany: family}
		v.series[name] = m
	}
	return m
}

// flushSeries moves the worker's series to the pass. The caller holds the pass's lock.
func (v *visitor) flushSeries() {
	v.pass.count.lostCounters += v.pass.series.merge(v.series, maxCounters(v.run.o.Memory))
	clear(v.series)
}

// addCounter takes in a faulty counter of a family. The check reads other counters later if it meets
// their ids. If the check reads only an export, addCounter takes in every counter: the export has the
// counter and its ids as of the same moment.
func (v *visitor) addCounter(l *layout.Counter, key attr.Key) {
	r := v.run
	if v.pass.first && r.o.ExportOnly() {
		at := key
		if l.KeyIsValue(r.t.Schema) {
			at = attr.Key{}
		}
		family := !l.Fixed(r.t.Schema) && at.Hash.Name != ""
		m := v.follow(seriesName(slices.Index(r.t.Layout.Counters, l), at), l, at, family)
		m.exported = scan.CloneMap(attr.Item{l.Attribute: v.row.At(l.Attribute)})
		maps.Copy(m.exported, scan.CloneMap(key.Item()))
		return
	}
	if !v.pass.first || l.Fixed(r.t.Schema) || l.KeyIsValue(r.t.Schema) || len(l.Faults(v.row.At(l.Attribute))) == 0 {
		return
	}
	v.follow(seriesName(slices.Index(r.t.Layout.Counters, l), key), l, key, true)
}

// idSeries is a counter with its highest ids in use.
type idSeries struct {
	counter *layout.Counter
	key     attr.Key // the counter's key; zero if the number is in the key itself
	ofMany  bool     // the counter is one of a family, whose keys vary
	// highest are the items with the highest ids, the highest first. There are several, since
	// an item may be deleted before it is read again.
	highest []idHolder
	// exported is the counter's item in the export, if the check reads only the export. It is
	// nil if the export has no such item.
	exported attr.Item
}

const maxHighest = 3

// add takes in an id of an item.
func (m *idSeries) add(id string, from *join.Source, key attr.Key) {
	at := len(m.highest)
	// These are whole numbers without leading zeros.
	for at > 0 && cmp.Or(cmp.Compare(len(m.highest[at-1].id), len(id)), strings.Compare(m.highest[at-1].id, id)) < 0 {
		at--
	}
	if at == maxHighest {
		return
	}
	if slices.ContainsFunc(m.highest,
		func(one idHolder) bool { return one.id == id && one.from == from && one.key.Equal(key) }) {
		return // a row of SQL names the item, and the item was also visited
	}
	m.highest = slices.Insert(m.highest, at, idHolder{strings.Clone(id), from, key.Clone()})
	m.highest = m.highest[:min(len(m.highest), maxHighest)]
}

// seriesMap holds the series of counters, by seriesName.
type seriesMap map[string]*idSeries

// seriesName returns the name of a series: the counter's index in the layout, and its key.
func seriesName(counter int, key attr.Key) string { return string(rune(counter)) + key.ID() }

// counterBytes is about how many bytes a series takes. keptApart is how many series a worker
// keeps before it flushes them, so that the memory of the workers does not grow with the table.
const (
	counterBytes = 640
	keptApart    = 1000
)

// maxCounters returns how many counters of families a check follows with that much memory.
func maxCounters(memory int64) int { return int(memory / 4 / counterBytes) }

// merge adds the series of a worker, up to most counters, and returns how many did not fit.
func (all seriesMap) merge(more seriesMap, most int) (lost int64) {
	for name, m := range more {
		have := all[name]
		if have == nil && m.ofMany && len(all) >= most {
			lost++
			continue
		}
		if have == nil {
			all[name] = m
			continue
		}
		if m.exported != nil {
			have.exported = m.exported
		}
		for _, c := range m.highest {
			have.add(c.id, c.from, c.key)
		}
	}
	return lost
}
