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
