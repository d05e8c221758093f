package dynamo_test

import (
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/internal/fixture"
)

// openedAll opens all tables of a connection, and returns them by name, with the read units that took.
func openedAll(t *testing.T, conn *dynamo.Connection) (map[string]*dynamo.Table, float64) {
	t.Helper()
	before := conn.Units()
	all, err := conn.OpenAll(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]*dynamo.Table{}
	for _, o := range all {
		if o.Err != nil {
			t.Fatal(o.Err)
		}
		tables[o.Name] = o.Table
	}
	return tables, conn.Units() - before
}

// A table is sampled once in a session, until it is created again, its layout is accepted, or it is
// to be sampled again.
func TestATableIsSampledOnce(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	townspeople(f, "town")
	townspeople(f, "city")
	conn := f.Connect(stored(t))
	first, units := openedAll(t, conn)
	if units == 0 {
		t.Fatal("nothing was sampled")
	}
	if again, units := openedAll(t, conn); units > 0 || again["town"] != first["town"] {
		t.Errorf("%v read units to list them again", units)
	}
	remake(f, "town")
	again, _ := openedAll(t, conn)
	if again["town"] == first["town"] || again["city"] != first["city"] {
		t.Error("a table that was created again is not sampled again, or another is")
	}
	mustAccept(t, again["city"], again["city"].Layout.Constraints()[0], nil)
	again, _ = openedAll(t, conn)
	if again["city"].Layout.Constraints()[0].State != layout.Accepted {
		t.Error("what was accepted is not known")
	}
	conn.Resample()
	if _, units := openedAll(t, conn); units == 0 {
		t.Error("nothing was sampled again")
	}
}
