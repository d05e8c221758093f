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
	if at, ok, err := c.highestAtOnce(ctx, r, most); ok || err != nil {
		return at, err
	}
	for _, name := range tables {
		d := t.locks[name]
		if float64(d.Bytes)/unitBytes > most-r.Units {
			h.Complete = false
			continue
		}
		all := &sweep{expected: d.Bytes, page: func(ctx context.Context, in client.PageInput) (client.Page, error) { return r.Scan(ctx, name, in) }}
		err := all.run(ctx, func() float64 { return most - r.Units }, func(item attr.Item) { h.see(t, c, name, item) })
		if err != nil && client.KindOf(err) != client.Denied {
			return h, err
		}
		h.Complete = h.Complete && all.complete
	}
	return h, nil
}

// HighestAtOnce is FindHighestID where one read of each place of ids gives it; false where
// that does not.
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
		table := ids.TableOf(t.Name)
		schema := t.SchemaOf(table)
		hash, prefix, ok := ids.Partition(c.Layout, t.Schema, c.Key, schema)
		if !ok {
			return h, false, nil
		}
		page, err := r.Query(ctx, table, schema, hash, prefix, client.PageInput{Limit: 1, Consistent: true, Backward: true})
		if err != nil {
			if client.KindOf(err) == client.Denied {
				err = nil
			}
			return h, false, err
		}
		if len(page.Items) == 0 && page.Last == nil {
			continue
		}
		if len(page.Items) != 1 {
			return h, false, nil
		}
		key, _ := schema.KeyOf(page.Items[0])
		if id, _, ok := ids.Of(schema, page.Items[0]); !ok || !c.Layout.Mints(id) || !ids.Ordered(c.Layout, schema, key.Range.Value.Text) {
			return h, false, nil // something else stands above the ids
		}
		h.see(t, c, table, page.Items[0])
	}
	return h, true, nil
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
