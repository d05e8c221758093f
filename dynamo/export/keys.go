package export

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// inferKeys infers a table's key schema from its items: every item has the key attributes,
// each of one type, and no two items have the same key. If only one attribute can be the key,
// it is; of several it is those called PK and SK, in any case and with underscores around.
func inferKeys(table string, items []attr.Item, said []string) (attr.Schema, error) {
	have := map[string]attr.Kind{}
	for n, item := range items {
		if n == 0 {
			for name, v := range item {
				have[name] = v.Kind
			}
		}
		maps.DeleteFunc(have, func(name string, kind attr.Kind) bool {
			return item[name].Kind != kind || kind != attr.S && kind != attr.N && kind != attr.B
		})
	}
	all := slices.Sorted(maps.Keys(have))
	called := func(name string) []string {
		return slices.DeleteFunc(slices.Clone(all),
			func(one string) bool { return strings.ToLower(strings.Trim(one, "_")) != name })
	}
	names := slices.Concat(called("pk"), called("sk"))
	switch {
	case len(said) > 2:
		return attr.Schema{}, noKeys(table, "a key has two parts at most")
	case len(said) > 0:
		names = said
	case len(all) == 1:
		names = all
	case len(called("pk")) != 1 || len(called("sk")) > 1:
		return attr.Schema{}, noKeys(table,
			fmt.Sprintf("every item has %s", cmp.Or(strings.Join(all, ", "), "no attribute in common with the others")))
	}
	for _, name := range names {
		if have[name] == "" {
			return attr.Schema{}, noKeys(table, "not every item has "+name+", as text, a number or bytes of one type")
		}
	}
	schema := attr.Schema{HashName: names[0], HashKind: have[names[0]]}
	if len(names) == 2 {
		schema.RangeName, schema.RangeKind = names[1], have[names[1]]
	}
	seen := map[string]bool{}
	for _, item := range items {
		key, _ := schema.KeyOf(item)
		if seen[key.ID()] {
			return attr.Schema{}, noKeys(table, "several items have the same "+keyNames(schema))
		}
		seen[key.ID()] = true
	}
	return schema, nil
}

func keyNames(s attr.Schema) string {
	if s.RangeName == "" {
		return s.HashName
	}
	return s.HashName + " and " + s.RangeName
}

// noKeys returns the error of an export from which its table's keys cannot be inferred.
func noKeys(table, why string) error {
	return &client.Error{
		Kind: client.Usage,
		Op:   "telling the keys of " + table + " by its export",
		Why:  why,
		Do:   "name them with --keys, partition key first, such as --keys PK,SK",
	}
}
