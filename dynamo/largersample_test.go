package dynamo_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
)

// rarePeople makes a table of events, among which are a few accounts with their locks.
func (f *fixture) rarePeople(table string, people int) {
	f.t.Helper()
	note := strings.Repeat("it was cloudy ", 40)
	var items []sdk.Item
	for n := range 6000 {
		items = append(items, sdk.Item{"PK": str(fmt.Sprintf("EVENT#%08x", n*2654435761%4294967291)), "SK": str("EVENT"), "note": str(note)})
	}
	for n := range people {
		id, mail := fmt.Sprintf("p%03d", n), fmt.Sprintf("p%d@x.io", n)
		items = append(items, sdk.Item{"PK": str("PATRON#" + id), "SK": str("CARD"), "mail": str(mail)},
			sdk.Item{"PK": str("PATRONMAIL#" + mail), "SK": str("PATRONMAIL"), "patron": str(id)})
	}
	if err := sdk.Fill(f.t.Context(), f.App(), sdk.Table(table, "PK:S", "SK:S"), items...); err != nil {
		f.t.Fatal(err)
	}
}

// What the sample of an opening did not show is recognised by a larger one, within what recognising
// a table may take in all.
func TestALargerSample(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.rarePeople("people", 12)
	small := f.open("people")
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
	f := start(t)
	f.people("few")
	f.rarePeople("people", 12)
	f.rarePeople("many", 150)
	for table, options := range map[string][]func(*dynamo.Options){
		"few": nil, "many": nil, "people": {func(o *dynamo.Options) { o.AutoReadUnits, o.Asked = 100, false }},
	} {
		small := f.open(table, options...)
		f.requests()
		if large, err := dynamo.Grown(t.Context(), small); large != nil || err != nil {
			t.Errorf("%s: %v, %v", table, large, err)
		}
		if sent := f.requests(); table != "people" && len(sent) > 0 {
			t.Errorf("%s: %v are sent", table, sent)
		}
		if units := small.Connection().Units(); table == "people" && units > 100 {
			t.Errorf("%s: %v units are read", table, units)
		}
	}
}
