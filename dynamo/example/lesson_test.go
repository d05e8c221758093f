package example_test

import (
	"reflect"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/example"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout/config"
)

func item(texts ...string) attr.Item {
	i := attr.Item{}
	for n := 0; n < len(texts); n += 2 {
		i[texts[n]] = attr.String(texts[n+1])
	}
	return i
}

// One account and its lock are enough for a layout.
func TestPairGivesLayout(t *testing.T) {
	own := guess.Sample{Name: "people", Schema: attr.Schema{HashName: "pk", HashKind: attr.S, RangeName: "sk", RangeKind: attr.S}}
	lesson := example.Lesson{}.WithPair(example.Pair{
		Account: item("pk", "USER#17", "sk", "PROFILE", "email", "Ada@example.org", "name", "Ada"),
		Lock:    item("pk", "UNIQ#EMAIL#ada@example.org", "sk", "LOCK", "userId", "17"),
	})
	got, err := lesson.Derive(t.Context(), own, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Layout{Name: "people", Tables: []string{"people"}, Accounts: []config.Account{{
		PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{{
			Name: "email", Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Normalise: []string{"lower"}, Owner: "userId",
		}},
	}}}
	if !reflect.DeepEqual(got.Config, want) {
		t.Errorf("%s", got.Config.TOML())
	}
}
