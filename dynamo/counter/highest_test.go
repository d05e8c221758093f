package counter_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
)

// createIndexed creates a table with an index. The index has two keys, written as name:type. It is local if its
// partition key is the table's partition key.
func createIndexed(f *fixture.Tables, table, hash, sort, name, indexHash, indexSort string) {
	f.T.Helper()
	in := sdk.Table(table, hash, sort)
	var keys []types.KeySchemaElement
	for n, key := range []string{indexHash, indexSort} {
		attribute, kind, _ := strings.Cut(key, ":")
		if !slices.ContainsFunc(in.AttributeDefinitions, func(d types.AttributeDefinition) bool { return *d.AttributeName == attribute }) {
			in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: &attribute, AttributeType: types.ScalarAttributeType(kind)})
		}
		keys = append(keys, types.KeySchemaElement{AttributeName: &attribute, KeyType: []types.KeyType{types.KeyTypeHash, types.KeyTypeRange}[n]})
	}
	keysOnly := &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}
	if indexHash == hash {
		in.LocalSecondaryIndexes = []types.LocalSecondaryIndex{{IndexName: &name, KeySchema: keys, Projection: keysOnly}}
	} else {
		in.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{IndexName: &name, KeySchema: keys, Projection: keysOnly}}
	}
	if err := sdk.Fill(f.T.Context(), f.App(), in); err != nil {
		f.T.Fatal(err)
	}
}

// If an index sorts the ids, one read of the index finds the highest id. The index and its partition are recognised.
// The result is complete if the index is local.
func TestHighestByIndex(t *testing.T) {
	t.Parallel()
	kept := sdk.Item{"PK": sdk.S("COUNTER"), "SK": sdk.S("ORDER"), "val": sdk.N("42")}
	for _, tc := range []struct {
		name, hash, sort string // the index and its keys
		counters         []sdk.Item
		order            func(n int) sdk.Item
		highest          []string // the highest ids; empty if one read does not find the id
		whole            bool
	}{
		{"a number under a constant", "kind:S", "orderNumber:N", []sdk.Item{kept}, func(n int) sdk.Item {
			return sdk.Item{"PK": sdk.S(fmt.Sprintf("ORDER#%08x", n*2654435761)), "SK": sdk.S("META"), "kind": sdk.S("ORDER"), "orderNumber": sdk.N(fmt.Sprint(n))}
		}, []string{"42"}, false},
		{"keys the other way round", "SK:S", "PK:S", []sdk.Item{kept}, func(n int) sdk.Item {
			return sdk.Item{"PK": sdk.S(fmt.Sprintf("ORDER#%06d", n)), "SK": sdk.S("META"), "total": sdk.N("7")}
		}, []string{"42"}, false},
		{"texts with no zeros", "SK:S", "PK:S", []sdk.Item{kept}, func(n int) sdk.Item {
			return sdk.Item{"PK": sdk.S(fmt.Sprintf("ORDER#%d", n)), "SK": sdk.S("META"), "total": sdk.N("7")}
		}, []string{""}, false},
		{"local", "PK:S", "orderNumber:N", []sdk.Item{{"PK": sdk.S("SHOP"), "SK": sdk.S("COUNTER#ORDER"), "val": sdk.N("42")}}, func(n int) sdk.Item {
			return sdk.Item{"PK": sdk.S("SHOP"), "SK": sdk.S(fmt.Sprintf("ORDER#%08x", n*2654435761)), "orderNumber": sdk.N(fmt.Sprint(n))}
		}, []string{"42"}, true},
		{"by tenant", "GSI1PK:S", "invoiceNo:N", []sdk.Item{
			{"PK": sdk.S("TENANT#acme"), "SK": sdk.S("COUNTER#INVOICE"), "val": sdk.N("21")}, {"PK": sdk.S("TENANT#bolt"), "SK": sdk.S("COUNTER#INVOICE"), "val": sdk.N("20")},
		}, func(n int) sdk.Item {
			tenant := []string{"acme", "bolt"}[n%2]
			return sdk.Item{"PK": sdk.S("TENANT#" + tenant), "SK": sdk.S(fmt.Sprintf("INVOICE#%08x", n*2654435761)), "GSI1PK": sdk.S("INVOICES#" + tenant), "invoiceNo": sdk.N(fmt.Sprint((n + 1) / 2))}
		}, []string{"21", "21"}, false},
		{"everywhere", "kind:S", "orderNumber:N", []sdk.Item{kept}, func(n int) sdk.Item { // in several partitions
			return sdk.Item{"PK": sdk.S(fmt.Sprintf("ORDER#%08x", n*2654435761)), "SK": sdk.S("META"), "kind": sdk.S(fmt.Sprintf("ORDER#%d", n%5)), "orderNumber": sdk.N(fmt.Sprint(n))}
		}, []string{""}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := fixture.New(t)
			createIndexed(f, "shop", "PK:S", "SK:S", "in-order", tc.hash, tc.sort)
			f.Put("shop", tc.counters...)
			for n := range 42 {
				f.Put("shop", tc.order(n+1))
			}
			table := f.Open("shop")
			counters, _, err := counter.Read(t.Context(), table)
			if err != nil || len(counters) != len(tc.counters) {
				t.Fatal(counters, err)
			}
			for n, want := range tc.highest {
				f.Requests()
				h, ok, err := counters[n].HighestAtOnce(t.Context())
				if err != nil || ok != (want != "") || ok && (h.ID != want || h.Complete != tc.whole) {
					t.Errorf("%s at once %v: %q, complete %v (%v), want %q; ids %+v", counters[n].Name, ok, h.ID, h.Complete, err, want, counters[n].Layout.IDs)
				}
				if sent := f.Requests(); ok && !slices.Equal(sent, []string{"Query"}) || slices.Contains(sent, "Scan") {
					t.Errorf("it sent %v", sent)
				}
			}
			counter.LookUpIDs(t.Context(), counters, table.Connection().AutoReadUnits())
			for n, want := range tc.highest {
				want = cmp.Or(want, "42") // the table is small enough to be read as a whole
				if behind := tc.name == "by tenant" && n == 1; counters[n].HighestID != want || behind != (len(counters[n].Faults) > 0) {
					t.Errorf("%s: highest %s, %v", counters[n].Name, counters[n].HighestID, counters[n].Faults)
				}
			}
		})
	}
}

