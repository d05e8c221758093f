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

// idCheck compares counters with the ids in use, and finds ids that two items have.
type idCheck struct {
	run    *run
	report *report.Report
	series seriesMap
	places map[*join.Source][]idsOf // where the tables have ids
	filter *twice.Filter            // nil unless duplicates are wanted
	// unresolved: SQL has not judged all ids, and only reading all items tells who has them.
	unresolved bool
	// uncompared is why the counters were not compared with the ids in use.
	uncompared string
}

// begin prepares for a first reading of about that many items.
func (c *idCheck) begin(items int64) {
	if c.filter = nil; c.wantsDuplicates(c.run.o.FollowedIDs) {
		c.filter = twice.New(items/4, c.run.o.Memory) // 16 bits for each item
	}
}

// wantsDuplicates reports whether duplicate ids of a counter are wanted that is as asked.
func (c *idCheck) wantsDuplicates(is func(*layout.Counter) bool) bool {
	return c.run.o.Wants(finding.DuplicateID) && slices.ContainsFunc(c.run.t.Layout.Counters, is)
}

// idsOf is an attribute of a table that has the ids of a counter.
type idsOf struct {
	counter int // its index in the layout
	ids     *layout.IDs
	fixed   *attr.Key // the counter's key; nil if it varies with the item
}

// placesIn returns where a table has ids.
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

// addIDs takes in the ids that the visited item has, and reports whether it has any.
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
			if slices.Contains(v.unjudged, idsBeside) { // met twice, as far as is known
				c.ids.filter.Mark(print)
				c.ids.unresolved = true
			}
		}
	}
	return has
}

// follow returns what the worker has met of a counter's ids.
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

// flushSeries adds the counters that the worker has met to the pass, which the caller has locked.
func (v *visitor) flushSeries() {
	v.pass.count.lostCounters += v.pass.series.merge(v.series, maxCounters(v.run.o.Memory))
	clear(v.series)
}

// addCounter takes in a faulty counter of a family. The others are read if their ids are met. If
// only an export is read, it takes in every counter: the export has it as of the same moment.
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

// idSeries is a counter and the highest ids in use.
type idSeries struct {
	counter *layout.Counter
	key     attr.Key // zero if the number is in the key itself
	ofMany  bool     // one of a family, whose keys vary
	// highest are the items with the highest ids, the highest first: several, since an item
	// may be deleted before it is read again.
	highest []idHolder
	// exported is the counter's item in an export that alone is read, nil if it has none.
	exported attr.Item
}

const maxHighest = 3

// add takes in an id.
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
		return // the item was visited, and is in a row of SQL, too
	}
	m.highest = slices.Insert(m.highest, at, idHolder{strings.Clone(id), from, key.Clone()})
	m.highest = m.highest[:min(len(m.highest), maxHighest)]
}

// seriesMap holds the counters whose ids were met, by seriesName.
type seriesMap map[string]*idSeries

// seriesName is a counter's index in the layout with its key.
func seriesName(counter int, key attr.Key) string { return string(rune(counter)) + key.ID() }

// counterBytes is about what is kept for a counter whose ids are followed, and keptApart is
// how many a worker keeps before it flushes them, so that what all workers keep does not grow
// with the table.
const (
	counterBytes = 640
	keptApart    = 1000
)

// maxCounters is how many counters of families are followed in that much memory.
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
