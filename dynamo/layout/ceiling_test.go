package layout_test

import (
	"math/big"
	"strings"
	"testing"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

func counterOf(t *testing.T, c config.Counter) *layout.Counter {
	t.Helper()
	c.PK, c.Attribute = "COUNTER", "n"
	l, err := config.Layout{Name: "ours", Counters: []config.Counter{c}}.Build()
	if err != nil {
		t.Fatal(err)
	}
	back, err := config.Of(l).Build()
	if err != nil {
		t.Fatal(err)
	}
	if config.Hash(back) != config.Hash(l) {
		t.Error("its config makes another layout")
	}
	return back.Counters[0]
}

// A counter hands out no number above its maximum, and counts the numbers that are left.
func TestCeiling(t *testing.T) {
	for _, tc := range []struct {
		config      config.Counter
		value, next string
		room, add   string
	}{
		{config.Counter{Max: "99"}, "97", "98", "2", "98"},
		{config.Counter{Max: "99"}, "98", "99", "1", "99"},
		{config.Counter{Max: "99"}, "99", "", "0", ""},
		{config.Counter{Max: "99"}, "120", "", "0", ""},
		{config.Counter{Max: "99", Semantics: "next"}, "99", "99", "1", "100"},
		{config.Counter{Max: "99", Semantics: "next"}, "100", "", "0", ""},
		{config.Counter{Max: "99", Step: "10"}, "80", "90", "1", "90"},
		{config.Counter{Max: "99", Semantics: "tally"}, "5", "", "", "6"},
		{config.Counter{Modulo: "4"}, "2", "3", "", "3"},
		{config.Counter{Modulo: "4"}, "3", "0", "", ""},
		{config.Counter{}, "3", "4", "", "4"},
	} {
		c := counterOf(t, tc.config)
		next, _ := c.NextOf(tc.value)
		add, _ := c.Add(tc.value, big.NewInt(1))
		room := ""
		if n, ok := c.Room(tc.value); ok {
			room = n.String()
		}
		if next != tc.next || room != tc.room || add != tc.add {
			t.Errorf("%+v at %s: next %q, %q left, %q after one; want %q, %q, %q", tc.config, tc.value, next, room, add, tc.next, tc.room, tc.add)
		}
	}
}

func TestCeilingsThatCannotBe(t *testing.T) {
	for _, tc := range []struct {
		config config.Counter
		want   string
	}{
		{config.Counter{Max: "0"}, "at least 1"},
		{config.Counter{Max: "many"}, "not a whole number"},
		{config.Counter{Max: "9", Modulo: "10"}, "a counter with max ends, but a counter with modulo goes back to 0: remove max or modulo"},
		{config.Counter{Modulo: "10", IDs: []config.IDs{{Attribute: "no"}}}, "hands out the same ids again"},
	} {
		tc.config.PK, tc.config.Attribute = "COUNTER", "n"
		_, err := config.Layout{Name: "ours", Counters: []config.Counter{tc.config}}.Build()
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: %v; want %q in it", tc.config, err, tc.want)
		}
	}
}
