package find_test

import (
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
)

// ParseQuery takes texts literally. A partition key needs quotes if it has blanks, or if it could be the name of an
// index. The beginning of the sort keys needs quotes only if it begins or ends with a blank.
func TestTypedQueries(t *testing.T) {
	schema := attr.Schema{HashName: "pk", HashKind: attr.S, RangeName: "sk", RangeKind: attr.S}
	table := &dynamo.Table{Description: client.Description{Name: "tab", Schema: schema, Queryable: []attr.Index{{Name: "by-day", Schema: schema}}}}
	for text, want := range map[string][3]string{ // an index, a partition key, and the beginning of the sort keys
		"a":                   {"", "a", ""},
		`"A B" P Q`:           {"", "A B", "P Q"},
		`"A B" "P Q"`:         {"", "A B", "P Q"},
		`a "P "`:              {"", "a", "P "},
		"by-day a p":          {"by-day", "a", "p"},
		`by-day "a b" "p "`:   {"by-day", "a b", "p "},
		`"by-day" a`:          {"", "by-day", "a"},
		`by-day "by-day" "p"`: {"by-day", "by-day", "p"},
		"by-day":              {"", "by-day", ""},
	} {
		q, err := find.ParseQuery(table, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := [3]string{q.Index, q.Hash.Display(), q.Prefix}; got != want {
			t.Errorf("%s: %q; want %q", text, got, want)
		}
	}
	for _, text := range []string{"", `"a`, `a "p`, `a "p" q`, `by-day "a`} {
		if q, err := find.ParseQuery(table, text); client.KindOf(err) != client.Usage {
			t.Errorf("%s: %+v, %v; want an error of usage", text, q, err)
		}
	}
}
