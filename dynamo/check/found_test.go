package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/generator"
	"tallylock/dynamo/embedded"
)

// anomalies are some of each kind.
func anomalies(count int, owners bool) []generator.Wrong {
	kinds := []generator.Kind{
		generator.OrphanedLock, generator.MissingLock, generator.DuplicateValue, generator.UnnormalisedValue, generator.MalformedLock, generator.ExpiringAccount,
	}
	if owners {
		kinds = append(kinds, generator.StaleLock, generator.ForeignLock)
	}
	var all []generator.Wrong
	for _, kind := range kinds {
		all = append(all, generator.Wrong{Kind: kind, Count: count})
	}
	return all
}

// wrong are a made-up table's anomalies as the findings would be said.
func wrong(table *generator.Table) []string {
	var all []string
	for a := range table.All() {
		value := a.Value
		if a.Kind == generator.UnnormalisedValue { // it is the lock's; a finding says the account's
			value = strings.Replace(value, "user.", "User.", 1)
		}
		line := fmt.Sprint(a.Kind, " ", a.Constraint, " ", value, " ", a.Lock)
		for _, k := range a.Accounts {
			line += " " + k.PK
		}
		all = append(all, line)
	}
	slices.Sort(all)
	return all
}

func seen(found []check.Finding) []string {
	var all []string
	for _, f := range found {
		line := fmt.Sprint(f.Kind, " ", f.Constraint, " ", f.Value, " ", generator.Key{PK: f.Lock["PK"].Text, SK: f.Lock["SK"].Text})
		accounts := []string{}
		for _, k := range f.Accounts {
			accounts = append(accounts, " "+k["PK"].Text)
		}
		slices.Sort(accounts)
		for _, a := range accounts {
			line += a
		}
		if !f.Confirmed {
			line += "?"
		}
		all = append(all, line)
	}
	slices.Sort(all)
	return all
}

func openMadeUp(t testing.TB, table *generator.Table) *dynamo.Table {
	t.Helper()
	conn, err := dynamo.Connect(t.Context(), dynamo.Options{Transport: table, Region: "us-east-1", Layout: "uniq"})
	if err != nil {
		t.Fatal(err)
	}
	open, err := conn.Open(t.Context(), table.Name)
	if err != nil {
		t.Fatal(err)
	}
	return open
}

// Everything that is wrong with a table is found, and nothing else, whatever
// happens to requests on the way.
func TestEveryAnomalyIsFound(t *testing.T) {
	for name, table := range map[string]*generator.Table{
		"throttled": {Pages: 120, PerPage: 12, Anomalies: anomalies(15, false), Faults: generator.Faults{Throttled: 0.3}},
		"corrupted": {Pages: 120, PerPage: 12, Anomalies: anomalies(15, false), Faults: generator.Faults{Corrupted: 0.05}},
		"cut":       {Pages: 120, PerPage: 12, Anomalies: anomalies(15, false), Faults: generator.Faults{Cut: 0.05}},
		"no owners": {Pages: 60, PerPage: 40, Anomalies: anomalies(25, false)},
		"owners":    {Pages: 60, PerPage: 40, Anomalies: anomalies(25, true), Owners: true},
		"faults":    {Pages: 200, PerPage: 12, Anomalies: anomalies(25, false), Faults: generator.Faults{Throttled: 0.3, Corrupted: 0.05, Cut: 0.05}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				table.Name, table.Seed = "accounts", 7
				faults := table.Faults
				table.Faults = generator.Faults{}
				open := openMadeUp(t, table)
				table.Faults = faults
				found, sum, err := run(t.Context(), open, check.Options{Segments: 32})
				if err != nil {
					t.Fatal(err)
				}
				got, want := seen(found), wrong(table)
				if !slices.Equal(got, want) {
					t.Errorf("%d found, %d wrong", len(got), len(want))
					for _, line := range got {
						if !slices.Contains(want, line) {
							t.Errorf("found, and not there: %s", line)
						}
					}
					for _, line := range want {
						if !slices.Contains(got, line) {
							t.Errorf("not found: %s", line)
						}
					}
				}
				if !sum.Complete || !sum.Confirmed || int(sum.Items) != table.Items() || (sum.Throttled > 0) != (table.Faults.Throttled > 0) {
					t.Errorf("%+v", sum)
				}
			})
		})
	}
}

// The readings that settle what a page has met go wrong as often as pages do, and
// a check finds the same.
func TestFaultsOfAnyReading(t *testing.T) {
	for name, faults := range map[string]map[embedded.Fault]float64{
		"throttled": {embedded.Throttle: 0.3},
		"corrupted": {embedded.Corrupt: 0.05},
		"cut":       {embedded.Truncate: 0.05},
		"all":       {embedded.Throttle: 0.3, embedded.Corrupt: 0.05, embedded.Truncate: 0.05},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var faulty atomic.Bool
				var happened atomic.Int64
				w := newWorld(t, 3, embedded.Delays{}, embedded.WithFaults(func(r embedded.Request) embedded.Fault {
					if !faulty.Load() || r.Op == "DescribeTimeToLive" {
						return embedded.NoFault
					}
					dice := rand.New(rand.NewPCG(3, uint64(r.N))).Float64()
					for _, fault := range []embedded.Fault{embedded.Throttle, embedded.Corrupt, embedded.Truncate} {
						if dice -= faults[fault]; dice < 0 {
							happened.Add(1)
							return fault
						}
					}
					return embedded.NoFault
				}))
				for n := range 120 {
					id := fmt.Sprint(n)
					w.signUp(id, "v"+id)
					switch n % 6 {
					case 0:
						w.expire(id)
					case 1:
						w.imports("bare"+id, "u"+id)
					case 2:
						w.imports("twin"+id, "v"+id)
					}
				}
				table := w.open(settle)
				o := check.Options{Segments: 64}
				want, _, err := run(t.Context(), table, o)
				if err != nil || len(want) != 60 {
					t.Fatal(len(want), err)
				}
				faulty.Store(true)
				got, sum, err := run(t.Context(), table, o)
				if name == "throttled" && sum.Throttled != happened.Load() {
					t.Errorf("throttled %d times, and %d are told", happened.Load(), sum.Throttled)
				}
				if err != nil || !sum.Complete || !sum.Confirmed || happened.Load() == 0 {
					t.Fatalf("%d faults: %+v, %v", happened.Load(), sum, err)
				}
				if !slices.Equal(said(got), said(want)) {
					t.Errorf("found %q, and without faults %q", said(got), said(want))
				}
			})
		})
	}
}
