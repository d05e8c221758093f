package say_test

import (
	"testing"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/ui/say"
)

func TestMeaning(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name  string
		value attr.Value
		want  string
	}{
		{"PK", attr.String("ACCT#017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), "UUID v7 of 2022-02-22 19:22:22.000 UTC, 5 years ago"},
		{"id", attr.String("1EC9414C-232A-6B00-B3C8-9F6BDECED846"), "UUID v6 of 2022-02-22 19:22:22.000 UTC, 5 years ago"},
		{"id", attr.String("919108F7-52D1-4320-9BAC-F847DB4148A8"), "UUID v4, random"},
		{"id", attr.String("01ARZ3NDEKTSV4RRFFQ69G5FAV"), "ULID, made 2016-07-30 23:54:10.259 UTC, 10 years ago"},
		{"id", attr.String("0ujtsYcgvSTl8PAuAdqWYSMnLOv"), "KSUID, made 2017-10-10 04:00:47.000 UTC, 9 years ago"},
		{"id", attr.String("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"), ""}, // the year 10889
		{"id", attr.String("ada"), ""},
		{"ttl", attr.Number("1795176000"), "expires 2026-11-20 12:00:00 UTC, just now"},
		{"expiresAt", attr.Number("1795262400"), "expires 2026-11-21 12:00:00 UTC, in 24 h"},
		{"createdAt", attr.Number("1795176000123"), "as milliseconds: 2026-11-20 12:00:00.123 UTC"},
		{"count", attr.Number("1795176000"), ""},
		{"order", attr.Number("12345678901234567890"), "20 digits, exact"},
	} {
		if got := say.Meaning(tc.name, tc.value, now); got != tc.want {
			t.Errorf("%s = %s: %q, want %q", tc.name, tc.value.Text, got, tc.want)
		}
	}
}