// The ids of a counter may be in another table that has the counter's name. If the table is small, it is read at once.
func TestIDsInAnotherTable(t *testing.T) {
	f := fixture.New(t)
	f.Create("autoincrement", "tableName:S", "")
	f.Create("circulars", "circularId:N", "")
	f.Create("notices", "noticeId:N", "")
	f.Put("autoincrement", sdk.Item{"tableName": sdk.S("circulars"), "circularId": sdk.N("40")}, sdk.Item{"tableName": sdk.S("notices"), "circularId": sdk.N("3")}, sdk.Item{"tableName": sdk.S("others"), "circularId": sdk.N("9")})
	for n := range 40 {
		f.Put("circulars", sdk.Item{"circularId": sdk.N(fmt.Sprint(n + 1)), "subject": sdk.S("GRB")})
	}
	for n := range 5 {
		f.Put("notices", sdk.Item{"noticeId": sdk.N(fmt.Sprint(n + 1)), "subject": sdk.S("GRB")})
	}
	table := f.Open("autoincrement")
	counters, _, err := counter.Read(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	counter.LookUpIDs(t.Context(), counters, table.Connection().AutoReadUnits())
	var got []string
	for _, c := range counters {
		got = append(got, fmt.Sprint(c.Name, " ", c.Semantics, " ", c.Value, " ", c.HighestID, " ", c.IDsChecked, " ", c.Faults))
	}
	if want := []string{"circulars last 40 40 true []", "notices last 3 5 true [counter-behind]", "others last 9  false []"}; !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// If a counter rises while its ids are read, it is not reported as behind.
func TestACounterThatMovesIsNotBehind(t *testing.T) {
	f := fixture.New(t)
	f.Create("shop", "PK:S", "SK:S")
	f.Put("shop", sdk.Item{"PK": sdk.S("COUNTER"), "SK": sdk.S("VALUE"), "n": sdk.N("20")})
	table := f.Open("shop", func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"shop"}, Counters: []config.Counter{{
			PK: "COUNTER", SK: "VALUE", Attribute: "n", Max: "9999", IDs: []config.IDs{{PK: "ALL", SK: "ID#{number}"}},
		}}}}
	})
	counters, _, err := counter.Read(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	f.Put("shop", sdk.Item{"PK": sdk.S("COUNTER"), "SK": sdk.S("VALUE"), "n": sdk.N("21")}, sdk.Item{"PK": sdk.S("ALL"), "SK": sdk.S("ID#0021")})
	counter.LookUpIDs(t.Context(), counters, table.Connection().AutoReadUnits())
	if c := counters[0]; c.Value != "21" || c.HighestID != "21" || len(c.Faults) > 0 {
		t.Errorf("%s, highest %s: %v", c.Value, c.HighestID, c.Faults)
	}
}

