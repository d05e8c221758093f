package embedded

import (
	"slices"
	"time"

	"github.com/tidwall/btree"
)

// entry is a stored item: its place, and itself as the JSON it is answered
// with, so that reading it is copying it.
type entry struct {
	key  string
	data string
	size int // by DynamoDB's rules
}

// newEntry puts key and data into one piece of memory: a million items are
// then a million objects for the garbage collector, not two.
func newEntry(key string, it item) entry {
	text := string(appendItem(append(make([]byte, 0, 512), key...), it))
	return entry{key: text[:len(key)], data: text[len(key):], size: it.size()}
}

// decode gives the item of an entry, in scratch where it has room.
func (e entry) decode(scratch item) item {
	it, err := decodeItem(e.data, scratch)
	if err != nil {
		return nil // what was stored was encoded here
	}
	return it
}

// store holds the entries of a table or of an index in the order of a scan.
type store struct {
	tree  *btree.BTreeG[entry]
	bytes int64
}

func newStore() store {
	return store{tree: btree.NewBTreeG(func(a, b entry) bool { return a.key < b.key })}
}

// clone gives the store as it is, whatever is written to either later.
func (s store) clone() store { return store{tree: s.tree.Copy(), bytes: s.bytes} }

// get gives the entry of one key, without a key if there is none.
func (s store) get(key string) entry {
	found, _ := s.tree.Get(entry{key: key})
	return found
}

// replace takes before out and puts after in; an entry without a key is none.
func (s *store) replace(before, after entry) {
	if before.key != "" && before.key != after.key {
		s.tree.Delete(before)
	}
	if after.key != "" {
		s.tree.Set(after)
	}
	s.bytes += int64(after.size - before.size)
}

// span is a range of keys, from inclusive, to exclusive; an empty bound is none.
type span struct {
	from, to string
}

func (s span) contains(key string) bool {
	return key >= s.from && (s.to == "" || key < s.to)
}

// walk visits the entries of a span, in either direction, until visit says no.
func (s store) walk(within span, backward bool, visit func(entry) bool) {
	switch {
	case !backward:
		s.tree.Ascend(entry{key: within.from}, func(e entry) bool { return within.contains(e.key) && visit(e) })
	case within.to == "":
		s.tree.Reverse(func(e entry) bool { return e.key >= within.from && visit(e) })
	default:
		s.tree.Descend(entry{key: within.to}, func(e entry) bool {
			return e.key == within.to || e.key >= within.from && visit(e)
		})
	}
}

// index is a secondary index of a table.
type index struct {
	store
	name       string
	key        keySchema
	local      bool
	projection projection
	throughput throughput
}

// entry gives what the index keeps of a table's item; without a key if the
// item lacks an attribute of the index's key, for then it is not in it.
func (x *index) entry(t *table, base entry, it item) entry {
	for _, a := range x.key.attributes() {
		if _, ok := it.get(a.name); !ok {
			return entry{}
		}
	}
	key := x.key.encode(it) + base.key
	if x.projection.ProjectionType == projectAll {
		return entry{key: key, data: base.data, size: base.size}
	}
	var kept item
	for _, a := range it {
		if x.projects(t, a.name) {
			kept = append(kept, a)
		}
	}
	return newEntry(key, kept)
}

// projects reports whether an attribute is in the index.
func (x *index) projects(t *table, name string) bool {
	return x.projection.ProjectionType == projectAll || x.key.has(name) || t.key.has(name) ||
		slices.Contains(x.projection.NonKeyAttributes, name)
}

// check refuses an item whose attributes cannot be keys of the index; lacking
// them is fine.
func (x *index) check(it item) error {
	for i, a := range x.key.attributes() {
		v, ok := it.get(a.name)
		if !ok {
			continue
		}
		limit := maxPartitionKey
		if i == 1 {
			limit = maxSortKey
		}
		if err := a.check(v, limit); err != nil {
			refusal := *asAPIError(err)
			refusal.message += " IndexName: " + x.name
			return &refusal
		}
	}
	return nil
}

// table is one table. Its description never changes after it was made; what
// it holds changes under the engine's lock, in apply alone.
type table struct {
	store
	name       string
	id         string
	created    time.Time
	key        keySchema
	attributes []attributeDefinition
	indexes    []*index
	onDemand   bool
	throughput throughput
	protected  bool
	replicas   replicas
	ttl        string // the attribute, "" while time to live is off
}

func (t *table) arn() string { return arnPrefix + t.name }

const arnPrefix = "arn:aws:dynamodb:us-east-1:000000000000:table/"

func (t *table) index(name string) *index {
	for _, x := range t.indexes {
		if x.name == name {
			return x
		}
	}
	return nil
}

// clone gives a table that holds the same, whatever is written to either later.
func (t *table) clone() *table {
	out := *t
	out.store, out.indexes = t.store.clone(), nil
	for _, x := range t.indexes {
		copied := *x
		copied.store = x.store.clone()
		out.indexes = append(out.indexes, &copied)
	}
	return &out
}

// checkNew reports whether the table can hold an item.
func (t *table) checkNew(it item) error {
	if it.size() > maxItem {
		return invalid("Item size has exceeded the maximum allowed size of 400 KB")
	}
	for _, x := range t.indexes {
		if err := x.check(it); err != nil {
			return err
		}
	}
	return nil
}

// change is what one action does to a table: an entry without a key means
// no item. It is worked out first and applied later, all changes of a
// transaction at once.
type change struct {
	table         *table
	before, after entry
	indexes       []indexChange
}

type indexChange struct {
	index         *index
	before, after entry
}

// plan works out what replacing an item does to the indexes too.
func (t *table) plan(before, after entry, old, new item) change {
	c := change{table: t, before: before, after: after}
	for _, x := range t.indexes {
		ic := indexChange{index: x}
		if before.key != "" {
			ic.before = x.entry(t, before, old)
		}
		if after.key != "" {
			ic.after = x.entry(t, after, new)
		}
		if ic.before != ic.after {
			c.indexes = append(c.indexes, ic)
		}
	}
	return c
}

// apply makes outcomes happen and counts what they cost. Everything that is
// ever written passes here.
func (e *Engine) apply(outcomes []outcome, factor halfUnits) map[string]*consumption {
	used := map[string]*consumption{}
	for _, o := range outcomes {
		o.table.replace(o.before, o.after)
		for _, ic := range o.indexes {
			ic.index.replace(ic.before, ic.after)
		}
		touch(used, o.table.name).write(o.change, factor)
	}
	return used
}
