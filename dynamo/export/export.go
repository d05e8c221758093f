// Package export finds a table's export in a scan.Export, which may have the exports of several tables. It
// can also open a table from its export, without an endpoint. For this, an embedded engine holds some of
// the exported items.
package export

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/scan"
)

// Of returns the export of the table called name. This name is t's own, or the name of another table in
// which t's layout keeps locks or ids. several is true if there is such another table. Then the export must
// have manifests, because only they tell which files belong to which table. Of refuses the export of an
// older table with the same name.
func Of(e *scan.Export, t *dynamo.Table, name string, several bool) (*scan.TableExport, error) {
	var found []*scan.TableExport
	var have []string
	for _, one := range e.Tables {
		if one.Table == client.BareName(name) || one.Table == "" {
			found = append(found, one)
		}
		have = append(have, one.Table)
	}
	switch {
	case len(found) == 0:
		return nil, scan.WrongExport(
			e.Dir,
			fmt.Sprintf("there is no export of the table %s, only of %s", name,
				strings.Join(slices.Compact(slices.Sorted(slices.Values(have))), ", ")),
		)
	case len(found) > 1:
		return nil, scan.WrongExport(e.Dir,
			fmt.Sprintf("there are %d exports of the table %s; name the directory of one export", len(found), name))
	case found[0].Table == "" && several:
		return nil, scan.WrongExport(e.Dir,
			"the layout "+t.Layout.Name+" uses several tables, and without manifests it is unknown which file belongs to which table")
	case e.Inferred == "" && found[0].ID != "" && t.DescriptionOf(name).ID != "" && found[0].ID != t.DescriptionOf(name).ID:
		return nil, scan.WrongExport(
			e.Dir,
			fmt.Sprintf("this is an export of a different table that was also called %s: its table had the id %s, today's table has %s", name,
				found[0].ID, t.DescriptionOf(name).ID),
		)
	}
	return found[0], nil
}

// costsNothing is a budget of read units that is never used up. The items are in memory, so reading them
// costs nothing.
const costsNothing = 1e12

// sampleItems is the greatest number of items that are read from a table's export to infer the table's keys and
// layout. If the config has a layout for the table to open, describedItems are enough.
const (
	sampleItems    = 10_000
	describedItems = 1000
)

// described reports whether the config has a layout for a table.
func described(o dynamo.Options, table string) bool {
	for _, l := range o.Layouts {
		for _, name := range l.Tables {
			if client.BareName(name) == table {
				return true
			}
		}
	}
	return false
}

// OpenTable opens a table from its export, without an endpoint. An embedded engine holds some items of each
// exported table. The layout is inferred from these items, unless it is configured. A check can read the
// export, but it cannot read an item of the table again. keys has the names of key attributes that a person
// gave. All other keys are inferred from the items. name may be empty if the export has one table.
func OpenTable(
	ctx context.Context, e *scan.Export, o dynamo.Options, name string, keys Keys,
) (*dynamo.Table, error) {
	name = client.BareName(name) // without an endpoint, an ARN means nothing
	if name == "" && len(e.Tables) == 1 {
		name = e.Tables[0].Table
	}
	if name == "" ||
		len(e.Tables) > 1 && !slices.ContainsFunc(e.Tables, func(one *scan.TableExport) bool { return one.Table == name }) {
		return nil, &client.Error{
			Kind:   client.Usage,
			Op:     "choosing the table",
			Why:    "the export in " + e.Dir + " does not name its table",
			Remedy: remedy.Of(remedy.NameTable),
		}
	}
	engine, own, partial, err := sample(ctx, e, name, o, keys)
	if err != nil {
		return nil, err
	}
	o.Transport, o.AutoReadUnits, o.Partial = engine.Transport(), costsNothing, partial
	conn, err := dynamo.Connect(ctx, o)
	if err != nil {
		return nil, err
	}
	t, err := conn.Open(ctx, name)
	if err != nil {
		if client.KindOf(err) == client.NoTable {
			return nil, scan.WrongExport(e.Dir,
				"the layout uses a table without an export, or with unclear keys: "+err.Error())
		}
		return nil, err
	}
	t.ID = own.ID
	var assumed []string
	for _, table := range t.Tables() {
		assumed = append(assumed, "that the keys of "+table+" are "+keyNames(t.SchemaOf(table)))
	}
	e.Inferred = "no endpoint was asked, so tallylock assumes " + strings.Join(assumed, ", and ") + ", and does not know which items expire"
	if !t.Layout.Configured {
		e.Inferred += "; the layout " + t.Layout.Name + " was recognised from " + phrase.Count(min(t.Items, sampleItems), "item") + " of the export"
	}
	return t, nil
}

// sample returns an engine with some items of each exported table. own is the export of the table called name. partial
// is false if these are certainly all items of the exported tables.
func sample(
	ctx context.Context, e *scan.Export, name string, o dynamo.Options, said Keys,
) (engine *embedded.Engine, own *scan.TableExport, partial bool, err error) {
	engine = embedded.New()
	items, most := map[string][]attr.Item{}, sampleItems
	if described(o, name) {
		most = describedItems
	}
	for _, one := range e.Tables {
		table := cmp.Or(one.Table, name)
		if _, known := items[table]; known {
			continue // a second export of this table: Of refuses it later
		}
		if items[table], err = one.Head(ctx, most); err != nil {
			return nil, nil, false, err
		}
		if table == name {
			own = one
		}
		partial = partial || int64(len(items[table])) != one.Items
	}
	if own == nil {
		return nil, nil, false, scan.WrongExport(e.Dir, "there is no export of the table "+name)
	}
	if err := said.exported(e, items); err != nil {
		return nil, nil, false, err
	}
	schema, err := inferKeys(name, items[name], said.of(name, name))
	if err != nil {
		return nil, nil, false, err
	}
	if err := fill(ctx, engine, name, schema, items[name]); err != nil {
		return nil, nil, false, err
	}
	hints := hintsOf(o, items[name], schema)
	for table, some := range items {
		if table == name {
			continue
		}
		names := said.of(table, name)
		schema, err := inferKeys(table, some, names)
		if err != nil && (len(names) == 0 || len(some) == 0) {
			schema, err = hints.lockKeys(table, some, names, err)
		}
		if err != nil && len(names) == 0 && !hints.needs(table) {
			continue // perhaps the layout does not need this table
		} else if err != nil {
			return nil, nil, false, err
		}
		if err := fill(ctx, engine, table, schema, some); err != nil {
			return nil, nil, false, err
		}
	}
	return engine, own, partial, nil
}

// fill creates a table in the engine, and puts the items into it.
func fill(ctx context.Context, engine *embedded.Engine, table string, schema attr.Schema, items []attr.Item) error {
	keys := []string{schema.HashName + ":" + string(schema.HashKind)}
	if schema.RangeName != "" {
		keys = append(keys, schema.RangeName+":"+string(schema.RangeKind))
	}
	var wire []sdk.Item
	for _, item := range items {
		wire = append(wire, client.WireItem(item))
	}
	err := sdk.Fill(ctx, sdk.Client(engine.Transport()), sdk.Table(table, keys...), wire...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &client.Error{
		Kind: client.Failed,
		Op:   "reading the export of " + table,
		Why:  "an item cannot be in a table: " + sdk.Message(err),
		Do:   "export the table again",
		Err:  err,
	}
}
