package idtime_test

import (
	"testing"
	"time"

	"tallylock/dynamo/idtime"
)

// Of reads the time in an id of its kind, and refuses ids of other kinds.
func TestOf(t *testing.T) {
	now := time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)
	for kind, tc := range map[idtime.Kind]struct {
		id string
		at time.Time
	}{
		idtime.UUIDv1:    {"c232ab00-9414-11ec-b3c8-9f6bdeced846", time.Date(2022, 2, 22, 19, 22, 22, 0, time.UTC)}, // RFC 9562, A.1
		idtime.UUIDv6:    {"1ec9414c-232a-6b00-b3c8-9f6bdeced846", time.Date(2022, 2, 22, 19, 22, 22, 0, time.UTC)}, // RFC 9562, A.5
		idtime.UUIDv7:    {"017f22e2-79b0-7cc3-98c4-dc0c0c07398f", time.Date(2022, 2, 22, 19, 22, 22, 0, time.UTC)}, // RFC 9562, A.6
		idtime.ULID:      {"01ARYZ6S41TSV4RRFFQ69G5FAV", time.Date(2016, 7, 30, 22, 36, 16, 1e6*385, time.UTC)},
		idtime.KSUID:     {"0ujtsYcgvSTl8PAuAdqWYSMnLOv", time.Date(2017, 10, 10, 4, 0, 47, 0, time.UTC)},
		idtime.ObjectID:  {"507f1f77bcf86cd799439011", time.Date(2012, 10, 17, 21, 13, 27, 0, time.UTC)},
		idtime.Snowflake: {"1541815603606036480", time.Date(2022, 6, 28, 16, 7, 40, 1e6*105, time.UTC)},
	} {
		for _, other := range idtime.Kinds() {
			at, ok := other.Of(tc.id, idtime.TwitterEpoch)
			if ok != (other == kind) || ok && !at.Equal(tc.at) {
				t.Errorf("%s as %s: %s, %v", tc.id, other, at, ok)
			}
		}
		got, at, ok := idtime.Recognise(tc.id, now)
		if kind != idtime.ObjectID && (got != kind || !at.Equal(tc.at) || !ok) {
			t.Errorf("%s is recognised as %s of %s, %v", tc.id, got, at, ok)
		}
	}
	for _, id := range []string{"", "7", "-1541815603606036480", "01541815603606036480", "0ujtsYcgvSTl8PAuAdqWYSMnLO!", "9f8b9f0e-9b1c-4b3e-8f43-1f2f3a4b5c6d"} {
		if kind, at, ok := idtime.Recognise(id, now); ok {
			t.Errorf("%q is recognised as %s of %s", id, kind, at)
		}
	}
}
