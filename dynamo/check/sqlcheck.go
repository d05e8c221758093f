package check

import (
	"context"

	"tallylock/dynamo"
	"tallylock/dynamo/check/sql"
)

// SQL is the first reading of a check of the table, for package sql to write. It asks by
// which attributes items expire, and reads no item.
func SQL(ctx context.Context, t *dynamo.Table) (*sql.Check, error) {
	r := newRun(t, Options{})
	if err := r.expiry.ask(ctx); err != nil {
		return nil, err
	}
	return r.asSQL(), nil
}

// asSQL is the run's first reading, once it is known by what items expire.
func (r *run) asSQL() *sql.Check {
	t := r.t
	c := &sql.Check{Layout: t.Layout, Hash: r.layout, Mark: dynamo.MarkAttribute}
	for _, from := range r.sources {
		c.Tables = append(c.Tables, sql.Table{Name: from.name, ID: t.DescriptionOf(from.name).ID, Schema: from.schema, Expiry: from.expiry})
	}
	return c
}

// ManifestOf is what an export that has manifests says of itself. It refuses one of another
// table.
func (e *Export) ManifestOf(t *dynamo.Table, name string) (*sql.Manifest, error) {
	one, err := e.of(t, name, len(e.Tables) > 1)
	if err != nil {
		return nil, err
	}
	return &sql.Manifest{At: one.At, Items: one.Items}, nil
}
