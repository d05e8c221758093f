package counter

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// Highest is the highest id in use of one counter.
type Highest struct {
	ID    string // empty if no id is in use
	Table string // table of the item with this id
	Key   attr.Key
	// Sought is set if the layout names the places of the ids. Complete is set if the reads cover all ids.
	Sought, Complete bool
}

// Least returns the smallest value with which the counter hands out only unused ids. It is empty if no id is in
// use.
func (h Highest) Least(c *layout.Counter) string {
	if h.ID == "" || c.Semantics != layout.Next {
		return h.ID
	}
	least, _ := c.Add(h.ID, big.NewInt(1))
	return least
}

// take records an id of an item, if it is the highest so far. Ids have no leading zeros, so a longer id is higher.
func (h *Highest) take(id, table string, key attr.Key) {
	if len(h.ID) < len(id) || len(h.ID) == len(id) && h.ID < id {
		h.ID, h.Table, h.Key = id, table, key
	}
}

// idTables returns the tables that contain ids of the counter. A tally has none.
func (c *Counter) idTables() []string {
	var tables []string
	if c.Semantics == layout.Tally {
		return nil
	}
	for n := range c.Layout.IDs {
		if name := c.Layout.IDs[n].TableOf(c.table.Name); !slices.Contains(tables, name) {
			tables = append(tables, name)
		}
	}
	return tables
}

// FindHighestID looks for the counter's highest id in use, in the places that its layout names. It uses no more
// than AutoReadUnits. If that is not enough, Complete is false.
func (c *Counter) FindHighestID(ctx context.Context) (Highest, error) {
	conn := c.table.Connection()
	s := &sought{Counter: c, highest: Highest{Complete: true}}
	tables := c.idTables()
	if s.highest.Sought = len(tables) > 0; !s.highest.Sought {
		return s.highest, nil
	}
	l := lookUp{r: conn.Reader(), most: conn.AutoReadUnits()}
	at, ok, err := l.highestAtOnce(ctx, c)
	if ok && at.Complete || err != nil {
		return at, err
	}
	if ok {
		s.highest.ID, s.highest.Table, s.highest.Key = at.ID, at.Table, at.Key
	}
	l.of = []*sought{s}
	for _, name := range tables {
		if err := l.sweep(ctx, name); err != nil {
			return s.highest, err
		}
	}
	return s.highest, nil
}

// HighestAtOnce looks for the highest id with one read for each place of ids: it reads the last item of a partition or
// of an index. If the ids are in another table, and the table is small, HighestAtOnce reads the whole table within
// AutoReadUnits. It returns false if these reads do not give the id. A global index may lag, so Complete is false for
// an id from a global index.
func (c *Counter) HighestAtOnce(ctx context.Context) (Highest, bool, error) {
	conn := c.table.Connection()
	return (&lookUp{r: conn.Reader(), most: conn.AutoReadUnits()}).highestAtOnce(ctx, c)
}

func (l *lookUp) highestAtOnce(ctx context.Context, c *Counter) (Highest, bool, error) {
	t, h := c.table, Highest{Sought: true, Complete: true}
	if c.Semantics == layout.Tally || len(c.Layout.IDs) == 0 || float64(len(c.Layout.IDs)) > l.left() {
		return h, false, nil
	}
	s := &sought{Counter: c}
	one := placesOf([]*sought{s})
	for n := range c.Layout.IDs {
		ids := &c.Layout.IDs[n]
		d := t.DescriptionOf(ids.TableOf(t.Name))
		order, ok := ids.Order(c.Layout, t.Schema, c.Key, d.Schema, d.Sorted)
		var page client.Page
		var err error
		whole := true
		switch {
		case ok:
			page, err = l.r.Query(ctx, d.Name, order.Schema, order.Hash, order.Prefix,
				client.PageInput{Limit: 1, Consistent: order.Whole, Backward: true, Index: order.Index})
		case ids.Table != "" && d.Items <= smallTable && d.Bytes <= smallTable*client.UnitBytes/4:
			whole, err = l.readTable(ctx, d.Name, d.Bytes, func(item attr.Item) { one.see(d.Name, item) })
		default:
			return h, false, nil
		}
		if err != nil {
			if client.KindOf(err) == client.Denied {
				err = nil
			}
			return h, false, err
		}
		if !whole || len(page.Items) > 1 || len(page.Items) == 0 && page.Last != nil {
			return h, false, nil
		}
		for _, item := range page.Items {
			if id, _, is := ids.Of(d.Schema, item); !is || !c.Layout.Mints(id) ||
				!order.Highest(item.At(order.Schema.RangeName).Text) {
				return h, false, nil // another item sorts above the ids
			}
			one.see(d.Name, item)
		}
		h.Complete = h.Complete && (!ok || order.Whole)
	}
	h.ID, h.Table, h.Key = s.highest.ID, s.highest.Table, s.highest.Key
	return h, true, nil
}

// HighestAtOnce reads another table as a whole only if the table has at most smallTable items, of 1 KB on average.
const smallTable = 200

// mostLookedUp is the greatest number of counters that LookUpIDs looks up one by one.
const mostLookedUp = 50

