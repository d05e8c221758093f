package change_test

import (
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
)

// The price of a run of repairs is no lower than its cost, and not much higher.
func TestThePriceOfMending(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"accounts", "members", "posts"} {
		t.Run(table, func(t *testing.T) {
			f, _, found := mendable(t, table)
			// Planning several repairs ignores this limit.
			tab := f.open(table, func(o *dynamo.Options) { o.AutoReadUnits = 1000 })
			price := mend.PriceOf(tab, found...)
			units := tab.Connection().Units()
			mends, err := f.changer.PlanMends(t.Context(), tab, found...)
			if err != nil {
				t.Fatal(err)
			}
			read := tab.Connection().Units() - units
			var plans []*plan.Plan
			for _, m := range mends {
				if m.Plan != nil {
					plans = append(plans, m.Plan)
				}
			}
			writes, looks := 0.0, 0.0
			for _, r := range f.changer.ApplyAll(t.Context(), plans, nil) {
				writes, looks = writes+r.WriteUnits, looks+r.ReadUnits
			}
			if read > price.Verify || read < price.Verify/4 {
				t.Errorf("verifying took %v read units; said were %v", read, price.Verify)
			}
			if writes > price.WriteUnits || looks > price.LookUnits {
				t.Errorf("it took %v write units, and %v for looks; said were %v and %v", writes, looks, price.WriteUnits, price.LookUnits)
			}
			if want := map[string]int{"accounts": 1, "members": 1}[table]; price.Looks != want {
				t.Errorf("%d looks, want %d: %s", price.Looks, want, price)
			}
		})
	}
}

// The words of a price name the reads and their purpose, and say that the price is an upper bound.
func TestThePriceOfMendingInWords(t *testing.T) {
	points := mend.Price{Verify: 3, WriteUnits: 4}
	look := mend.Price{Verify: 2, Looks: 1, LookUnits: 40, WriteUnits: 2}
	unknown := look
	unknown.SizeUnknown = true
	for want, price := range map[string]mend.Price{
		"at most about 3 read units to read each finding again; about 4 write units":                                                       points,
		"at most about 5 read units to read each finding again; about 40 read units for 1 read of every account; about 6 write units":      points.Plus(look),
		"at most about 2 read units to read each finding again; 1 read of every account, in a table of unknown size; about 2 write units":  unknown,
		"at most about 4 read units to read each finding again; 2 reads of every account, in a table of unknown size; about 4 write units": unknown.Plus(look),
	} {
		if got := price.String(); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}
