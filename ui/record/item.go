package record

import (
	"cmp"
	"slices"

	"tallylock/dynamo/attr"
)

// Items are items as they are, as DynamoDB JSON. The columns are all attributes that one of
// them has, those of the key first.
func Items(schema attr.Schema, items []attr.Item) List {
	l := List{Rows: rowsOf(items, func(item attr.Item) attr.Item { return item })}
	seen := map[string]bool{}
	for _, item := range items {
		for name := range item {
			if !seen[name] {
				seen[name] = true
				l.Heads = append(l.Heads, name)
			}
		}
	}
	place := map[string]int{schema.HashName: -2, schema.RangeName: -1}
	slices.SortFunc(l.Heads, func(a, b string) int { return cmp.Or(cmp.Compare(place[a], place[b]), cmp.Compare(a, b)) })
	return l
}
