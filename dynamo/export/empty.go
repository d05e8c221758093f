package export

import (
	"context"
	"maps"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded"
)

// Described reports whether the config has a layout for a table. Only then can OpenEmpty open the table.
func Described(o dynamo.Options, table string) bool {
	if o.ReadLayouts != nil {
		all, err := o.ReadLayouts()
		if err != nil {
			return false // the error comes back when the table is opened
		}
		o.Layouts = all
	}
	return described(o, client.BareName(table))
}

// OpenEmpty opens a table without an endpoint and without items. An embedded engine has an empty table for each key
// schema. schemas maps the name or the ARN of a table to its key schema. The layout comes from the config. id
// becomes the id of the opened table.
func OpenEmpty(
	ctx context.Context, o dynamo.Options, name, id string, schemas map[string]attr.Schema,
) (*dynamo.Table, error) {
	engine := embedded.New()
	for _, table := range slices.Sorted(maps.Keys(schemas)) {
		if err := fill(ctx, engine, client.BareName(table), schemas[table], nil); err != nil {
			return nil, err
		}
	}
	o.Transport, o.AutoReadUnits = engine.Transport(), costsNothing
	conn, err := dynamo.Connect(ctx, o)
	if err != nil {
		return nil, err
	}
	t, err := conn.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	t.ID = id
	return t, nil
}
