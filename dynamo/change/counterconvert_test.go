package change_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout/config"
)

// holdingCounter makes a table with one counter that holds the value v. The counter's step is 10, and its offset is 3.
func holdingCounter(t *testing.T, v types.AttributeValue) (*fixture, counter.Counter) {
	t.Helper()
	f := start(t)
	f.createTable("ours", "id", "")
	f.put("ours", item{"id": str("n"), "val": v, "note": str("kept")})
	table := f.open("ours", func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "ours", Tables: []string{"ours"}, Counters: []config.Counter{{Name: "orders", PK: "n", Attribute: "val", Step: "10", Offset: "3"}}}}
	})
	counters, _, err := counter.Read(t.Context(), table)
	if err != nil || len(counters) != 1 {
		t.Fatal(counters, err)
	}
	return f, counters[0]
}

func TestWhatIsNoNumberBecomesOne(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		holds types.AttributeValue
		to    *big.Int
		want  string
		code  string
	}{
		{holds: str("43"), want: "43"},
		{holds: str(" 0041 "), want: "43"},
		{holds: str("1E2"), want: "103"},
		{holds: num("43.5"), want: "53"},
		{holds: num("0.1"), want: "3"},
		{holds: num("-3"), code: plan.NotANumber},
		{holds: num("-3"), to: big.NewInt(13), want: "13"},
		{holds: str("many"), code: plan.NotANumber},
		{holds: str("NaN"), code: plan.NotANumber},
		{holds: str("many"), to: big.NewInt(23), want: "23"},
		{holds: &types.AttributeValueMemberBOOL{Value: true}, code: plan.NotANumber},
		{holds: &types.AttributeValueMemberBOOL{Value: true}, to: big.NewInt(3), want: "3"},
		{holds: num("43"), code: plan.InOrder},
		{holds: num("44"), code: plan.InOrder},
	} {
		f, c := holdingCounter(t, tc.holds)
		p, err := planner.Convert(t.Context(), c, tc.to)
		if tc.code != "" {
			f.refused(tc.code, p, err)
			continue
		}
		if err == nil && p.Typed != "orders" {
			t.Errorf("typed %q; want the counter's name", p.Typed)
		}
		f.apply(p, err)
		got := f.get("ours", item{"id": str("n")})
		if n, ok := got["val"].(*types.AttributeValueMemberN); !ok || n.Value != tc.want || text(got["note"]) != "kept" {
			t.Errorf("%v: it holds %v; want the number %s, and the rest as it was", tc.holds, got, tc.want)
		}
	}
}

func TestAConversionIsRefusedWhenTheCounterMoved(t *testing.T) {
	for _, other := range []types.AttributeValue{str("44"), num("43"), num("53")} {
		f, c := holdingCounter(t, str("43"))
		p, err := planner.Convert(t.Context(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		f.put("ours", item{"id": str("n"), "val": other})
		if r := f.changer.Apply(context.Background(), p, nil); r.Outcome != journal.Refused || codes(r.Reasons) != "ConditionalCheckFailed" {
			t.Errorf("%v: %s %v %v", other, r.Outcome, r.Reasons, r.Err)
		}
	}
}

func TestACounterOffItsStepsIsRoundedUp(t *testing.T) {
	for _, tc := range []struct{ holds, want string }{{"44", "53"}, {"0", "3"}, {"52", "53"}, {"99999999999999999999999999999999999983", ""}, {"43", ""}} {
		f, c := holdingCounter(t, num(tc.holds))
		p, err := planner.RoundUp(t.Context(), c)
		if tc.want == "" {
			f.refused(plan.InOrder, p, err)
			continue
		}
		f.apply(p, err)
		if got := text(f.get("ours", item{"id": str("n")})["val"]); got != tc.want || p.Kind != plan.KindRaise {
			t.Errorf("%s became %s by %s; want %s", tc.holds, got, p.Kind, tc.want)
		}
	}
	_, most := holdingCounter(t, num("99999999999999999999999999999999999994"))
	if p, err := planner.RoundUp(t.Context(), most); err == nil {
		t.Errorf("planned %v, which has 39 digits", p)
	}
	f, c := holdingCounter(t, str("44"))
	p, err := planner.RoundUp(t.Context(), c)
	f.refused(plan.NotANumber, p, err)
}
