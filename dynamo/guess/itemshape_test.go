package guess_test

import (
	"fmt"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
)

// If all items of a shape have the same sort key, it is a part of their template, even if it is very short.
func TestTemplatesOfConstantSortKeys(t *testing.T) {
	t.Parallel()
	keys := attr.Schema{HashName: "PK", HashKind: attr.S, RangeName: "SK", RangeKind: attr.S}
	for sort, want := range map[string]string{"A": "A", "a": "a", "1": "1", "{}": "{{}}"} {
		var items []attr.Item
		add := func(pk, sk string) {
			items = append(items, attr.Item{"PK": attr.String(pk), "SK": attr.String(sk), "name": attr.String("Ada")})
		}
		for n := range 12 {
			add(fmt.Sprintf("USER#%03d", n), sort)
			add(fmt.Sprintf("ORDER#%03d", n), fmt.Sprintf("x%d", n%6))
		}
		shapes := guess.ItemShapes(keys, items)
		if len(shapes) != 2 {
			t.Fatalf("%+v", shapes)
		}
		for _, sh := range shapes {
			pk, sk := sh.Templates("id")
			switch {
			case pk == "USER#{id}" && sk == want, pk == "ORDER#{id}" && sk == "{s}":
			default:
				t.Errorf("%s: %s / %s", sh.Keys, pk, sk)
			}
		}
	}
}
