package dynamo_test

import (
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
)

// The highest id is read at once where sort keys stand in the order of the ids, and
// nowhere else.
func TestHighestAtOnce(t *testing.T) {
	for _, tc := range []struct {
		name string
		max  string
		ids  []string
		want string // empty: not at once
	}{
		{"zeros before the ids", "9999", []string{"ID#0007", "ID#0012", "ID#0009"}, "12"},
		{"no zeros", "9999", []string{"ID#7", "ID#12", "ID#9"}, ""},
		{"the zeros have run out", "9999", []string{"ID#9998", "ID#10001"}, ""},
		{"nobody says how many digits", "", []string{"ID#0007", "ID#0012"}, ""},
		{"something else after the ids", "9999", []string{"ID#0007", "ID#DRAFT"}, ""},
		{"a shorter one that is higher", "9999", []string{"ID#0007", "ID#012"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := fixture.New(t)
			f.Create("shop", "PK:S", "SK:S")
			f.Put("shop", map[string]types.AttributeValue{"PK": sdk.S("COUNTER"), "SK": sdk.S("VALUE"), "n": &types.AttributeValueMemberN{Value: "20"}})
			for _, id := range tc.ids {
				f.Put("shop", map[string]types.AttributeValue{"PK": sdk.S("ALL"), "SK": sdk.S(id)})
			}
			conn := f.Connect(func(o *dynamo.Options) {
				o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"shop"}, Counters: []config.Counter{{
					PK: "COUNTER", SK: "VALUE", Attribute: "n", Max: tc.max, IDs: []config.IDs{{PK: "ALL", SK: "ID#{number}"}},
				}}}}
			})
			table, err := conn.Open(t.Context(), "shop")
			if err != nil {
				t.Fatal(err)
			}
			counters, _, err := counter.Read(t.Context(), table)
			if err != nil || len(counters) != 1 {
				t.Fatal(counters, err)
			}
			f.Requests()
			h, ok, err := counters[0].HighestAtOnce(t.Context())
			if err != nil || ok != (tc.want != "") || ok && h.ID != tc.want {
				t.Errorf("at once %v: %q (%v), want %q", ok, h.ID, err, tc.want)
			}
			if sent := f.Requests(); slices.Contains(sent, "Scan") || len(sent) > 1 {
				t.Errorf("it sent %v", sent)
			}
		})
	}
}
