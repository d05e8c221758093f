package change_test

import (
	"math/big"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/layout/config"
)

// A plan warns if it takes the counter past a limit of common software. It names only the highest limit that it passes,
// and no limit that the counter has passed before.
func TestPlansSayWhatBoundTheyPass(t *testing.T) {
	t.Parallel()
	f := start(t)
	for _, c := range []struct{ to, says string }{
		{"2147483647", ""},
		{"2147483648", "passes 2^31 − 1 (2,147,483,647)"},
		{"2147483649", ""},
		{"9007199254740991", ""},
		{"9007199254740992", "passes 2^53 − 1 (9,007,199,254,740,991): JavaScript"},
		{"9007199254740993", ""},
		{"9223372036854775808", "passes 2^63 − 1"},
	} {
		p, err := planner.Raise(t.Context(), f.counter("order_id", "order_id"), number(c.to))
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, l := range p.Lines {
			if l.Warns() {
				said = append(said, l.Text)
			}
		}
		if (c.says == "") != (len(said) == 0) || len(said) > 1 || !strings.Contains(strings.Join(said, ""), c.says) {
			t.Errorf("to %s it warns of %q; want %q", c.to, said, c.says)
		}
		if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Applied {
			t.Fatalf("%s: %s %v", c.to, r.Outcome, r.Reasons)
		}
	}
	p, err := planner.Lower(t.Context(), f.counter("order_id", "order_id"), big.NewInt(1))
	if err != nil || p.Line(plan.LabelMind) != "" {
		t.Errorf("lowering warns of %q, %v", p.Line(plan.LabelMind), err)
	}
}

// A counter with a max or a modulo is not raised above it. A bump has the same limit.
func TestNoRaiseAboveTheLimit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		counter config.Counter
		most    string
	}{
		{config.Counter{Max: "105"}, "105"},
		{config.Counter{Max: "105", Semantics: "next"}, "106"}, // 105 was handed out
		{config.Counter{Modulo: "106"}, "105"},
		{config.Counter{Max: "105", Semantics: "tally"}, "105"},
	} {
		f := start(t)
		f.create("limited")
		tc.counter.PK, tc.counter.SK, tc.counter.Attribute = "COUNTER", "VALUE", "val"
		f.put("limited", more(row("COUNTER", "VALUE"), item{"val": num("98")}))
		c := f.counter("limited", "limited", func(o *dynamo.Options) {
			o.Layouts = []config.Layout{{Name: "limited", Tables: []string{"limited"}, Counters: []config.Counter{tc.counter}}}
		})
		most := number(tc.most)
		p, err := planner.Raise(t.Context(), c, new(big.Int).Add(most, big.NewInt(1)))
		f.mustNot(plan.TooLarge, p, err)
		f.apply(planner.Raise(t.Context(), c, most))
		p, err = planner.Bump(t.Context(), c, big.NewInt(1))
		f.mustNot(plan.TooLarge, p, err)
	}
}
