package check

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/scan"
)

// source is a table that a check reads, or its export.
type source struct {
	index  byte // in run.sources
	name   string
	schema attr.Schema
	// expiry is the attribute with the TTL; empty if the table has none.
	expiry     string
	attributes []string // the columns of its rows
	ids        []idsOf  // which of them have ids of counters
	keyRoles   *keyRoles
	export     *scan.TableExport
	// The columns of the release mark and of the TTL; −1 if they are not read.
	markColumn, expiryColumn int
}

// sources returns the tables that a check reads: the accounts' first.
func sources(t *dynamo.Table) []*source {
	var all []*source
	for n, name := range t.Tables() {
		all = append(all, &source{index: byte(n), name: name, schema: t.SchemaOf(name)})
	}
	return all
}

// column returns the column of an attribute; −1 if it is not read.
func (s *source) column(name string) int {
	if name == "" {
		return -1
	}
	return slices.Index(s.attributes, name)
}

// expiresAt returns the TTL of a row, no value if it does not expire.
func (s *source) expiresAt(row scan.Row) attr.Value {
	if s.expiryColumn < 0 || row[s.expiryColumn].Kind != attr.N {
		return attr.Value{}
	}
	return row[s.expiryColumn]
}

// items returns about how many items the table or its export has.
func (s *source) items(t *dynamo.Table) int64 {
	if s.export != nil && s.export.Items > 0 {
		return s.export.Items
	}
	return t.DescriptionOf(s.name).Items
}

// unitsOf returns about how many read units one reading of these tables takes.
func unitsOf(t *dynamo.Table, o *Options, tables []*source, consistent bool) (units float64) {
	for _, from := range tables {
		units += scan.Units(t.DescriptionOf(from.name), o.Segments, consistent)
	}
	return units
}
