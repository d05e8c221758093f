package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fault"
	"tallylock/internal/generator"
	"tallylock/internal/testrun"
)

// anomalies returns count anomalies of each kind.
func anomalies(count int, owners bool) []generator.Wrong {
	kinds := []generator.Kind{
		generator.OrphanedLock, generator.MissingLock, generator.DuplicateValue, generator.UnnormalisedValue, generator.NearLock, generator.ExpiringAccount,
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

// wrong returns the anomalies of a generated table, in the form of seen.
func wrong(table *generator.Table) []string {
	var all []string
	for a := range table.All() {
		value := a.Value
		if a.Kind == generator.UnnormalisedValue { // a finding names the account's value
			value = a.Held
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

func seen(found []finding.Finding) []string {
	var all []string
	for _, f := range found {
		all = append(all, lineOf(f))
	}
	slices.Sort(all)
	return all
}

// lineOf writes a finding in one line.
func lineOf(f finding.Finding) string {
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
	return line
}

func openMadeUp(t testing.TB, table *generator.Table) *dynamo.Table {
	t.Helper()
	o := behind(table)
	o.Layouts = uniq(table.Name, table.Owners)
	return opened(t, o, table.Name)
}

// uniq returns the layout of generated tables, as a config describes it.
func uniq(table string, owners bool) []config.Layout {
	email := config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}
	username := config.Constraint{Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"}
	if owners {
		email.Owner, username.Owner = "userId", "userId"
	}
	return []config.Layout{{Name: "uniq", Tables: []string{table}, Accounts: []config.Account{{
		PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{email, username},
	}}}}
}

// A check finds all problems of a table and reports no others, despite faults of requests.
func TestEveryAnomalyIsFound(t *testing.T) {
	t.Parallel()
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
				found, sum, err := run(t.Context(), open, setting.Options{Segments: 32})
				if err != nil {
					t.Fatal(err)
				}
				alike(t, seen(found), wrong(table))
				if !sum.Complete || !sum.Confirmed || int(sum.Items) != table.Items() || (sum.Throttled > 0) != (table.Faults.Throttled > 0) {
					t.Errorf("%+v", sum)
				}
			})
		})
	}
}

// faults injects faults into requests of any kind while on is set. happened counts the faults.
type faults struct {
	shares   map[fault.Fault]float64
	on       atomic.Bool
	happened atomic.Int64
}

func (f *faults) option() embedded.Option {
	return fault.WithFaults(func(r fault.Request) fault.Fault {
		if !f.on.Load() || r.Op == "DescribeTimeToLive" {
			return fault.NoFault
		}
		dice := rand.New(rand.NewPCG(3, uint64(r.N))).Float64()
		for _, which := range []fault.Fault{fault.Throttle, fault.Corrupt, fault.Truncate} {
			if dice -= f.shares[which]; dice < 0 {
				f.happened.Add(1)
				return which
			}
		}
		return fault.NoFault
	})
}

// allFaults combines the faults of TestFaultsOfAnyReading.
var allFaults = map[fault.Fault]float64{fault.Throttle: 0.3, fault.Corrupt: 0.05, fault.Truncate: 0.05}

// wrongs makes sixty people with a problem each, and sixty people without problems.
func (w *world) wrongs() {
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
}

// undisturbed fails if a check with faults finds other problems than a check without faults.
func (f *faults) undisturbed(t *testing.T, table *dynamo.Table) {
	t.Helper()
	o := setting.Options{Segments: 64}
	want, whole, err := run(t.Context(), table, o)
	if err != nil || len(want) != 60 {
		t.Fatal(len(want), err)
	}
	f.on.Store(true)
	got, sum, err := run(t.Context(), table, o)
	if err != nil || !sum.Complete || !sum.Confirmed || sum.Items != whole.Items || sum.Accounts != whole.Accounts || sum.Locks != whole.Locks || f.happened.Load() == 0 {
		t.Fatalf("%d faults: %+v, and without them %+v: %v", f.happened.Load(), sum, whole, err)
	}
	if !slices.Equal(said(got), said(want)) {
		t.Errorf("found %q, and without faults %q", said(got), said(want))
	}
	if (sum.Throttled > 0) != (f.shares[fault.Throttle] > 0) {
		t.Errorf("throttled %d times", sum.Throttled)
	}
}

// The readings after the first pass have faults at the same rate as the first pass. The findings stay the same.
func TestFaultsOfAnyReading(t *testing.T) {
	t.Parallel()
	for name, shares := range map[string]map[fault.Fault]float64{
		"throttled": {fault.Throttle: 0.3},
		"corrupted": {fault.Corrupt: 0.05},
		"cut":       {fault.Truncate: 0.05},
		"all":       allFaults,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &faults{shares: shares}
				w := newWorld(t, 3, fault.Delays{}, f.option())
				w.wrongs()
				f.undisturbed(t, w.open(settle))
			})
		})
	}
}

// The findings also stay the same over real connections, which break if an answer is cut.
func TestFaultsOfAnyReadingOverHTTP(t *testing.T) {
	for _, how := range []protocol{tlsTwo, httpOne}[:testrun.Runs(2, 1)] {
		t.Run(string(how), func(t *testing.T) {
			f := &faults{shares: allFaults}
			w := newWorld(t, 3, fault.Delays{}, f.option())
			w.wrongs()
			table, err := served(t, w.engine, dynamo.Options{Options: client.Options{Settle: time.Millisecond}, Layouts: w.layouts()}, how).Open(t.Context(), worldTable)
			if err != nil {
				t.Fatal(err)
			}
			f.undisturbed(t, table)
		})
	}
}
