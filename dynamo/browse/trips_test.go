package browse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"tallylock/dynamo/browse"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
	"tallylock/internal/testrun"
)

// townApart is a town whose locks are in a separate table.
func townApart(f *fixture.Tables, name string, accounts int) config.Layout {
	f.Create(name, "PK:S", "SK:S")
	f.Create("uniq", "PK:S", "SK:S")
	var people, locks []sdk.Item
	for n := range accounts {
		v := fmt.Sprintf("p%d", n)
		people = append(people, fixture.Account(v, v+"@x.io", v))
		locks = append(locks, fixture.Lock("EMAIL", v+"@x.io"), fixture.Lock("HANDLE", v))
	}
	f.Put(name, people...)
	f.Put("uniq", locks...)
	return fixture.Layout(name, fixture.Accounts("uniq"))
}

// paidRows is the number of rows whose locks should be shown early: 40 units pay for them.
const paidRows = 36

// browseTown opens the table of a town, and shows a screen of it. It returns the number of round trips until the screen
// has rows, until it has their locks, and until it has their verdicts. units are the read units until the screen has
// the locks.
func browseTown(f *fixture.Tables, t *testing.T, how string, height int) (rows, locks, verdicts int, units float64) {
	var known config.Layout
	if how == "apart" {
		known = townApart(f, "town", 2000)
	} else {
		known = f.Town("town", 2000)
	}
	conn, w := f.Through(known, how)
	var b *browse.Browser
	trips := w.Count(func() {
		o, err := conn.Start(t.Context(), "town", height+1)
		if err != nil {
			t.Error(err)
			return
		}
		b = browse.NewOpening(o)
	})
	for b != nil && b.Table() == nil {
		var v browse.View
		var err error
		trips += w.Count(func() { v, err = b.Next(t.Context()) })
		if err != nil {
			t.Fatal(err)
		}
		if rows == 0 && len(v.Items) >= min(height+1, 48) {
			rows = trips
		}
		first := v.Relations[:min(len(v.Relations), paidRows)]
		if unread := func(r *verdict.Relation) bool { return r.Lock.Unread }; locks == 0 && len(first) > 0 && !slices.ContainsFunc(first, unread) {
			locks, units = trips, conn.Units()
		}
		for _, r := range v.Relations {
			if b.Table() == nil && (r.Verdict != verdict.Unknown || !r.Unjudged) {
				t.Errorf("%s: %s is called %s before the layout's fit is known", how, r.Value, r.Verdict)
			}
		}
	}
	t.Logf("%s: rows after %d trips, locks after %d, verdicts after %d, %v units till then, %v in all: %s", how, rows, locks, trips, units, conn.Units(), strings.Join(w.Log, "; "))
	return rows, locks, trips, units
}

// A screen of a table has its rows after the first round trip to the endpoint, and their locks soon after. Other items
// are read later.
func TestTheFirstPageTakesFewTrips(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]struct {
		locks, verdicts int
		units           float64
	}{
		"described":  {2, 3, 40}, // the third trip shows whether the layout fits
		"recognised": {4, 4, 120},
		"wrong":      {2, 5, 120},
		"apart":      {2, 6, 40}, // the table of the locks is sampled after some locks are read
	} {
		for _, height := range []int{24, 120, 60}[:testrun.Runs(3, 2)] {
			synctest.Test(t, func(t *testing.T) {
				f := fixture.New(t)
				rows, locks, verdicts, units := browseTown(f, t, how, height)
				if rows != 1 || locks > want.locks || verdicts > want.verdicts || units > want.units {
					t.Errorf("%s, %d rows: rows after %d trips, locks after %d, verdicts after %d, %v units till the locks; want 1, %d, %d and %v", how, height, rows, locks, verdicts, units, want.locks, want.verdicts, want.units)
				}
			})
		}
	}
}
