package check_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fault"
	"tallylock/internal/testrun"
	"tallylock/ui/say"
)

func TestMain(m *testing.M) {
	testrun.Isolate()
	testrun.SideBySide("4")
	os.Exit(m.Run())
}

// fixture has the demo's tables.
type fixture struct {
	*demo.Demo
	t *testing.T
}

func start(t *testing.T) *fixture {
	t.Helper()
	testrun.OneIn(t, 2)
	d, err := demo.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{Demo: d, t: t}
}

func (f *fixture) open(table string, change ...func(*dynamo.Options)) *dynamo.Table {
	f.t.Helper()
	o := f.Options()
	o.Settle = time.Microsecond
	for _, c := range change {
		c(&o)
	}
	return opened(f.t, o, table)
}

// guessed opens a table with the layout that Open recognises.
func (f *fixture) guessed(table string) *dynamo.Table {
	f.t.Helper()
	o := f.Options()
	o.Settle, o.Layouts = time.Microsecond, nil
	return guessed(f.t, o, table)
}

// connected returns a connection with these options.
func connected(t testing.TB, o dynamo.Options) *dynamo.Connection {
	t.Helper()
	conn, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// opened opens a table over a connection with these options. It describes a recognised layout, or that of a preset, in
// the config, as a person would.
func opened(t testing.TB, o dynamo.Options, table string) *dynamo.Table {
	t.Helper()
	open := guessed(t, o, table)
	if open.Layout.Empty() || open.Layout.State().Sure() {
		return open
	}
	o.Layouts, o.Layout = []config.Layout{config.Of(open.Layout, table)}, ""
	return guessed(t, o, table)
}

// guessed opens a table over a connection with these options, with the layout that Open recognises.
func guessed(t testing.TB, o dynamo.Options, table string) *dynamo.Table {
	t.Helper()
	open, err := connected(t, o).Open(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	return open
}

// behind returns the options of a connection that sends its requests to a transport.
func behind(transport http.RoundTripper) dynamo.Options {
	return dynamo.Options{Options: client.Options{Transport: transport, Region: "us-east-1"}}
}

// run checks a whole table.
func (f *fixture) run(t *dynamo.Table, o setting.Options) ([]finding.Finding, finding.Summary) {
	f.t.Helper()
	found, sum, err := run(f.t.Context(), t, o)
	if err != nil {
		f.t.Fatal(err)
	}
	f.alsoBySQL(t, found, o)
	return found, sum
}

func run(ctx context.Context, t *dynamo.Table, o setting.Options) ([]finding.Finding, finding.Summary, error) {
	var mu sync.Mutex
	var found []finding.Finding
	o.Say = say.Do
	sum, err := check.Run(ctx, t, o, func(one finding.Finding) {
		mu.Lock()
		defer mu.Unlock()
		found = append(found, one)
	}, nil)
	return found, sum, err
}

// said returns findings as short sorted lines: the kind, the value, and a question mark if the finding is unconfirmed.
func said(found []finding.Finding) []string {
	var lines []string
	for _, f := range found {
		line := string(f.Kind) + " " + f.Value + f.Counter
		if !f.Confirmed {
			line += "?"
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

// alike fails if two sorted lists differ. It names each line that only one of them has.
func alike(t *testing.T, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	t.Errorf("%d found, want %d", len(got), len(want))
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("not found: %s", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("found, and not there: %s", line)
		}
	}
}

func (f *fixture) want(found []finding.Finding, want ...string) {
	f.t.Helper()
	slices.Sort(want)
	if got := said(found); !slices.Equal(got, want) {
		f.t.Errorf("found\n%q, want\n%q", got, want)
	}
}

// All ways to confirm find the same problems. They differ only in the number of confirmed findings.
func TestDemoTables(t *testing.T) {
	t.Parallel()
	f := start(t)
	accounts, members := f.open("accounts"), f.open("members")
	clear := []string{"missing-lock hopper", "duplicate-value margaret.hamilton@draper.test"}
	nobodys := func(mark string) []string {
		return append([]string{"orphaned-lock alan" + mark, "orphaned-lock turing" + mark, "orphaned-lock mel@oldmail.test" + mark, "malformed-lock undefined" + mark}, clear...)
	}
	found, sum := f.run(accounts, setting.Options{})
	f.want(found, nobodys("")...)
	if !sum.Complete || !sum.Confirmed || sum.Items != 104 || sum.Accounts != 34 || sum.Locks != 70 || sum.ReadUnits <= 0 {
		t.Errorf("the summary is %+v", sum)
	}
	found, _ = f.run(accounts, setting.Options{Look: setting.Eventual})
	f.want(found, nobodys("")...)
	found, sum = f.run(accounts, setting.Options{Confirm: setting.ConfirmReads})
	f.want(found, nobodys("?")...)
	if sum.Confirmed {
		t.Error("reads alone are said to confirm locks without owners")
	}
	for _, o := range []setting.Options{{}, {Confirm: setting.ConfirmReads}} {
		found, _ = f.run(members, o)
		f.want(found, "orphaned-lock alan", "stale-lock mel", "foreign-lock mhamilton")
	}
	found, _ = f.run(members, setting.Options{Confirm: setting.ConfirmNone})
	f.want(found, "orphaned-lock alan?", "stale-lock mel?", "foreign-lock mhamilton?")
}

// A check that is stopped before its second reading reports its suspects. It leaves out a suspect that the first
// reading contradicts.
func TestStoppedBeforeTheLook(t *testing.T) {
	f := start(t)
	accounts := f.open("accounts", func(o *dynamo.Options) { o.Settle = time.Hour })
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var found []finding.Finding
	sum, err := check.Run(ctx, accounts, setting.Options{}, func(one finding.Finding) { found = append(found, one) }, func(now progress.State) {
		if now.Stage == progress.Waiting {
			if now.Candidates != 6 {
				t.Errorf("%d values are followed up, want 6", now.Candidates)
			}
			var suspects []string
			for _, s := range now.Suspects {
				suspects = append(suspects, fmt.Sprintf("%s %s %s", s.Kind, s.Constraint, s.Value))
			}
			if want := []string{
				"orphaned-lock email mel@oldmail.test", "malformed-lock email undefined",
				"orphaned-lock username alan", "orphaned-lock username turing",
			}; !slices.Equal(suspects, want) {
				t.Errorf("suspected are %q, want %q", suspects, want)
			}
			stop()
		}
	})
	if err == nil || sum.Complete || sum.Confirmed {
		t.Errorf("it is said to be complete: %+v, %v", sum, err)
	}
	f.want(found, "orphaned-lock alan?", "orphaned-lock turing?", "orphaned-lock mel@oldmail.test?", "malformed-lock undefined?")
	for _, one := range found {
		if !strings.HasPrefix(one.Evidence, "Provisional: ") || strings.Contains(one.Evidence, "transaction") {
			t.Errorf("%s claims more than was read: %s", one.Value, one.Evidence)
		}
	}
}

// A stopped check says that it was stopped. It keeps its findings and the number of items that it has read.
func TestStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, fault.Delays{})
		w.latency = time.Second
		w.signUp("A", "v")
		w.signUp("B", "u")
		w.expire("A")
		table := w.open(settle)
		for doing, want := range map[progress.Stage][]string{progress.Reading: nil, progress.Waiting: {"orphaned-lock v?"}, progress.LookingAgain: {"orphaned-lock v?"}} {
			ctx, stop := context.WithCancel(t.Context())
			var found []finding.Finding
			states := 0
			sum, err := check.Run(ctx, table, setting.Options{Segments: 32}, func(f finding.Finding) { found = append(found, f) }, func(s progress.State) {
				states++
				if s.Stage == doing && (doing == progress.Waiting || s.Items > 0) {
					stop()
				}
			})
			stop()
			if client.KindOf(err) != client.Cancelled || sum.Complete || sum.Why == "" || sum.ReadUnits == 0 || states == 0 {
				t.Errorf("%d: %v, %+v", doing, err, sum)
			}
			if sum.Items == 0 || sum.Accounts+sum.Locks != sum.Items {
				t.Errorf("%d: %d items, %d accounts, %d locks", doing, sum.Items, sum.Accounts, sum.Locks)
			}
			begins := fmt.Sprintf("the check was stopped after %d ", sum.Items)
			if doing == progress.Reading && !slices.ContainsFunc(sum.Notes, func(n string) bool { return strings.HasPrefix(n, begins) }) {
				t.Errorf("it does not count %d items: %q", sum.Items, sum.Notes)
			}
			if got := said(found); !slices.Equal(got, want) {
				t.Errorf("%d: found %q, want %q", doing, got, want)
			}
		}
	})
}

// A check reports its stage.
func TestState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, fault.Delays{})
		w.latency = time.Second
		for n := range 20 {
			w.signUp(fmt.Sprint(n), fmt.Sprint(n))
		}
		w.expire("3")
		var doing []progress.Stage
		var last progress.State
		sum, err := check.Run(t.Context(), w.open(settle), setting.Options{Segments: 64}, func(finding.Finding) {}, func(s progress.State) {
			if len(doing) == 0 || doing[len(doing)-1] != s.Stage {
				doing = append(doing, s.Stage)
			}
			if s.Items > s.Expected || s.Units < last.Units {
				t.Errorf("%+v after %+v", s, last)
			}
			last = s
		})
		if err != nil || sum.Found() != 1 || last.Found() != 1 || last.Units != sum.ReadUnits {
			t.Errorf("%v, %+v, %+v", err, sum, last)
		}
		if want := []progress.Stage{progress.Preparing, progress.Reading, progress.Waiting, progress.LookingAgain, progress.Confirming}; !slices.Equal(doing, want) {
			t.Errorf("it did %v", doing)
		}
	})
}
