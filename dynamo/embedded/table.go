package embedded

import "time"

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
