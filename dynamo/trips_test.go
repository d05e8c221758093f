package dynamo_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/internal/fixture"
)

// openTown makes the table town, and opens it through a connection of fixture.Through. It also returns the number of
// round trips.
func openTown(f *fixture.Tables, t *testing.T, accounts int, how string) (*dynamo.Table, *fixture.Trips, int) {
	conn, w := f.Through(f.Town("town", accounts), how)
	var table *dynamo.Table
	var err error
	n := w.Count(func() { table, err = conn.Open(t.Context(), "town") })
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d trips, %v units: %s", how, n, conn.Units(), strings.Join(w.Log, "; "))
	return table, w, n
}

// Opening a table sends independent requests at the same time.
func TestOpeningTakesFewTrips(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]struct {
		trips    int
		units    float64
		standing layout.Standing
	}{
		"described":  {3, 40, layout.Supported},
		"recognised": {4, 60, layout.Thin},
		"wrong":      {5, 120, layout.Contradicted},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := fixture.New(t)
			table, _, trips := openTown(f, t, 2000, how)
			if units := table.Connection().Units(); trips > want.trips || units > want.units {
				t.Errorf("%s: %d trips and %v units, want %d and %v at most", how, trips, units, want.trips, want.units)
			}
			if fit := table.Fit.All()[0]; fit.Standing() != want.standing {
				t.Errorf("%s: the layout is %s: %s", how, fit.Standing(), fit.Why())
			}
		})
	}
}
