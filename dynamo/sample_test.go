package dynamo_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/internal/fixture"
)

// openedAll opens all tables of a connection. It returns them by name, and the read units that it used.
func openedAll(t *testing.T, conn *dynamo.Connection) (map[string]*dynamo.Table, float64) {
	t.Helper()
	before := conn.Units()
	all, err := conn.OpenAll(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]*dynamo.Table{}
	for _, o := range all {
		if o.Err != nil {
			t.Fatal(o.Err)
		}
		tables[o.Name] = o.Table
	}
	return tables, conn.Units() - before
}

// A session samples a table only once. It samples the table again if the table was created again, if its layout was
// accepted, or after Resample.
func TestATableIsSampledOnce(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	townspeople(f, "town")
	townspeople(f, "city")
	conn := f.Connect(stored(t))
	first, units := openedAll(t, conn)
	if units == 0 {
		t.Fatal("nothing was sampled")
	}
	if again, units := openedAll(t, conn); units > 0 || again["town"] != first["town"] {
		t.Errorf("%v read units to list them again", units)
	}
	remake(f, "town")
	again, _ := openedAll(t, conn)
	if again["town"] == first["town"] || again["city"] != first["city"] {
		t.Error("a table that was created again is not sampled again, or another is")
	}
	mustAccept(t, again["city"], again["city"].Layout.Constraints()[0], nil)
	again, _ = openedAll(t, conn)
	if again["city"].Layout.Constraints()[0].State != layout.Accepted {
		t.Error("what was accepted is not known")
	}
	conn.Resample()
	if _, units := openedAll(t, conn); units == 0 {
		t.Error("nothing was sampled again")
	}
}

// rarePeople makes a table with many events, and a few accounts with their locks.
func rarePeople(f *fixture.Tables, table string, people int) {
	f.T.Helper()
	note := strings.Repeat("it was cloudy ", 40)
	var items []sdk.Item
	for n := range 6000 {
		items = append(items, sdk.Item{"PK": sdk.S(fmt.Sprintf("EVENT#%08x", n*2654435761%4294967291)), "SK": sdk.S("EVENT"), "note": sdk.S(note)})
	}
	for n := range people {
		id, mail := fmt.Sprintf("p%03d", n), fmt.Sprintf("p%d@x.io", n)
		items = append(items, sdk.Item{"PK": sdk.S("PATRON#" + id), "SK": sdk.S("CARD"), "mail": sdk.S(mail)},
			sdk.Item{"PK": sdk.S("PATRONMAIL#" + mail), "SK": sdk.S("PATRONMAIL"), "patron": sdk.S(id)})
	}
	if err := sdk.Fill(f.T.Context(), f.App(), sdk.Table(table, "PK:S", "SK:S"), items...); err != nil {
		f.T.Fatal(err)
	}
}

// Accounts that the first sample does not contain are recognised by a larger sample. Both samples together stay within
// the limit of read units.
func TestALargerSample(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	rarePeople(f, "people", 12)
	small := f.Open("people")
	if n := len(small.Layout.Accounts); n != 0 || !small.Sample.Unsure() {
		t.Fatalf("%d kinds of accounts are recognised at first, unsure: %v", n, small.Sample.Unsure())
	}
	large, err := dynamo.Grown(t.Context(), small)
	if err != nil || large == nil {
		t.Fatalf("%v, %v", large, err)
	}
	if len(large.Layout.Constraints()) != 1 {
		t.Error(config.Of(large.Layout).TOML())
	}
	if units := small.Connection().Units(); units > 200 {
		t.Errorf("%v units are read", units)
	}
}

// Grown reads nothing if the sample is large enough, or if no more read units are allowed.
func TestNoLargerSample(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	townspeople(f, "few")
	rarePeople(f, "people", 12)
	rarePeople(f, "many", 150)
	for table, options := range map[string][]func(*dynamo.Options){
		"few": nil, "many": nil, "people": {func(o *dynamo.Options) { o.AutoReadUnits, o.Asked = 100, false }},
	} {
		small := f.Open(table, options...)
		f.Requests()
		if large, err := dynamo.Grown(t.Context(), small); large != nil || err != nil {
			t.Errorf("%s: %v, %v", table, large, err)
		}
		if sent := f.Requests(); table != "people" && len(sent) > 0 {
			t.Errorf("%s: %v are sent", table, sent)
		}
		if units := small.Connection().Units(); table == "people" && units > 100 {
			t.Errorf("%s: %v units are read", table, units)
		}
	}
}

// loners makes a table of accounts without locks.
func loners(f *fixture.Tables, table string) {
	f.T.Helper()
	f.Create(table, "PK:S", "")
	for n := range 12 {
		f.Put(table, sdk.Item{"PK": sdk.S(fmt.Sprint("P#", n)), "mail": sdk.S(fmt.Sprintf("p%d@x.io", n))})
	}
}

// To find the locks of a table, other tables are sampled. These samples are kept for the next table, until DropSamples.
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

// With kept samples, a table gets the same layout again.
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

// If items are too large to read all locks of the sample, some locks of each constraint are read.
func TestTheFitOfLargeItemsIsJudgedBySome(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("large", "PK:S", "SK:S")
	for n := range 60 {
		email, username := fmt.Sprint(n, "@x.io"), fmt.Sprint("u", n)
		large := fixture.Account(fmt.Sprint(n), email, username)
		large["note"] = sdk.S(strings.Repeat("x", 40<<10))
		f.Put("large", large, fixture.Lock("EMAIL", email), fixture.Lock("HANDLE", username))
	}
	table := f.Open("large")
	for _, c := range table.Layout.Constraints() {
		if fit := table.Fit.Of(c); fit.Values < 5 || fit.Locked != fit.Values || fit.Whole {
			t.Errorf("%s: %s", c.Name, fit.Rule.Text)
		}
	}
}