// If no index sorts the ids, whole tables are read, in one pass for all counters of a table, while the given read units
// last. If a table needs more read units, its counters stay unchecked.
func TestIDsOfSmallTables(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("shop", "PK:S", "SK:S")
	f.Create("big", "PK:S", "SK:S")
	counted := func(name, value string) sdk.Item {
		return sdk.Item{"PK": sdk.S("COUNTER#" + name), "SK": sdk.S("VALUE"), "n": sdk.N(value)}
	}
	f.Put("shop", counted("eu", "20"), counted("us", "6"), counted("none", "3"))
	f.Put("big", counted("order", "12"))
	for n := range 20 {
		f.Put("shop", sdk.Item{"PK": sdk.S("ORG#eu"), "SK": sdk.S(fmt.Sprint("ID#", n+1))})
	}
	for n := range 9 { // more ids than the counter's value 6
		f.Put("shop", sdk.Item{"PK": sdk.S("ORG#us"), "SK": sdk.S(fmt.Sprint("ID#", n+1))})
	}
	for n := range 12 {
		f.Put("big", sdk.Item{"PK": sdk.S(fmt.Sprint("ORDER#", n+1)), "SK": sdk.S("META"), "note": sdk.S(strings.Repeat("x", 40_000))})
	}
	conn := f.Connect(func(o *dynamo.Options) {
		o.Layouts = []config.Layout{
			{Name: "shop", Tables: []string{"shop"}, Counters: []config.Counter{{
				PK: "COUNTER#{org}", SK: "VALUE", Attribute: "n", IDs: []config.IDs{{PK: "ORG#{org}", SK: "ID#{number}"}},
			}}},
			{Name: "big", Tables: []string{"big"}, Counters: []config.Counter{{
				PK: "COUNTER#order", SK: "VALUE", Attribute: "n", IDs: []config.IDs{{PK: "ORDER#{number}", SK: "META"}},
			}}},
		}
	})
	var tables []*dynamo.Table
	for _, name := range []string{"shop", "big"} {
		table, err := conn.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, table)
	}
	for _, tc := range []struct {
		most  float64
		order string // the expected result for the counter of the big table
		small bool   // set if the small table is read
	}{{500, "order 12 true []", true}, {60, "order  false []", true}, {0, "order  false []", false}} {
		counters, _, errs := counter.ReadAll(t.Context(), tables)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		before := conn.Units()
		f.Requests()
		counter.LookUpIDs(t.Context(), counters, tc.most)
		if used := conn.Units() - before; used > tc.most {
			t.Errorf("with %v read units, it used %v", tc.most, used)
		}
		scans := 0
		for _, sent := range f.Requests() {
			if sent == "Scan" {
				scans++
			}
		}
		var got []string
		for _, c := range counters {
			got = append(got, fmt.Sprint(strings.TrimPrefix(c.Key.Hash.Value.Text, "COUNTER#"), " ", c.HighestID, " ", c.IDsChecked, " ", c.Faults))
		}
		slices.Sort(got)
		want := []string{"eu 20 true []", "none  true []", tc.order, "us 9 true [counter-behind]"}
		if !tc.small {
			want = []string{"eu  false []", "none  false []", tc.order, "us  false []"}
		}
		if !slices.Equal(got, want) || tc.most == 500 && scans != len(tables) {
			t.Errorf("with %v read units and %d scans\n%s\nwant\n%s", tc.most, scans, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// A layout that names an index is refused if the table has no index of this name.
func TestIDsByAnIndexThatIsNot(t *testing.T) {
	f := fixture.New(t)
	f.Create("shop", "PK:S", "SK:S")
	_, err := f.Connect(func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"shop"}, Counters: []config.Counter{{
			PK: "COUNTER", SK: "VALUE", Attribute: "n", IDs: []config.IDs{{PK: "ORDER#{number}", SK: "META", Index: "by-number", In: "ORDER"}},
		}}}}
	}).Open(t.Context(), "shop")
	if err == nil || !strings.Contains(err.Error(), "by-number") {
		t.Error(err)
	}
}

// HighestAtOnce finds the highest id only if the sort keys have the order of the ids.
func TestHighestAtOnce(t *testing.T) {
	for _, tc := range []struct {
		name string
		max  string
		ids  []string
		want string // empty if one read does not find the id
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
