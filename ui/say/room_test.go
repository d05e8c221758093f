package say_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/ui/say"
)

// The room of a counter names its limit. It names a day only if the pace is known, and 32 bits only as a condition.
func TestRoom(t *testing.T) {
	t.Parallel()
	read := time.Date(2026, 11, 20, 12, 0, 0, 0, time.Local)
	for _, tc := range []struct {
		value     string
		pace      float64
		max       int64
		want      string
		short     string
		runsOutOn string
	}{
		{
			"59", 1, 864_059,
			"864,000 left: the highest number is 864,059, until about 30 Nov 2026 at 1.0/s", "864,000", "30 Nov 2026",
		},
		{"864,059", 1, 0, "", "—", "—"},
		{"864059", 1, 864_059, "0 left: the highest number is 864,059, about 1 s at 1.0/s", "0", "in 1 s"},
		{"42", 0, 0, "9,007,199,254,740,949 left until 2^53", "about 9×10^15", "—"},
		{"42", 0.5, 0, "9,007,199,254,740,949 left until 2^53, centuries at 0.5/s", "about 9×10^15", "centuries"},
		{
			"2147481649", 1, 0,
			"1,998 left until 2^31 if ids are 32-bit, about 33 min at 1.0/s\n" +
				"9,007,197,107,259,342 left until 2^53, centuries at 1.0/s", "1,998?", "in 33 min?",
		},
		{
			"3000000000", 0, 0,
			"1,294,967,295 left until 2^32 if ids are 32-bit\n9,007,196,254,740,991 left until 2^53", "1,294,967,295?", "—",
		},
		{"9007199254740992", 0, 0, "reached 2^53, about 9×10^37 left until 10^38", "about 9×10^37", "—"},
		{"9007199254741993", 28, 0, "passed 2^53 by 1,001, about 9×10^37 left until 10^38", "about 9×10^37", "centuries"},
		{strings.Repeat("9", 38), 0, 0, "passed 2^53 by 999999…59007 (38 digits), 0 left until 10^38", "0", "—"},
	} {
		l := &layout.Counter{Semantics: layout.Last, Step: big.NewInt(1), Offset: new(big.Int)}
		if tc.max > 0 {
			l.Max = big.NewInt(tc.max)
		}
		c := counter.Counter{Exists: true, Value: tc.value, Semantics: layout.Last, Layout: l}
		var lines []string
		for _, line := range say.Rooms(c, tc.pace, read) {
			said := ""
			for _, span := range line {
				said += span.Text
			}
			lines = append(lines, said)
		}
		short, _ := say.ShortRoom(c, 14)
		ends := say.RunsOut(c, tc.pace, read)
		if got := strings.Join(lines, "\n"); got != tc.want || short != tc.short || ends != tc.runsOutOn {
			t.Errorf("%s at %v/s:\n%s\n%s, %s; want\n%s\n%s, %s", tc.value, tc.pace, got, short, ends, tc.want, tc.short, tc.runsOutOn)
		}
	}
}

// A counter without a next number says why.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	c := counter.Counter{Exists: true, Value: strings.Repeat("9", 38), Semantics: layout.Last, Layout: &layout.Counter{}}
	if !say.NoneLeft(c) || say.NoRoom(c) != "no room left: a DynamoDB number has at most 38 digits" {
		t.Errorf("after 38 nines: %v, %s", say.NoneLeft(c), say.NoRoom(c))
	}
	if c.Semantics = layout.Tally; say.NoneLeft(c) {
		t.Error("a count of items needs no room")
	}
}
