package check

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/scan"
)

// source is a table as a check reads it.
type source struct {
	index  byte // among the check's tables
	name   string
	schema attr.Schema
	// expiry is the attribute by which DynamoDB deletes items; empty where it
	// deletes none.
	expiry string
	names  []string // the attributes that are asked for
	ids    []idsOf  // where ids of counters stand
	plain  *plainRoles
	export *scan.TableExport
	// columns are where in names the attributes of locks stand: the release mark and
	// when the item expires; −1 where they are not asked for.
	markColumn, expiryColumn int
}

// sources lists the tables that a check reads: that of the accounts, and those
// that their locks and the ids of counters are in.
func sources(t *dynamo.Table) []*source {
	all := []*source{{name: t.Name, schema: t.Schema}}
	for _, name := range slices.Concat(t.Layout.LockTables(t.Name), t.Layout.IDTables(t.Name)) {
		if !slices.ContainsFunc(all, func(s *source) bool { return s.name == name }) {
			all = append(all, &source{index: byte(len(all)), name: name, schema: t.SchemaOf(name)})
		}
	}
	return all
}

// ask puts together what has to be fetched of each item.
func (s *source) ask(t *dynamo.Table) {
	paths := []string{s.schema.HashName, s.schema.RangeName, s.expiry}
	for _, a := range slices.Concat(t.Layout.Accounts, t.Layout.Keyed) {
		if s.name == t.Name {
			paths = append(paths, a.Is.Attribute)
		}
		if s.name == t.Name {
			for _, c := range a.Unlocked {
				paths = append(paths, c.Attribute)
			}
			for _, d := range a.Derived {
				paths = append(append(paths, d.Attribute), d.Of()...)
			}
		}
		for _, c := range a.Constraints {
			if s.name == t.Name {
				paths = append(paths, c.Attribute)
				paths = append(paths, c.Scope()...)
			}
			if c.LockTable(t.Name) == s.name {
				paths = append(paths, c.Is.Attribute, c.Owner, c.Reserved.Since, dynamo.MarkAttribute)
			}
		}
	}
	for _, c := range t.Layout.Counters {
		if s.name == t.Name {
			paths = append(paths, c.Is.Attribute, c.Attribute)
		}
		for _, ids := range c.IDs {
			if ids.TableOf(t.Name) == s.name {
				paths = append(paths, ids.Is.Attribute, ids.Attribute)
			}
		}
	}
	s.names = attr.Columns(paths...)
	s.markColumn, s.expiryColumn = s.column(dynamo.MarkAttribute), s.column(s.expiry)
}

// column is where an attribute stands in a row; −1 where it is not asked for.
func (s *source) column(name string) int {
	if name == "" {
		return -1
	}
	return slices.Index(s.names, name)
}

// expiresAt is when an item expires; no value where it does not.
func (s *source) expiresAt(row scan.Row) attr.Value {
	if s.expiryColumn < 0 || row[s.expiryColumn].Kind != attr.N {
		return attr.Value{}
	}
	return row[s.expiryColumn]
}

// plainRoles tells locks and accounts by their keys alone, where the layout's keys
// are plain. It says what Classify says, or nothing.
type plainRoles struct {
	hash, sort int // columns of the keys; sort is −1 where the table has none
	locks      []plainLock
	accounts   []plainAccount
	fixed      []string // the partition keys of counters
}

type plainLock struct {
	layout.Plain
	rule    *rule
	account *layout.Account
}

type plainAccount struct {
	layout.Plain
	account *layout.Account
}

// plainRolesOf is nil where keys alone do not tell, or where there are ids to be read.
func plainRolesOf(t *dynamo.Table, from *source, ruleOf map[*layout.Constraint]*rule) *plainRoles {
	p := &plainRoles{hash: from.column(from.schema.HashName), sort: from.column(from.schema.RangeName)}
	if len(from.ids) > 0 {
		return nil
	}
	for _, a := range t.Layout.Accounts {
		for _, con := range a.Constraints {
			if con.LockTable(t.Name) != from.name {
				continue
			}
			plain, ok := con.Plain(from.schema)
			if !ok || con.Is.Attribute != "" || ruleOf[con].plain < 0 {
				return nil
			}
			p.locks = append(p.locks, plainLock{plain, ruleOf[con], a})
		}
	}
	for _, counter := range t.Layout.Counters {
		if !counter.Fixed(from.schema) {
			continue // a family's comes after accounts
		}
		k, err := counter.Key(from.schema)
		if err != nil {
			return nil
		}
		p.fixed = append(p.fixed, k.Hash.Value.Text)
	}
	if from.name != t.Name {
		return p
	}
	for _, a := range t.Layout.Accounts {
		plain, ok := a.Plain(from.schema)
		if !ok || a.Is.Attribute != "" {
			return nil
		}
		p.accounts = append(p.accounts, plainAccount{plain, a})
	}
	return p
}

// items is about how many items the table, or its export, has.
func (s *source) items(t *dynamo.Table) int64 {
	if s.export != nil && s.export.Items > 0 {
		return s.export.Items
	}
	return t.DescriptionOf(s.name).Items
}

// unitsOf is about how many read units one reading of some tables takes, or would take
// where an export is read instead.
func unitsOf(t *dynamo.Table, o *Options, tables []*source, consistent bool) (units float64) {
	for _, from := range tables {
		units += scan.Units(t.DescriptionOf(from.name), o.Segments, consistent)
	}
	return units
}

// schemaIn finds the key schema of one of the tables. It is asked very often.
func schemaIn(sources []*source) func(table string) attr.Schema {
	return func(table string) attr.Schema {
		for _, from := range sources {
			if from.name == table {
				return from.schema
			}
		}
		return attr.Schema{}
	}
}
