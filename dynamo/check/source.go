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
	glance *glance  // nil where keys alone tell nothing
	export *scan.TableExport
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
	for _, a := range t.Layout.Accounts {
		if s.name == t.Name {
			paths = append(paths, a.Is.Attribute)
		}
		for _, c := range a.Constraints {
			if s.name == t.Name {
				paths = append(paths, c.Attribute)
				paths = append(paths, c.Scope()...)
			}
			if c.LockTable(t.Name) == s.name {
				paths = append(paths, c.Is.Attribute, c.Owner, dynamo.MarkAttribute)
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
	s.names = scan.Columns(paths...)
}

// appendKey writes a key as bytes: one for the table, two for the length of the
// partition key, the partition key and the sort key. A sort key that repeats the
// partition key is not written twice.
func (s *source) appendKey(b []byte, hash, sort string) []byte {
	table := s.index
	if s.schema.RangeName != "" && sort == hash {
		table, sort = table|sameKeys, ""
	}
	b = append(b, table, byte(len(hash)>>8), byte(len(hash)))
	b = append(b, hash...)
	return append(b, sort...)
}

// appendPlain is appendKey of a plain key.
func (s *source) appendPlain(b []byte, p *layout.Plain, text string) []byte {
	table, length := s.index, len(p.Prefix)+len(text)
	if p.Same {
		table |= sameKeys
	}
	b = append(b, table, byte(length>>8), byte(length))
	b = append(append(b, p.Prefix...), text...)
	return append(b, p.Sort...)
}

// keyHead is how many bytes of a key are not of its parts.
const keyHead = 3

// What the table of a key is marked with: its two parts are the same; an owner
// follows it.
const (
	sameKeys  = 0x80
	withOwner = 0x40
	marks     = sameKeys | withOwner
)

// appendOwner writes a key together with the account that the lock names.
func appendOwner(b, key []byte, owner string) []byte {
	first := len(b)
	b = append(append(b, key...), owner...)
	b[first] |= withOwner
	return append(b, byte(len(owner)>>8), byte(len(owner)))
}

// splitOwner takes what appendOwner has written apart. Of a key alone the owner is
// empty.
func splitOwner(b []byte) (key []byte, owner string) {
	if len(b) < keyHead || b[0]&withOwner == 0 {
		return b, ""
	}
	end := len(b) - 2
	from := end - (int(b[end])<<8 | int(b[end+1]))
	if from < keyHead {
		return nil, ""
	}
	return b[:from], string(b[from:end])
}

// keyText is a key's text in the one form that DynamoDB compares.
func keyText(v attr.Value) string {
	if v.Kind == attr.N {
		return attr.CanonicalNumber(v.Text)
	}
	return v.Text
}

// keyOf reads a key back.
func keyOf(all []*source, b []byte) (*source, attr.Key, bool) {
	if len(b) < keyHead || int(b[0]&^marks) >= len(all) || len(b) < keyHead+int(b[1])<<8+int(b[2]) {
		return nil, attr.Key{}, false
	}
	s := all[b[0]&^marks]
	return s, s.keyOf(b), true
}

// keyOf reads back a key that appendKey has written.
func (s *source) keyOf(b []byte) attr.Key {
	rest, n := b[keyHead:], int(b[1])<<8|int(b[2])
	hash, sort := string(rest[:n]), string(rest[n:])
	if b[0]&sameKeys != 0 {
		sort = hash
	}
	k := attr.Key{Hash: attr.Attribute{Name: s.schema.HashName, Value: attr.Value{Kind: s.schema.HashKind, Text: hash}}}
	if s.schema.RangeName != "" {
		k.Range = attr.Attribute{Name: s.schema.RangeName, Value: attr.Value{Kind: s.schema.RangeKind, Text: sort}}
	}
	return k
}
