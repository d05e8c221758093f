package counter_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo/counter"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/fixture"
)

// Another table with ids is read at once only if its items fit into the read units that are left.
func TestIDsInAnotherTableKeepTheBudget(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("autoincrement", "tableName:S", "")
	f.Put("autoincrement", sdk.Item{"tableName": sdk.S("circulars"), "circularId": sdk.N("40")})
	f.Create("circulars", "circularId:N", "")
	for n := range 40 {
		f.Put("circulars", sdk.Item{"circularId": sdk.N(fmt.Sprint(n + 1)), "subject": sdk.S(strings.Repeat("x", 4000))})
	}
	table := f.Open("autoincrement")
	for _, tc := range []struct {
		most    float64
		highest string
	}{{5, ""}, {60, "40"}} {
		counters, _, err := counter.Read(t.Context(), table)
		if err != nil || len(counters) != 1 {
			t.Fatal(counters, err)
		}
		before := table.Connection().Units()
		counter.LookUpIDs(t.Context(), counters, tc.most)
		if used := table.Connection().Units() - before; used > tc.most {
			t.Errorf("with %v read units, it used %v", tc.most, used)
		}
		if c := counters[0]; c.HighestID != tc.highest || c.IDsChecked != (tc.highest != "") {
			t.Errorf("with %v read units, the highest id is %q, all read: %v", tc.most, c.HighestID, c.IDsChecked)
		}
	}
}
