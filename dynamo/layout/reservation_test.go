package layout_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// A reservation starts at the latest time that the lock may mean. It lasts 15 minutes longer than configured, since
// clocks may differ. If the time is unreadable, Until returns an error and Runs reports false.
func TestReservationsEnd(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	r := layout.Reservation{For: 48 * time.Hour, Since: "claimedAt"}
	for _, tc := range []struct {
		since attr.Value
		until string // without the 48 hours and 15 minutes
		why   string
	}{
		{since: attr.String("2026-11-22T10:00:00Z"), until: "2026-11-22T10:00:00Z"},
		{since: attr.String("2026-11-22T10:00:00.999Z"), until: "2026-11-22T10:00:00.999Z"},
		{since: attr.String("2026-11-22T11:30:00+05:30"), until: "2026-11-22T06:00:00Z"},
		{since: attr.String("2026-11-22T11:30:00-0800"), why: "in the future"},
		{since: attr.String("20261122T100000Z"), until: "2026-11-22T10:00:00Z"},
		{since: attr.String("2026-11-22T10:00:00"), until: "2026-11-22T22:00:00Z"}, // the latest time: the zone farthest west
		{since: attr.String("2026-11-22 10:00:00.5"), until: "2026-11-22T22:00:00.5Z"},
		{since: attr.String("2026-11-22"), until: "2026-11-23T12:00:00Z"}, // the end of the day in the zone farthest west
		{since: attr.String("2026-11-22T12:14:59Z"), until: "2026-11-22T12:14:59Z"},
		{since: attr.String("2026-11-22T12:15:01Z"), why: "in the future"},
		{since: attr.Number("1795341600"), until: "2026-11-22T10:00:00Z"},
		{since: attr.Number("1795341600.000000001"), until: "2026-11-22T10:00:01Z"},
		{since: attr.Number("1.7953416E9"), until: "2026-11-22T10:00:00Z"},
		{since: attr.Number("1795341600123"), until: "2026-11-22T10:00:00.123Z"},
		{since: attr.Number("99999999999"), why: "in the future"},
		{since: attr.Number("100000000000"), until: "1973-03-03T09:46:40Z"},  // the least number in milliseconds
		{since: attr.Number("1795341600000000"), why: "not a readable time"}, // microseconds
		{since: attr.Number("99999999999999999999999999999999999999"), why: "not a readable time"},
		{since: attr.Number("-1795341600"), why: "not a readable time"},
		{since: attr.Number("99999999"), why: "not a readable time"},
		{since: attr.Number("0"), why: "not a readable time"},
		{since: attr.String("1795341600"), why: "not a readable time"},
		{since: attr.String("0001-01-01T00:00:00Z"), why: "not a readable time"},
		{since: attr.String("22.11.2026 10:00"), why: "not a readable time"},
		{since: attr.String(""), why: "not a readable time"},
		{since: attr.Value{Kind: attr.M, Map: attr.Item{}}, why: "not a readable time"},
		{why: "the lock has no claimedAt"},
	} {
		until, err := r.Until(tc.since, now)
		switch {
		case tc.why != "":
			if err == nil || !strings.Contains(err.Error(), tc.why) {
				t.Errorf("%v: %v, %v; want %q", tc.since, until, err, tc.why)
			}
			if r.Runs(tc.since, now) {
				t.Errorf("%v runs", tc.since)
			}
		case err != nil || until.Add(-48*time.Hour-15*time.Minute).Format(time.RFC3339Nano) != tc.until:
			t.Errorf("%v: until %v, %v; want 48:15 hours after %s", tc.since, until, err, tc.until)
		case !r.Runs(tc.since, until.Add(-time.Nanosecond)) && until.After(now):
			t.Errorf("%v is over too early", tc.since)
		case r.Runs(tc.since, until):
			t.Errorf("%v is never over", tc.since)
		}
	}
	if (layout.Reservation{}).Runs(attr.String(now.Format(time.RFC3339)), now) {
		t.Error("a layout without reservations has one")
	}
}

// The error of a wrong reservation names its setting.
func TestReservationsThatCannotBe(t *testing.T) {
	for _, tc := range []struct{ lines, why string }{
		{`reserved_for = "48h"`, "reserved_for needs reserved_since: the lock's attribute with the time when the lock was put"},
		{`reserved_since = "claimedAt"`, "reserved_since needs reserved_for: the longest time that a lock exists before its account, such as 48h"},
		{"reserved_for = \"2 days\"\nreserved_since = \"claimedAt\"", `"2 days" is not a time: write a time such as 48h`},
		{"reserved_for = \"0s\"\nreserved_since = \"claimedAt\"", "is not a time"},
		{"reserved_for = \"-1h\"\nreserved_since = \"claimedAt\"", "is not a time"},
		{"reserved_for = \"48h\"\nreserved_since = \"{at}\"", "is not the name of an attribute"},
		{"reserved_for = \"48h\"\nreserved_since = \"claimedAt\"\n[[account]]\nmodel = \"other\"\npk = \"O#{id}\"\n[[account.constraint]]\nname = \"other\"\nattribute = \"email\"\npk = \"EMAIL#{v}\"", "use the same lock keys: give both constraints the same reserved_for and reserved_since"},
	} {
		var c config.Layout
		text := "name = \"x\"\n[[account]]\npk = \"A#{id}\"\n[[account.constraint]]\nattribute = \"email\"\npk = \"EMAIL#{v}\"\n" + tc.lines
		if err := toml.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Build(); err == nil || !strings.Contains(err.Error(), tc.why) {
			t.Errorf("%s: %v; want %q", tc.lines, err, tc.why)
		}
	}
	for _, setting := range []config.Constraint{{ReservedFor: "48h"}, {ReservedSince: "claimedAt"}} {
		setting.Attribute, setting.Unique = "email", true
		c := config.Layout{Name: "x", Accounts: []config.Account{{PK: "A#{id}", Constraints: []config.Constraint{setting}}}}
		if _, err := c.Build(); err == nil || !strings.Contains(err.Error(), "is about locks, but unique = true says that there are no locks: remove") {
			t.Errorf("%+v: %v", setting, err)
		}
	}
}

// A reservation that is written to a config reads back unchanged.
func FuzzReservation(f *testing.F) {
	f.Add("48h", "claimedAt")
	f.Add("1h30m", "claim.at")
	f.Add("90m", "x")
	f.Add("1m0.5s", "at")
	f.Add("100h0m5s", " at ")
	f.Fuzz(func(t *testing.T, of, since string) {
		c := config.Layout{Name: "x", Accounts: []config.Account{{PK: "A#{id}", Constraints: []config.Constraint{{
			Attribute: "email", PK: "EMAIL#{v}", ReservedFor: of, ReservedSince: since,
		}}}}}
		want, err := c.Build()
		if err != nil || !utf8.ValidString(since) { // a config is UTF-8
			return
		}
		text := config.Of(want).TOML()
		var file struct {
			Layouts []config.Layout `toml:"layout"`
		}
		if err := toml.Unmarshal(text, &file); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		again, err := file.Layouts[0].Build()
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got := again.Constraints()[0].Reserved; got != want.Constraints()[0].Reserved || config.Hash(again) != config.Hash(want) {
			t.Errorf("%q, %q read back as %+v\n%s", of, since, got, text)
		}
	})
}