// LookUpIDs looks up the highest ids of the counters of one connection, with at most the given number of read units.
// First it looks up the first mostLookedUp counters one by one, as HighestAtOnce does. Then it reads whole tables
// with ids, the smallest first, within the rest of the units. If a counter seems to be behind, LookUpIDs reads the
// counter again: the counter may have risen before its ids were read.
func LookUpIDs(ctx context.Context, counters []Counter, most float64) {
	if len(counters) == 0 {
		return
	}
	l := lookUp{r: counters[0].table.Connection().Reader(), most: most}
	var tables []string
	for n := range counters {
		c := &counters[n]
		if n < mostLookedUp {
			h, ok, err := l.highestAtOnce(ctx, c)
			if ok && err == nil {
				l.compare(ctx, c, h)
			}
		}
		if c.IDsChecked {
			continue
		}
		in := c.idTables()
		if len(in) == 0 {
			continue
		}
		l.of = append(l.of, &sought{Counter: c, highest: Highest{Complete: true}})
		tables = append(tables, in...)
	}
	slices.Sort(tables)
	tables = slices.Compact(tables)
	slices.SortStableFunc(tables, func(a, b string) int { return cmp.Compare(l.bytes(a), l.bytes(b)) })
	failed := false
	for _, name := range tables {
		if failed = failed || l.sweep(ctx, name) != nil; failed {
			l.incomplete(name)
		}
	}
	for _, s := range l.of {
		// A part of the ids does not give the highest id, but can show that the counter is behind.
		if s.highest.Complete || s.highest.ID != "" && s.Exists && s.Layout.Behind(s.Value, s.highest.ID) {
			l.compare(ctx, s.Counter, s.highest)
		}
	}
}

// lookUp reads the ids of several counters with one budget.
type lookUp struct {
	r    *client.Reader
	most float64
	of   []*sought
}

// sought is a counter with the highest of its ids that were read so far.
type sought struct {
	*Counter
	highest Highest
}

func (l *lookUp) left() float64 { return l.most - l.r.Units }

// bytes returns the size of a table with ids.
func (l *lookUp) bytes(table string) int64 {
	for _, s := range l.of {
		if slices.Contains(s.idTables(), table) {
			return s.table.DescriptionOf(table).Bytes
		}
	}
	return 0
}

// sweep reads a whole table for all counters that have ids there. If the rest of the budget is too small, or AWS
// denies the read, the ids of these counters are not complete.
func (l *lookUp) sweep(ctx context.Context, table string) error {
	bytes := l.bytes(table)
	if float64(bytes)/client.UnitBytes > l.left() {
		l.incomplete(table)
		return nil
	}
	in := placesOf(l.of)
	whole, err := l.readTable(ctx, table, bytes, func(item attr.Item) { in.see(table, item) })
	if !whole {
		l.incomplete(table)
	}
	if client.KindOf(err) == client.Denied {
		return nil
	}
	return err
}

// readTable reads a table as far as the budget lasts, and visits its items. whole is true if it has read all of them.
func (l *lookUp) readTable(
	ctx context.Context, table string, bytes int64, visit func(attr.Item),
) (whole bool, err error) {
	all := &client.Sweep{
		Expected: bytes,
		Page:     func(ctx context.Context, in client.PageInput) (client.Page, error) { return l.r.Scan(ctx, table, in) },
	}
	err = all.Run(ctx, l.left, visit)
	return all.Complete, err
}

// incomplete records that a table was not read to its end.
func (l *lookUp) incomplete(table string) {
	for _, s := range l.of {
		s.highest.Complete = s.highest.Complete && !slices.Contains(s.idTables(), table)
	}
}

// compare records the highest id of a counter. If the counter seems to be behind, compare first reads the counter
// again. If it cannot be read, compare records nothing.
func (l *lookUp) compare(ctx context.Context, c *Counter, h Highest) {
	if c.Exists && h.ID != "" && c.Layout.Behind(c.Value, h.ID) {
		if l.left() < 1 {
			return
		}
		again, err := c.rereadWith(ctx, l.r)
		if err != nil {
			return
		}
		*c = again
	}
	c.TakeIDs(h.ID, h.Complete)
}

// places are the places of the ids of counters. Counters of one family share their places, so that each item is
// parsed once for all of them.
type places []*family

// family is a counter of the layout with the counters of the table that match it. by lists these counters by the ID
// of their key. The ID is empty if only one counter matches.
type family struct {
	table *dynamo.Table
	of    *layout.Counter
	by    map[string][]*sought
}

func placesOf(counters []*sought) places {
	var out places
	for _, s := range counters {
		n := slices.IndexFunc(out, func(f *family) bool { return f.of == s.Layout && f.table == s.table })
		if n < 0 {
			n = len(out)
			out = append(out, &family{s.table, s.Layout, map[string][]*sought{}})
		}
		f, key := out[n], ""
		if f.varies() {
			key = s.Counter.Key.ID()
		}
		f.by[key] = append(f.by[key], s)
	}
	return out
}

// varies reports whether several counters can belong to the family. Then each id shows its counter's key.
func (f *family) varies() bool {
	return !f.of.KeyIsValue(f.table.Schema) && !f.of.Fixed(f.table.Schema)
}

// see takes the ids of an item.
func (p places) see(table string, item attr.Item) {
	for _, f := range p {
		schema := f.table.SchemaOf(table)
		for n := range f.of.IDs {
			ids := &f.of.IDs[n]
			if ids.TableOf(f.table.Name) != table {
				continue
			}
			id, vars, ok := ids.Of(schema, item)
			if !ok || !f.of.Mints(id) {
				continue
			}
			name := ""
			if f.varies() {
				key, err := f.of.KeyFor(f.table.Schema, vars)
				if err != nil {
					continue
				}
				name = key.ID()
			}
			at, _ := schema.KeyOf(item)
			for _, s := range f.by[name] {
				s.highest.take(id, table, at)
			}
		}
	}
}
