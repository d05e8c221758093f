package say_test

import (
	"testing"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/ui/say"
)

// The makers of the ids publish these examples with their times.
func TestTheTimeThatAnIDTells(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for id, want := range map[string]struct{ at, kind string }{
		"017f22e2-79b0-7cc3-98c4-dc0c0c07398f": {"2022-02-22T19:22:00Z", "a UUID of version 7"}, // RFC 9562 A.6
		"C232AB00-9414-11EC-B3C8-9F6BDECED846": {"2022-02-22T19:22:00Z", "a UUID of version 1"}, // A.1
		"1EC9414C-232A-6B00-B3C8-9F6BDECED846": {"2022-02-22T19:22:00Z", "a UUID of version 6"}, // A.5
		"01ARZ3NDEKTSV4RRFFQ69G5FAV":           {"2016-07-30T23:54:10Z", "a ULID"},
		"0ujtsYcgvSTl8PAuAdqWYSMnLOv":          {"2017-10-10T04:00:47Z", "a KSUID"},
		"1541815603606036480":                  {"2022-06-28T16:07:40Z", "a Snowflake id, if it uses Twitter's epoch"},
		"919108F7-52D1-4320-9BAC-F847DB4148A8": {}, // version 4
		"7ZZZZZZZZZZZZZZZZZZZZZZZZZ":           {}, // a ULID of the year 10889
		"01arz3ndektsv4rrffq69g5fa!":           {},
		"a1f9c3":                               {},
		"0541815603606036480":                  {},
		"9223372036854775807":                  {},
		"":                                     {},
	} {
		key := attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String("ACCT#" + id)}, Range: attr.Attribute{Name: "SK", Value: attr.String("PROFILE")}}
		said := ""
		if want.kind != "" {
			at, err := time.Parse(time.RFC3339, want.at)
			if err != nil {
				t.Fatal(err)
			}
			said = at.Local().Format("2 January 2006 15:04") + ", by its id: " + want.kind
		}
		if got := say.Made(key, now); got != said {
			t.Errorf("%s: %q, want %q", id, got, said)
		}
	}
}
