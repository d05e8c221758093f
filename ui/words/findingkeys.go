package words

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
)

// FindingKeys are the keys that a finding is about: its lock's, and those of accounts and
// items.
func FindingKeys(t *dynamo.Table, f check.Finding) []attr.Key {
	var keys []attr.Key
	add := func(schema attr.Schema, item attr.Item) {
		if k, ok := schema.KeyOf(item); ok {
			keys = append(keys, k)
		}
	}
	lock := t.Schema
	if f.LockTable != "" {
		lock = t.SchemaOf(f.LockTable)
	}
	add(lock, f.Lock)
	for _, k := range append(slices.Clone(f.Accounts), f.Key) {
		add(t.Schema, k)
	}
	for _, at := range f.Items {
		schema := t.Schema
		if at.Table != "" {
			schema = t.SchemaOf(at.Table)
		}
		add(schema, at.Key)
	}
	return keys
}
