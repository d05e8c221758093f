package screen

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// Keys lists the keys of a table and of its indexes.
func Keys(d *kit.Block, t *dynamo.Table) {
	d.Head(1, "KEYS")
	keys := append([]attr.Index{{Name: "table", Schema: t.Schema}}, t.Sorted...)
	var names []string
	for _, k := range keys {
		names = append(names, k.Name)
	}
	for name := range t.Indexes {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names[len(keys):])
	d.Branch(names, func(n int) kit.Span {
		if n < len(keys) {
			return kit.Text.Of(say.Keys(keys[n].Schema.HashName, keys[n].Schema.RangeName))
		}
		return kit.Text.Of(t.Indexes[names[n]])
	})
}
