package check

import (
	"context"

	"tallylock/dynamo"
	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/export"
)

// SQL returns the first reading of a check of the table, for package sql to write. It asks
// for the tables' TTL attributes, and reads no item.
func SQL(ctx context.Context, t *dynamo.Table) (*sql.Check, error) {
	r := newRun(t, Options{})
	if err := r.expiry.describe(ctx); err != nil {
		return nil, err
	}
	return r.asSQL(), nil
}

// asSQL returns the run's first reading, once the TTL attributes are known.
func (r *run) asSQL() *sql.Check {
	t := r.t
	c := &sql.Check{Layout: t.Layout, Hash: r.report.layout, Mark: dynamo.MarkAttribute}
	for _, from := range r.sources {
		c.Tables = append(c.Tables,
			sql.Table{Name: from.name, ID: t.DescriptionOf(from.name).ID, Schema: from.schema, Expiry: from.expiry})
	}
	return c
}

// ManifestOf returns what the manifests of an export say of the table t, or of one in which
// t's layout keeps locks or ids. It refuses an export of another table.
func ManifestOf(e *export.Export, t *dynamo.Table, name string) (*sql.Manifest, error) {
	one, err := e.Of(t, name, len(e.Tables) > 1)
	if err != nil {
		return nil, err
	}
	return &sql.Manifest{At: one.At, Items: one.Items}, nil
}
