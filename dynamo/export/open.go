package export

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/scan"
)

// costsNothing lets all questions read as much as they like: the items are in memory.
const costsNothing = 1e12

// sampleItems is how many items of an export its keys and its layout are inferred from.
const sampleItems = 10_000

// OpenTable opens a table by its export alone. An embedded engine answers requests with some items
// of each exported table, and the layout is inferred from them as from a table's. The result
// can be checked from the export, but no item of it can be read again. keys are the names of
// the table's key attributes; if there are none, they are inferred from the items. name may
// be empty if the export is of one table.
func (e *Export) OpenTable(ctx context.Context, o dynamo.Options, name string, keys []string) (*dynamo.Table, error) {
	name = client.BareName(name) // no endpoint is asked, which would know the ARN
	if name == "" && len(e.Tables) == 1 {
		name = e.Tables[0].Table
	}
	if name == "" ||
		len(e.Tables) > 1 && !slices.ContainsFunc(e.Tables, func(one *scan.TableExport) bool { return one.Table == name }) {
		return nil, &client.Error{
			Kind: client.Usage,
			Op:   "choosing the table",
			Why:  "the export in " + e.Dir + " does not tell which",
			Do:   "name it with --table",
		}
	}
	engine, own, err := e.sample(ctx, name, keys)
	if err != nil {
		return nil, err
	}
	o.Transport, o.AutoReadUnits = engine.Transport(), costsNothing
	conn, err := dynamo.Connect(ctx, o)
	if err != nil {
		return nil, err
	}
	t, err := conn.Open(ctx, name)
	if err != nil {
		if client.KindOf(err) == client.NoTable {
			return nil, scan.WrongExport(e.Dir,
				"the layout keeps locks or ids in a table that it has no export of, or not one whose keys can be told: "+err.Error())
		}
		return nil, err
	}
	t.ID = own.ID
	e.inferred = fmt.Sprintf("no endpoint was asked: the keys of %s are taken to be %s, and which items expire is not known", name, keyNames(t.Schema))
	if !t.Layout.Configured {
		e.inferred += "; the layout " + t.Layout.Name + " was told by " + phrase.Count(min(t.Items, sampleItems), "item") + " of the export"
	}
	return t, nil
}

// sample reads some items of each table. own is the export of the table of that name.
func (e *Export) sample(
	ctx context.Context, name string, keys []string,
) (engine *embedded.Engine, own *scan.TableExport, err error) {
	engine = embedded.New()
	known := map[string]bool{}
	for _, one := range e.Tables {
		table := cmp.Or(one.Table, name)
		if known[table] {
			continue // Of refuses two exports of one table
		}
		items, err := one.Head(ctx, sampleItems)
		if err != nil {
			return nil, nil, err
		}
		said := keys
		if table != name {
			said = nil
		}
		schema, err := inferKeys(table, items, said)
		if err != nil && table != name {
			continue // the layout may do without it
		} else if err != nil {
			return nil, nil, err
		}
		if err := fill(ctx, engine, table, schema, items); err != nil {
			return nil, nil, err
		}
		if known[table] = true; table == name {
			own = one
		}
	}
	if own == nil {
		return nil, nil, scan.WrongExport(e.Dir, "there is no export of the table "+name+" in it")
	}
	return engine, own, nil
}
