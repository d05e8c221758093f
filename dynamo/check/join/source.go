package join

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/scan"
)

// Source is a table that a check reads, or its export.
type Source struct {
	index  byte // its index among the tables of the check
	Name   string
	Schema attr.Schema
	// Expiry is the attribute with the TTL; empty if the table has none.
	Expiry     string
	Attributes []string // the columns of its rows
	Export     *scan.TableExport
	// MarkColumn and ExpiryColumn are the columns of the release mark and of the TTL; −1 if the
	// attribute is not read.
	MarkColumn, ExpiryColumn int
}

// Column returns the column of an attribute; −1 if it is not read.
func (s *Source) Column(name string) int {
	if name == "" {
		return -1
	}
	return slices.Index(s.Attributes, name)
}

// ExpiresAt returns the TTL of a row. The value does not exist if the row does not expire.
func (s *Source) ExpiresAt(row scan.Row) attr.Value {
	if s.ExpiryColumn < 0 || row[s.ExpiryColumn].Kind != attr.N {
		return attr.Value{}
	}
	return row[s.ExpiryColumn]
}

// Items returns about how many items the table or its export has.
func (s *Source) Items(t *dynamo.Table) int64 {
	if s.Export != nil && s.Export.Items > 0 {
		return s.Export.Items
	}
	return t.DescriptionOf(s.Name).Items
}

// SourcesOf returns the tables that a check reads. The accounts' table is the first.
func SourcesOf(t *dynamo.Table) []*Source {
	var all []*Source
	for n, name := range t.Tables() {
		all = append(all, &Source{index: byte(n), Name: name, Schema: t.SchemaOf(name)})
	}
	return all
}
