package embedded

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tidwall/btree"
)

// entry is a stored item: its key, and its JSON. Answers contain a copy of this JSON.
type entry struct {
	key  string
	data string
	size int // in bytes, by DynamoDB's rules
}

// newEntry returns the entry of an item. It puts key and data into one piece of memory, so the garbage
// collector has half as many objects.
func newEntry(key string, it item) entry {
	text := string(appendItem(append(make([]byte, 0, 512), key...), it))
	return entry{key: text[:len(key)], data: text[len(key):], size: it.size()}
}

// decode returns the item of an entry. It reuses the memory of scratch.
func (e entry) decode(scratch item) item {
	it, err := decodeItem(e.data, scratch)
	if err != nil {
		return nil // impossible: newEntry wrote the JSON
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

// clone returns a copy. A write to one of the two does not change the other.
func (s store) clone() store { return store{tree: s.tree.Copy(), bytes: s.bytes} }

// get returns the entry with this key. If there is none, the result's key is empty.
func (s store) get(key string) entry {
	found, _ := s.tree.Get(entry{key: key})
	return found
}

// replace removes one entry and adds another. The parameter before is the entry to remove, and after is the entry to
// add. An empty key means that there is no such entry.
func (s *store) replace(before, after entry) {
	if before.key != "" && before.key != after.key {
		s.tree.Delete(before)
	}
	if after.key != "" {
		s.tree.Set(after)
	}
	s.bytes += int64(after.size - before.size)
}

// span is a range of keys. from is the first key of the range, and to is the first key after the range. An
// empty string means no limit.
type span struct {
	from, to string
}

func (s span) contains(key string) bool {
	return key >= s.from && (s.to == "" || key < s.to)
}

// walk visits the entries of a span, forward or backward, until visit returns false.
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

// entry returns an item's entry in the index. base is the item's entry in the table. If the item lacks a
// key attribute of the index, the index does not contain the item. The result's key is then empty. The same
// holds for an item that is older than the index and has an invalid key attribute.
func (x *index) entry(t *table, base entry, it item) entry {
	for i, a := range x.key.attributes() {
		if v, ok := it.get(a.name); !ok || !a.fits(v, keyLimit(i)) {
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

// projects reports whether the entries of the index contain the attribute called name.
func (x *index) projects(t *table, name string) bool {
	return x.projection.ProjectionType == projectAll || x.key.has(name) || t.key.has(name) ||
		slices.Contains(x.projection.NonKeyAttributes, name)
}

// check returns an error if an attribute of the item is invalid as a key of the index. The item may lack
// such an attribute: then the index does not contain the item. The parameter by is the action that wrote
// the item: an update gets another error for an empty key.
func (x *index) check(it item, by verb) error {
	for i, a := range x.key.attributes() {
		v, ok := it.get(a.name)
		switch {
		case !ok:
		case v.kind != a.kind:
			return invalid(
				"One or more parameter values were invalid: Type mismatch for Index Key %s Expected: %s Actual: %s IndexName: %s",
				a.name, a.kind, v.kind, x.name,
			)
		case v.text == "":
			return x.emptyKey(a, by)
		case a.kind != kindN && len(v.text) > keyLimit(i):
			return tooLong(a, keyLimit(i), " IndexName: "+x.name)
		}
	}
	return nil
}

// emptyKey returns the error for an item with an empty attribute a. This attribute is a part of the key of the index.
func (x *index) emptyKey(a keyAttribute, by verb) error {
	text := fmt.Sprintf("A value specified for a secondary index key is not supported. "+
		"The AttributeValue for a key attribute cannot contain an empty %s value. IndexName: %s, IndexKey: %s",
		a.kind.word(), x.name, a.name)
	if by == verbUpdate {
		text = fmt.Sprintf("The update expression attempted to update a secondary index key to a value that is not supported. "+
			"The AttributeValue for a key attribute cannot contain an empty %s value.", a.kind.word())
	}
	empty := invalid("One or more parameter values are not valid. %s", text)
	empty.early = true
	return empty
}

// table is one table. Only apply changes its items, under the engine's lock. UpdateTable replaces the table
// by a changed copy. The copy has the same items.
type table struct {
	store
	name       string
	id         string
	created    time.Time
	key        keySchema
	attributes attributeDefinitions
	indexes    []*index
	onDemand   bool
	throughput throughput
	protected  bool
	class      string // the table class; "" if no request named one
	tags       tags
	replicas   replicas
	ttl        string // the attribute of time to live; "" if time to live is off
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

// clone returns a copy. A write to one of the two does not change the other.
func (t *table) clone() *table {
	out := *t
	out.store, out.indexes, out.tags = t.store.clone(), nil, maps.Clone(t.tags)
	for _, x := range t.indexes {
		copied := *x
		copied.store = x.store.clone()
		out.indexes = append(out.indexes, &copied)
	}
	return &out
}

// checkNew returns an error for an item that the table cannot store. The parameter by is the action that
// wrote the item.
func (t *table) checkNew(it item, by verb) error {
	if it.size() > maxItem {
		return invalid("Item size has exceeded the maximum allowed size of 400 KB")
	}
	for _, x := range t.indexes {
		if err := x.check(it, by); err != nil {
			return err
		}
	}
	return nil
}

// change is the effect of one action on a table. Its entries are the item's entries before and after the
// action. An entry with an empty key means that there is no item. The engine plans all changes of a
// transaction first, and then applies them at once.
type change struct {
	table         *table
	before, after entry
	indexes       []indexChange
}

type indexChange struct {
	index         *index
	before, after entry
}

// plan returns the change that replaces an item in the table and in its indexes. before and old are the
// entry and the attributes of the stored item. after and new are the entry and the attributes of the new
// item.
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

// apply makes the planned changes, and returns the capacity that they consume in each table. factor is
// alone or transacted. Every write of items uses apply.
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
