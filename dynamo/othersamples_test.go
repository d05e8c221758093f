package dynamo_test

import (
	"fmt"
	"testing"

	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
)

// loners makes a table of accounts whose locks are nowhere.
func loners(f *fixture.Tables, table string) {
	f.T.Helper()
	f.Create(table, "PK:S", "")
	for n := range 12 {
		f.Put(table, sdk.Item{"PK": sdk.S(fmt.Sprint("P#", n)), "mail": sdk.S(fmt.Sprintf("p%d@x.io", n))})
	}
}

// The samples of other tables, which are looked at for the locks of one that has none, are
// kept for the next table, and dropped on request.
func TestOtherTablesAreSampledOnce(t *testing.T) {
	f := fixture.New(t)
	for _, table := range []string{"aaa", "aab", "aac", "aad", "aae"} {
		loners(f, table)
	}
	conn := f.Connect()
	count := func(table string) (described, scanned int) {
		t.Helper()
		f.Requests()
		o, err := conn.Open(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Layout.Accounts) > 0 {
			t.Fatalf("%s is recognised: %s", table, config.Of(o.Layout).TOML())
		}
		for _, operation := range f.Requests() {
			switch operation {
			case "DescribeTable":
				described++
			case "Scan":
				scanned++
			}
		}
		return described, scanned
	}
	first := fmt.Sprint(count("aaa"))
	if described, scanned := count("aab"); described != 2 || scanned > 3 {
		t.Errorf("described and scanned: %s at first, and %d %d for the second; want that and the first alone", first, described, scanned)
	}
	again := fmt.Sprint(count("aaa"))
	if again != "1 1" {
		t.Errorf("described and scanned: %s at first, and %s again; want the table itself alone", first, again)
	}
	conn.DropSamples()
	if dropped := fmt.Sprint(count("aaa")); dropped != first {
		t.Errorf("described and scanned: %s at first, and %s after they were dropped", first, dropped)
	}
}

// What another table holds is known as before where its sample was kept.
func TestKeptSamplesShowLocks(t *testing.T) {
	f := fixture.New(t)
	loners(f, "aaa")
	loners(f, "people")
	f.Create("people_mails", "mail:S", "")
	for n := range 12 {
		f.Put("people_mails", sdk.Item{"mail": sdk.S(fmt.Sprintf("p%d@x.io", n)), "owner": sdk.S(fmt.Sprint("P#", n))})
	}
	conn := f.Connect()
	var layouts []string
	for range 2 {
		table, err := conn.Open(t.Context(), "people")
		if err != nil {
			t.Fatal(err)
		}
		layouts = append(layouts, string(config.Of(table.Layout).TOML()))
	}
	if layouts[0] != layouts[1] || len(layouts[0]) == 0 {
		t.Errorf("first\n%s\nthen\n%s", layouts[0], layouts[1])
	}
}
