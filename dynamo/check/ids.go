package check

import (
	"cmp"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// oneSeries is a counter whose ids are looked for, and the highest in use.
type oneSeries struct {
	counter *layout.Counter
	key     attr.Key // zero where the key itself is the number
	family  bool     // one of many of its layout
	// highest are the items with the highest ids, the highest first. Several are
	// kept: the highest may be deleted before it is read again.
	highest []idHolder
}

// idHolder is an item that has an id.
type idHolder struct {
	id   string
	from *source
	key  attr.Key
}

const mostHighest = 3

// take takes in an id.
func (m *oneSeries) take(id string, from *source, key attr.Key) {
	at := len(m.highest)
	for at > 0 && compareIDs(m.highest[at-1].id, id) < 0 {
		at--
	}
	if at == mostHighest {
		return
	}
	if slices.ContainsFunc(m.highest, func(one idHolder) bool { return one.id == id && one.from == from && one.key.Equal(key) }) {
		return // SQL may say it of an item that is visited, too
	}
	m.highest = slices.Insert(m.highest, at, idHolder{strings.Clone(id), from, cloneKey(key)})
	m.highest = m.highest[:min(len(m.highest), mostHighest)]
}

// compareIDs compares whole numbers without leading zeros.
func compareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// idSeries are the counters whose ids were met, by their keys.
type idSeries map[string]*oneSeries

// counterBytes is about what is kept of a counter that is followed, and keptApart how
// many a worker keeps before it hands them on: what all workers keep does not grow with
// the table.
const (
	counterBytes = 640
	keptApart    = 1000
)

// mostCounters is how many counters of families are followed in so much memory.
func mostCounters(memory int64) int { return int(memory / 4 / counterBytes) }

// idsOf is where ids of counters stand in a table.
type idsOf struct {
	counter int // in the layout
	ids     *layout.IDs
	fixed   *attr.Key // of the counter, where it has one for all
}

// of lists where ids stand in a source.
func (c *idCheck) of(from *source) []idsOf {
	var all []idsOf
	for n, counter := range c.t.Layout.Counters {
		for m := range counter.IDs {
			of := idsOf{counter: n, ids: &counter.IDs[m]}
			if of.ids.TableOf(c.t.Name) != from.name {
				continue
			}
			if counter.KeyIsValue(c.t.Schema) {
				of.fixed = &attr.Key{}
			} else if counter.Fixed(c.t.Schema) {
				if k, err := counter.Key(c.t.Schema); err == nil {
					of.fixed = &k
				}
			}
			all = append(all, of)
		}
	}
	return all
}

// merge adds what a worker has met, to so many counters at most, and answers how many
// were too many.
func (all idSeries) merge(more idSeries, most int) (lost int64) {
	for name, m := range more {
		have := all[name]
		if have == nil && m.family && len(all) >= most {
			lost++
			continue
		}
		if have == nil {
			all[name] = m
			continue
		}
		for _, c := range m.highest {
			have.take(c.id, c.from, c.key)
		}
	}
	return lost
}
