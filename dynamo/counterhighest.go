package dynamo

import (
	"context"
	"math/big"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// Highest is the highest id that a counter's items carry.
type Highest struct {
	ID    string // empty where none is in use
	Table string // of the item that carries it
	Key   attr.Key
	// Sought: the layout says where ids stand. Complete: all of those tables were read.
	Sought, Complete bool
}

// Least is the least that the counter may say, so that it hands out no id that is in
// use; empty where none is.
func (h Highest) Least(c *layout.Counter) string {
	if h.ID == "" || c.Semantics != layout.Next {
		return h.ID
	}
	least, _ := c.Add(h.ID, big.NewInt(1))
	return least
}

// FindHighestID looks for the highest id of the counter in use, where its layout says that
// ids stand. It reads no more than AutoReadUnits: what that leaves unread makes it incomplete.
func (c *Counter) FindHighestID(ctx context.Context) (Highest, error) {
	t := c.table
	h := Highest{Complete: true}
	if c.Semantics == layout.Tally {
		return h, nil // it hands out none
	}
	var tables []string
	for n := range c.Layout.IDs {
		if name := c.Layout.IDs[n].TableOf(t.Name); !slices.Contains(tables, name) {
			tables = append(tables, name)
		}
	}
	h.Sought = len(tables) > 0
	r, most := t.conn.Reader(), t.conn.AutoReadUnits()
	at, ok, err := c.highestAtOnce(ctx, r, most)
	if ok && at.Complete || err != nil {
		return at, err
	}
	if ok {
		h.ID, h.Table, h.Key = at.ID, at.Table, at.Key
	}
	for _, name := range tables {
		d := t.locks[name]
		if float64(d.Bytes)/client.UnitBytes > most-r.Units {
			h.Complete = false
			continue
		}
		all := &client.Sweep{
			Expected: d.Bytes,
			Page:     func(ctx context.Context, in client.PageInput) (client.Page, error) { return r.Scan(ctx, name, in) },
		}
		err := all.Run(ctx, func() float64 { return most - r.Units }, func(item attr.Item) { h.see(t, c, name, item) })
		if err != nil && client.KindOf(err) != client.Denied {
			return h, err
		}
		h.Complete = h.Complete && all.Complete
	}
	return h, nil
}

// HighestAtOnce is FindHighestID where one read of each place of ids gives it: the last of
// a partition, or of an index, or all of another table that is small. It is false where
// that does not. What a global index answers may lag, and is not complete.
func (c *Counter) HighestAtOnce(ctx context.Context) (Highest, bool, error) {
	return c.highestAtOnce(ctx, c.table.conn.Reader(), c.table.conn.AutoReadUnits())
}

func (c *Counter) highestAtOnce(ctx context.Context, r *client.Reader, most float64) (Highest, bool, error) {
	t, h := c.table, Highest{Sought: true, Complete: true}
	if c.Semantics == layout.Tally || len(c.Layout.IDs) == 0 || float64(len(c.Layout.IDs)) > most {
		return h, false, nil
	}
	for n := range c.Layout.IDs {
		ids := &c.Layout.IDs[n]
		d := t.DescriptionOf(ids.TableOf(t.Name))
		order, ok := ids.Order(c.Layout, t.Schema, c.Key, d.Schema, d.Sorted)
		var page client.Page
		var err error
		switch {
		case ok:
			page, err = r.Query(ctx, d.Name, order.Schema, order.Hash, order.Prefix,
				client.PageInput{Limit: 1, Consistent: order.Whole, Backward: true, Index: order.Index})
		case ids.Table != "" && d.Items <= smallTable && d.Bytes <= smallTable*client.UnitBytes/4:
			page, err = r.Scan(ctx, d.Name, client.PageInput{Limit: smallTable, Consistent: true})
		default:
			return h, false, nil
		}
		if err != nil {
			if client.KindOf(err) == client.Denied {
				err = nil
			}
			return h, false, err
		}
		if !ok && page.Last != nil || ok && (len(page.Items) > 1 || len(page.Items) == 0 && page.Last != nil) {
			return h, false, nil
		}
		for _, item := range page.Items {
			if id, _, is := ids.Of(d.Schema, item); ok &&
				(!is || !c.Layout.Mints(id) || !order.Highest(item.At(order.Schema.RangeName).Text)) {
				return h, false, nil // something else stands above the ids
			}
			h.see(t, c, d.Name, item)
		}
		h.Complete = h.Complete && (!ok || order.Whole)
	}
	return h, true, nil
}

// smallTable is how many items another table has at most that is read in one page.
const smallTable = 200

// mostLookedUp is how many counters LookUpIDs looks up at most.
const mostLookedUp = 50

// LookUpIDs looks up the highest ids of counters in use, where one read of each gives it. One
// that looks behind is read again after its ids, since it may have moved in between.
func LookUpIDs(ctx context.Context, counters []Counter) {
	for n := range counters[:min(len(counters), mostLookedUp)] {
		c := &counters[n]
		h, ok, err := c.HighestAtOnce(ctx)
		if !ok || err != nil {
			continue
		}
		if c.Exists && h.ID != "" && c.Layout.Behind(c.Value, h.ID) {
			again, err := c.Reread(ctx)
			if err != nil {
				continue
			}
			*c = again
		}
		c.TakeIDs(h.ID, h.Complete)
	}
}

// see takes in the ids that an item of a table carries.
func (h *Highest) see(t *Table, c *Counter, table string, item attr.Item) {
	schema := t.SchemaOf(table)
	for n := range c.Layout.IDs {
		ids := &c.Layout.IDs[n]
		if ids.TableOf(t.Name) != table {
			continue
		}
		id, vars, ok := ids.Of(schema, item)
		if !ok || !c.Layout.Mints(id) || (len(h.ID) > len(id) || len(h.ID) == len(id) && h.ID >= id) {
			continue
		}
		if !c.Layout.KeyIsValue(t.Schema) && !c.Layout.Fixed(t.Schema) {
			if key, err := c.Layout.KeyFor(t.Schema, vars); err != nil || !key.Equal(c.Key) {
				continue
			}
		}
		h.ID, h.Table = id, table
		h.Key, _ = schema.KeyOf(item)
	}
}
