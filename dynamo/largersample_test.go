package dynamo_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
)

// rarePeople makes a table of events, among which are a few accounts with their locks.
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

// What the sample of an opening did not show is recognised by a larger one, within what recognising
// a table may take in all.
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

// Where the sample was enough, or nothing more may be read, none is.
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
