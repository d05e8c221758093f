package browse

import "tallylock/dynamo/attr"

// ItemRow is an item of a table whose layout says nothing about it.
type ItemRow struct {
	Item attr.Item
	Key  attr.Key
}

func itemRows(items []attr.Item, schema attr.Schema) []ItemRow {
	out := make([]ItemRow, 0, len(items))
	for _, item := range items {
		if k, ok := schema.KeyOf(item); ok {
			out = append(out, ItemRow{item, k})
		}
	}
	return out
}
