package check_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout/config"
)

// stoppedAt runs a check and stops it when it enters a stage.
func stoppedAt(t *testing.T, at progress.Stage, do func(context.Context, func(progress.State)) (finding.Summary, error)) finding.Summary {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	sum, err := do(ctx, func(s progress.State) {
		if s.Stage == at {
			stop()
		}
	})
	if client.KindOf(err) != client.Cancelled || sum.Complete {
		t.Errorf("stopped at %d: %+v, %v", at, sum, err)
	}
	return sum
}

// A stopped check says how far it came.
func TestHowFarAStoppedCheckCame(t *testing.T) {
	t.Parallel()
	f := start(t)
	accounts := f.open("accounts")
	f.create("fine", "PK:S", "SK:S", user("1", "a"), mail("a"), doc{"PK": str("COUNTER"), "SK": str("AT"), "at": num("1")})
	l := users()
	l.Counters = []config.Counter{{Name: "orders", PK: "COUNTER", SK: "AT", Attribute: "at"}}
	fine := f.described("fine", l)
	want, _ := f.run(accounts, setting.Options{})
	c, err := candidates.Open(filed(t, lined(counted(accounts, rowsOf(t, accounts, want)))))
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		table *dynamo.Table
		o     setting.Options
		at    progress.Stage
		says  string
	}{
		{accounts, setting.Options{}, progress.Preparing, "before it read any item"},
		{accounts, setting.Options{}, progress.Waiting, "after it read all items once, and before it read the accounts again"},
		{accounts, setting.Options{}, progress.LookingAgain, "after it read all items once, and before it read the accounts again"},
		{accounts, setting.Options{}, progress.Confirming, "after both readings, and before it judged everything"},
		{fine, setting.Options{}, progress.ReadingCounters, "after it read all items once, and before it judged everything"},
		{accounts, setting.Options{Candidates: c}, progress.Reading, "before it read all candidates"},
		{accounts, setting.Options{Candidates: c}, progress.Waiting, "after it read the candidates, and before it judged all of them"},
		{accounts, setting.Options{Candidates: c, Confirm: setting.ConfirmReads}, progress.Confirming, "after it read the candidates, and before it judged all of them"},
		{accounts, setting.Options{Candidates: c}, progress.Confirming, "after it read the accounts again, and before it judged all candidates"},
	} {
		sum := stoppedAt(t, one.at, func(ctx context.Context, each func(progress.State)) (finding.Summary, error) {
			return check.Run(ctx, one.table, one.o, func(finding.Finding) {}, each)
		})
		if !slices.Contains(sum.Notes, "the check was stopped "+one.says) {
			t.Errorf("stopped at %d: it does not say %q: %q", one.at, one.says, sum.Notes)
		}
	}
}

// A stopped check of an export counts the items that it has read.
func TestItemsOfAStoppedCheck(t *testing.T) {
	t.Parallel()
	f := start(t)
	const all = 400
	var items []doc
	for n := range all {
		items = append(items, user(fmt.Sprint(n), fmt.Sprint(n)))
	}
	f.create("many", "PK:S", "SK:S", items...)
	dir := t.TempDir()
	f.export(dir, "many")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var read atomic.Int64
	_, sum, err := exported(ctx, f.described("many", users()), dir, setting.Options{Confirm: setting.ConfirmNone, Accounts: func() func(attr.Item) {
		return func(attr.Item) {
			read.Add(1)
			stop()
		}
	}})
	n := read.Load()
	said := fmt.Sprintf("the check was stopped after %d of about %d items", n, all)
	if client.KindOf(err) != client.Cancelled || n == 0 || n == all || sum.Items != n || !slices.Contains(sum.Notes, said) {
		t.Errorf("%d items: %+v, %v", n, sum, err)
	}
}

// A stopped check of increments says how many changes it has read, and leaves no state.
func TestHowFarAStoppedCheckOfIncrementsCame(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("many", "PK:S", "SK:S")
	table := f.described("many", users())
	p := newPast(f, rand.New(rand.NewPCG(1, 1)), "many", "many")
	p.put("many", user("1", "a"))
	_, from, err := check.KeepState(t.Context(), table, setting.Options{Confirm: setting.ConfirmNone, Export: p.full()}, collect().add, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.begin()
	p.put("many", user("2", "b"))
	p.put("many", user("3", "c"))
	all := p.end()
	for at, says := range map[progress.Stage]string{
		progress.Preparing:    "after 0 of about 2 changes",
		progress.Reading:      "after 0 of about 2 changes",
		progress.LookingAgain: "after it read all changes once, and before it judged everything",
	} {
		sum := stoppedAt(t, at, func(ctx context.Context, each func(progress.State)) (finding.Summary, error) {
			sum, next, err := check.Increments(ctx, table, setting.Options{}, p.again(from), all, func(finding.Finding) {}, each)
			if next != nil {
				t.Errorf("stopped at %d: it leaves a state", at)
			}
			return sum, err
		})
		if !slices.Contains(sum.Notes, "the check was stopped "+says) {
			t.Errorf("stopped at %d: it does not say %q: %q", at, says, sum.Notes)
		}
	}
}
