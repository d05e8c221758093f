package dynamo_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/internal/testrun"
)

// parallelTrips answers requests batch by batch: those that are under way at one time together, when
// nothing can go on without an answer. The number of batches is the number of trips to the
// endpoint that are made one after the other. It runs in a bubble of synctest.
type parallelTrips struct {
	http.RoundTripper
	mu      sync.Mutex
	sent    []string
	waiting chan struct{} // closed when the batch is answered
	log     []string      // a batch each
}

func (w *parallelTrips) RoundTrip(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	w.mu.Lock()
	if w.waiting == nil {
		w.waiting = make(chan struct{})
	}
	w.sent = append(w.sent, operation)
	answered := w.waiting
	w.mu.Unlock()
	<-answered
	return w.RoundTripper.RoundTrip(r)
}

// trips counts the batches that do takes.
func (w *parallelTrips) trips(do func()) int {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	for n := 0; ; {
		synctest.Wait()
		select {
		case <-done:
			return n
		default:
		}
		w.mu.Lock()
		answered := w.waiting
		if answered != nil {
			n++
			w.log = append(w.log, summary(w.sent))
			w.sent, w.waiting = nil, nil
			close(answered)
		}
		w.mu.Unlock()
		if answered == nil {
			time.Sleep(time.Millisecond) // it waits before it asks again
		}
	}
}

// summary is how often each operation was sent, as in "2 Scan".
func summary(sent []string) string {
	counts := map[string]int{}
	var out []string
	for _, op := range sent {
		if counts[op]++; counts[op] == 1 {
			out = append(out, op)
		}
	}
	for n, op := range out {
		out[n] = fmt.Sprint(counts[op], " ", op)
	}
	return strings.Join(out, " + ")
}

// accountsTable is a table of accounts with two locks each, and its layout.
func (f *fixture) accountsTable(name string, accounts int) config.Layout {
	f.create(name, "PK:S", "SK:S")
	var rows []item
	for n := range accounts {
		v := fmt.Sprintf("p%d", n)
		rows = append(rows, account(v, v+"@x.io", v), lock("EMAIL", v+"@x.io"), lock("HANDLE", v))
	}
	f.put(name, rows...)
	return config.Layout{Name: "mine", Tables: []string{name}, Accounts: []config.Account{{
		PK: "ACCT#{id}", SK: "PROFILE",
		Constraints: []config.Constraint{{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}, {Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"}},
	}}}
}

// through connects to a table that has a layout with its config, with none, or with a wrong
// one, and notes the requests.
func (f *fixture) through(known config.Layout, how string) (*dynamo.Connection, *parallelTrips) {
	if how == "wrong" {
		known.Accounts[0].Constraints[0].Normalise = []string{"sha256"}
	}
	w := &parallelTrips{RoundTripper: f}
	return f.connect(func(o *dynamo.Options) {
		if o.Transport = w; how != "recognised" {
			o.Layouts = []config.Layout{known}
		}
	}), w
}

// opened opens the table of a town, as through connects to it.
func (f *fixture) opened(t *testing.T, accounts int, how string) (*dynamo.Table, *parallelTrips, int) {
	conn, w := f.through(f.accountsTable("town", accounts), how)
	var table *dynamo.Table
	var err error
	n := w.trips(func() { table, err = conn.Open(t.Context(), "town") })
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d trips, %v units: %s", how, n, conn.Units(), strings.Join(w.log, "; "))
	return table, w, n
}

// Opening a table asks for all that it needs at a time together.
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
			f := start(t)
			table, _, trips := f.opened(t, 2000, how)
			if units := table.Connection().Units(); trips > want.trips || units > want.units {
				t.Errorf("%s: %d trips and %v units, want %d and %v at most", how, trips, units, want.trips, want.units)
			}
			if fit := table.Fit.All()[0]; fit.Standing() != want.standing {
				t.Errorf("%s: the layout is %s: %s", how, fit.Standing(), fit.Why())
			}
		})
	}
}

// apart is a town whose locks are in a table of their own.
func (f *fixture) apart(name string, accounts int) config.Layout {
	f.create(name, "PK:S", "SK:S")
	f.create("uniq", "PK:S", "SK:S")
	var people, locks []item
	for n := range accounts {
		v := fmt.Sprintf("p%d", n)
		people = append(people, account(v, v+"@x.io", v))
		locks = append(locks, lock("EMAIL", v+"@x.io"), lock("HANDLE", v))
	}
	f.put(name, people...)
	f.put("uniq", locks...)
	return config.Layout{Name: "mine", Tables: []string{name}, Accounts: []config.Account{{
		PK: "ACCT#{id}", SK: "PROFILE",
		Constraints: []config.Constraint{
			{Attribute: "email", Table: "uniq", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"},
			{Attribute: "username", Table: "uniq", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"},
		},
	}}}
}

// paidRows are of how many rows the locks have to be there soon: 40 units pay for them.
const paidRows = 36

// browsed starts to open the table of a town as opened does, shows a screen of it, and notes
// after how many trips there are rows, the locks beside them, and their verdicts; units are
// the read units until the locks are there.
func (f *fixture) browsed(t *testing.T, how string, height int) (rows, locks, verdicts int, units float64) {
	table := f.accountsTable
	if how == "apart" {
		table = f.apart
	}
	conn, w := f.through(table("town", 2000), how)
	var b *browse.Browser
	trips := w.trips(func() {
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
		trips += w.trips(func() { v, err = b.Next(t.Context()) })
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
	t.Logf("%s: rows after %d trips, locks after %d, verdicts after %d, %v units till then, %v in all: %s", how, rows, locks, trips, units, conn.Units(), strings.Join(w.log, "; "))
	return rows, locks, trips, units
}

// A screen of a table has its rows after the first trip to the endpoint, and soon their
// locks: what is not needed for them is read later.
func TestTheFirstPageTakesFewTrips(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]struct {
		locks, verdicts int
		units           float64
	}{
		"described":  {2, 3, 40}, // whether the layout fits takes the third
		"recognised": {4, 4, 120},
		"wrong":      {2, 5, 120},
		"apart":      {2, 6, 40}, // the table of the locks is sampled when some of them are there
	} {
		for _, height := range []int{24, 120, 60}[:testrun.Runs(3, 2)] {
			synctest.Test(t, func(t *testing.T) {
				f := start(t)
				rows, locks, verdicts, units := f.browsed(t, how, height)
				if rows != 1 || locks > want.locks || verdicts > want.verdicts || units > want.units {
					t.Errorf("%s, %d rows: rows after %d trips, locks after %d, verdicts after %d, %v units till the locks; want 1, %d, %d and %v", how, height, rows, locks, verdicts, units, want.locks, want.verdicts, want.units)
				}
			})
		}
	}
}
