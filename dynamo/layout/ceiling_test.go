package layout_test

import (
	"math/big"
	"strings"
	"testing"

	"tallylock/dynamo/layout"
)

func counterOf(t *testing.T, c layout.CounterConfig) *layout.Counter {
	t.Helper()
	c.PK, c.Attribute = "COUNTER", "n"
	l, err := layout.Config{Name: "ours", Counters: []layout.CounterConfig{c}}.Build()
	if err != nil {
		t.Fatal(err)
	}
	back, err := layout.Of(l).Build()
	if err != nil {
		t.Fatal(err)
	}
	if layout.Hash(back) != layout.Hash(l) {
		t.Error("its config makes another layout")
	}
	return back.Counters[0]
}

// A counter hands out nothing above its highest number, and says how many are left.
func TestCeiling(t *testing.T) {
	for _, tc := range []struct {
		config      layout.CounterConfig
		value, next string
		room, add   string
	}{
		{layout.CounterConfig{Max: "99"}, "97", "98", "2", "98"},
		{layout.CounterConfig{Max: "99"}, "98", "99", "1", "99"},
		{layout.CounterConfig{Max: "99"}, "99", "", "0", ""},
		{layout.CounterConfig{Max: "99"}, "120", "", "0", ""},
		{layout.CounterConfig{Max: "99", Semantics: "next"}, "99", "99", "1", "100"},
		{layout.CounterConfig{Max: "99", Semantics: "next"}, "100", "", "0", ""},
		{layout.CounterConfig{Max: "99", Step: "10"}, "80", "90", "1", "90"},
		{layout.CounterConfig{Max: "99", Semantics: "tally"}, "5", "", "", "6"},
		{layout.CounterConfig{Modulo: "4"}, "2", "3", "", "3"},
		{layout.CounterConfig{Modulo: "4"}, "3", "0", "", ""},
		{layout.CounterConfig{}, "3", "4", "", "4"},
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
		config layout.CounterConfig
		want   string
	}{
		{layout.CounterConfig{Max: "0"}, "at least 1"},
		{layout.CounterConfig{Max: "many"}, "not a whole number"},
		{layout.CounterConfig{Max: "9", Modulo: "10"}, "both given"},
		{layout.CounterConfig{Modulo: "10", IDs: []layout.IDsConfig{{Attribute: "no"}}}, "handed out again"},
	} {
		tc.config.PK, tc.config.Attribute = "COUNTER", "n"
		_, err := layout.Config{Name: "ours", Counters: []layout.CounterConfig{tc.config}}.Build()
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: %v; want %q in it", tc.config, err, tc.want)
		}
	}
}
