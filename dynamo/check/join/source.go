package join

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/scan"
)

// Source is a table that a check reads, or the export of that table.
type Source struct {
	index  byte // index in the check's tables
	Name   string
	Schema attr.Schema
	// Expiry is the TTL attribute. It is empty if the table has none.
	Expiry     string
	Attributes []string // the columns of each row
	Export     *scan.TableExport
	// MarkColumn and ExpiryColumn are the columns of the release mark and of the TTL. Each is −1 if
	// the check does not read the attribute.
	MarkColumn, ExpiryColumn int
}

// Column returns the column of an attribute. It returns −1 if the check does not read the
// attribute.
func (s *Source) Column(name string) int {
	if name == "" {
		return -1
	}
	return slices.Index(s.Attributes, name)
}

// ExpiresAt returns the TTL of a row. It returns an empty value if the row has none.
func (s *Source) ExpiresAt(row scan.Row) attr.Value {
	if s.ExpiryColumn < 0 || row[s.ExpiryColumn].Kind != attr.N {
		return attr.Value{}
	}
	return row[s.ExpiryColumn]
}

// Items returns the approximate number of items of the table or its export.
func (s *Source) Items(t *dynamo.Table) int64 {
	if s.Export != nil && s.Export.Items > 0 {
		return s.Export.Items
	}
	return t.DescriptionOf(s.Name).Items
}

// SourcesOf returns the tables of a check. The first one has the accounts.
func SourcesOf(t *dynamo.Table) []*Source {
	var all []*Source
	for n, name := range t.Tables() {
		all = append(all, &Source{index: byte(n), Name: name, Schema: t.SchemaOf(name)})
	}
	return all
}
