package ids

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/layout"
)

// Item is an item that has an id.
type Item struct {
	ID   string
	From *join.Source
	Key  attr.Key
}

// Field is an attribute or a key of a table that contains the ids of a counter.
type Field struct {
	Counter *layout.Counter
	Index   int // the counter's index in the layout
	ids     *layout.IDs
	fixed   *attr.Key // the counter's key; nil if it varies with the item
}

// FieldsIn returns the attributes and keys of a table that contain ids.
func FieldsIn(from *join.Source, t *dynamo.Table) []Field {
	var all []Field
	for n, counter := range t.Layout.Counters {
		for m := range counter.IDs {
			of := Field{Counter: counter, Index: n, ids: &counter.IDs[m]}
			if of.ids.TableOf(t.Name) != from.Name {
				continue
			}
			if counter.KeyIsValue(t.Schema) {
				of.fixed = &attr.Key{}
			} else if counter.Fixed(t.Schema) {
				if k, err := counter.Key(t.Schema); err == nil {
					of.fixed = &k
				}
			}
			all = append(all, of)
		}
	}
	return all
}

// Read returns the id of an item, and the key of the counter that hands out this id. ok is false if the item has no id
// in the field. from is the schema of the item's table. counters is the schema of the counter's table.
func (p *Field) Read(from, counters attr.Schema, item attr.Fields) (id string, at attr.Key, ok bool) {
	id, vars, ok := p.ids.Of(from, item)
	if !ok || !p.Counter.Mints(id) {
		return "", attr.Key{}, false
	}
	if p.fixed != nil {
		return id, *p.fixed, true
	}
	at, err := p.Counter.KeyFor(counters, vars)
	return id, at, err == nil
}

// Series is a counter with its highest ids in use.
type Series struct {
	Counter *layout.Counter
	Key     attr.Key // the counter's key; zero if the number is in the key itself
	// Exported is the counter's item in the export, if the check reads only the export. It is
	// nil if the export has no such item.
	Exported attr.Item
	// highest are the items with the highest ids, the highest first. There are several, since
	// an item may be deleted before it is read again.
	highest []Item
}

const maxHighest = 3

// Same reports whether both are of the same counter.
func (m *Series) Same(other *Series) bool {
	return m.Counter == other.Counter && m.Key.Equal(other.Key)
}

// ofFamily reports whether the counter belongs to a family: counters that share a description and differ in their keys.
func (m *Series) ofFamily() bool {
	k := m.Key
	return k.Hash.Name != "" && !m.Counter.Fixed(attr.Schema{HashName: k.Hash.Name, RangeName: k.Range.Name})
}

// Add records an id of an item, if it is among the highest.
func (m *Series) Add(id string, from *join.Source, key attr.Key) {
	at := len(m.highest)
	// Ids are whole numbers without leading zeros, so a longer id is higher.
	for at > 0 && cmp.Or(cmp.Compare(len(m.highest[at-1].ID), len(id)), strings.Compare(m.highest[at-1].ID, id)) < 0 {
		at--
	}
	if at == maxHighest {
		return
	}
	if slices.ContainsFunc(m.highest,
		func(one Item) bool { return one.ID == id && one.From == from && one.Key.Equal(key) }) {
		return // a row of SQL and a visitor may both add the item
	}
	m.highest = slices.Insert(m.highest, at, Item{strings.Clone(id), from, key.Clone()})
	m.highest = m.highest[:min(len(m.highest), maxHighest)]
}

// NameOf returns the key of a series in Reading.Series. It is made from the index of the counter in the layout, and
// from the key of its item.
func NameOf(counter int, key attr.Key) string { return string(rune(counter)) + key.ID() }

// Reading collects the series that one pass over the tables finds. Lost counts the times that a counter did not fit
// in memory.
type Reading struct {
	Series map[string]*Series // by NameOf
	Lost   int64
	most   int
	mu     sync.Mutex
}

// NewReading returns a Reading. memory, in bytes, limits the number of counters of families that the Reading follows.
func NewReading(memory int64) *Reading {
	return &Reading{Series: map[string]*Series{}, most: MaxCounters(memory)}
}

// counterBytes is the approximate size of a series. keptApart is the number of series that a worker keeps before it
// flushes them, so that the memory of the workers does not grow with the table.
const (
	counterBytes = 640
	keptApart    = 1000
)

// MaxCounters returns the number of counters of families that a check follows with the given bytes of memory.
func MaxCounters(memory int64) int { return int(memory / 4 / counterBytes) }

// Worker collects the series that one worker of a pass finds.
type Worker struct {
	reading *Reading
	series  map[string]*Series
}

// Worker returns a Worker of the Reading. Each goroutine needs its own.
func (r *Reading) Worker() *Worker { return &Worker{r, map[string]*Series{}} }

// Follow returns the series with the given name. If the worker has none, it creates a series for the counter.
func (w *Worker) Follow(name string, counter *layout.Counter, key attr.Key) *Series {
	m := w.series[name]
	if m == nil {
		if len(w.series) >= keptApart {
			w.Flush()
		}
		m = &Series{Counter: counter, Key: key.Clone()}
		w.series[name] = m
	}
	return m
}

// Flush moves the worker's series to the Reading. If the Reading has no room for a series of a family, the series is
// lost.
func (w *Worker) Flush() {
	r := w.reading
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, m := range w.series {
		switch have := r.Series[name]; {
		case have == nil && m.ofFamily() && len(r.Series) >= r.most:
			r.Lost++
		case have == nil:
			r.Series[name] = m
		default:
			if m.Exported != nil {
				have.Exported = m.Exported
			}
			for _, c := range m.highest {
				have.Add(c.ID, c.From, c.Key)
			}
		}
	}
	clear(w.series)
}
