package browse_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
)

// Opening a table and reading its rest without a question together use at most AutoReadUnits. This holds for any table.
// If this limit is almost zero, opening reads nothing.
func TestOpeningKeepsToTheCeiling(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("town", "PK:S", "SK:S")
	var rows []sdk.Item
	for n := range 1500 {
		v := fmt.Sprint("p", n)
		one := fixture.Account(v, v+"@x.io", v)
		one["about"] = sdk.S(strings.Repeat("x", 300))
		rows = append(rows, one, fixture.Lock("EMAIL", v+"@x.io"), fixture.Lock("HANDLE", v))
	}
	f.Put("town", rows...)
	for _, ceiling := range []float64{1e-9, 0.5, 3, 20, 100, 500} {
		for name, layouts := range map[string][]config.Layout{"recognised": nil, "described": {{Name: "mine", Tables: []string{"town"}, Accounts: []config.Account{{
			PK: "ACCT#{id}", SK: "PROFILE",
			Constraints: []config.Constraint{{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}, {Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"}},
		}}}}} {
			conn := f.Connect(func(o *dynamo.Options) { o.AutoReadUnits, o.Asked, o.Layouts = ceiling, false, layouts })
			table, err := conn.Open(t.Context(), "town")
			if err != nil {
				t.Fatal(err)
			}
			if used := conn.Units(); used > ceiling && used > 1 || ceiling < 0.1 && used > 0 {
				t.Errorf("%s: opening used %v units of %v", name, used, ceiling)
			}
			before := conn.Units()
			b := browse.New(table)
			if _, err := b.Next(t.Context()); err != nil { // the page that a person has requested
				t.Fatal(err)
			}
			asked := conn.Units() - before
			for b.ReadOn() {
				page(t, b)
			}
			if used := conn.Units(); used > max(ceiling, asked+before) {
				t.Errorf("%s: %v units were used of %v, %v of them for the first page", name, used, ceiling, asked)
			}
		}
	}
}
