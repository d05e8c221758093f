package change_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fault"
)

// writtenIn sets a layout of the demo's accounts that names the only Region that writes them.
func writtenIn(region string) func(*dynamo.Options) {
	return func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "ours", Tables: []string{"accounts"}, WrittenIn: region, Accounts: []config.Account{{
			PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{
				{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}, {Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"},
			},
		}}}}
	}
}

// If another Region may write a table, nothing in it is deleted, unless the layout says that only this Region writes
// it.
func TestNothingIsDeletedWhereOthersWrite(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		written func(*dynamo.Options)
		refused bool
	}{
		"not said":  {func(*dynamo.Options) {}, true},
		"elsewhere": {writtenIn("eu-west-1"), true},
		"here":      {writtenIn("us-east-1"), false},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t, fault.WithReplicas("accounts", false, "eu-west-1"))
			table := f.open("accounts", tc.written)
			found := f.checked(table)
			expect := func(what string, p *plan.Plan, err error) {
				t.Helper()
				if tc.refused {
					f.mustNot(plan.Regions, p, err)
				} else if err != nil {
					t.Errorf("%s: %v", what, err)
				}
			}
			p, err := f.plan(table, "username", "turing")
			expect("a release", p, err)
			ada := table.Layout.Accounts[0].Keys(table.Schema, "a1f9c3", nil)[0]
			p, err = planner.DeleteAccount(t.Context(), table, ada)
			expect("an account", p, err)
			for _, one := range found {
				if one.Kind == finding.OrphanedLock && one.Value == "turing" {
					p, err = f.changer.PlanMend(t.Context(), table, one, nil)
					expect("a mend", p, err)
				}
			}
			// A missing lock can be put, but the undo of this repair would delete the lock.
			for _, one := range found {
				if one.Kind != finding.MissingLock {
					continue
				}
				put, err := f.changer.PlanMend(t.Context(), table, one, nil)
				if err != nil {
					t.Fatal(err)
				}
				r := f.changer.Apply(t.Context(), put, nil)
				if r.Outcome != journal.Applied {
					t.Fatal(r.Err, r.Reasons)
				}
				if _, err := f.App().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &one.Table, Key: wire(one.Accounts[0])}); err != nil {
					t.Fatal(err)
				}
				p, err = f.undo(table, r)
				expect("an undo", p, err)
			}
		})
	}
}

// A release began while the layout said that only this Region writes. Now the layout does not say this: the release
// cannot be finished, but its mark can be removed.
func TestAReleaseIsNotFinishedWhereOthersWrite(t *testing.T) {
	f := start(t, fault.WithReplicas("accounts", false, "eu-west-1"))
	f.killed(f.mustPlan(f.open("accounts", writtenIn("us-east-1")), "username", "turing"), "wait")
	table := f.open("accounts")
	all := []*change.Resolution{f.examine(table)}
	r := f.changer.ResolveAll(t.Context(), all, change.Finish, nil)[0]
	if r.Outcome == journal.Applied || r.Err == nil || f.get("accounts", handle("turing")) == nil {
		t.Fatalf("%s, %v", r.Outcome, r.Err)
	}
	f.resolve(table, change.TakeOff, journal.Refused)
	if lock := f.get("accounts", handle("turing")); len(lock) != 2 {
		t.Errorf("the lock is %v", lock)
	}
}

// A table without transactions is not changed at all.
func TestATableWithoutTransactionsIsNotChanged(t *testing.T) {
	t.Parallel()
	f := start(t, fault.WithReplicas("accounts", true, "eu-west-1", "eu-west-2"), fault.WithReplicas("order_id", true, "eu-west-1"))
	for _, written := range []func(*dynamo.Options){func(*dynamo.Options) {}, writtenIn("us-east-1")} {
		table := f.open("accounts", written)
		p, err := f.plan(table, "username", "turing")
		f.mustNot(plan.Regions, p, err)
		for _, one := range f.checked(table) {
			p, err := f.changer.PlanMend(t.Context(), table, one, nil)
			if one.Kind == finding.MissingLock || one.Value == "turing" {
				f.mustNot(plan.Regions, p, err)
			}
			if one.Confirmed {
				t.Errorf("%s %s is confirmed, without a transaction", one.Kind, one.Value)
			}
		}
	}
	p, err := planner.Bump(t.Context(), f.counter("order_id", "order_id"), big.NewInt(1))
	f.mustNot(plan.Regions, p, err)
}

// A counter that several Regions write can be changed, since its conditions hold in this Region. The plan and the
// receipt warn that another Region may hand out the same numbers.
func TestNumbersAreReservedInOneRegion(t *testing.T) {
	for name, options := range map[string][]embedded.Option{
		"one Region": nil, "two Regions": {fault.WithReplicas("order_id", false, "eu-west-1")},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t, options...)
			several := options != nil
			const warning = "in this Region only: eu-west-1 may hand out the same numbers"
			for n := range int64(2) {
				p, err := planner.Reserve(t.Context(), f.counter("order_id", "order_id"), big.NewInt(1+2*n))
				if err != nil {
					t.Fatal(err)
				}
				r := f.apply(p, nil)
				for _, said := range []string{p.Sentence, p.Line("note"), p.Done, planner.ReservedNumbers(p, r.First, r.Last)} {
					if strings.Contains(said, warning) != several || several && (strings.Contains(said, "alone") || strings.Contains(said, "nobody")) {
						t.Errorf("it says %q", said)
					}
				}
			}
			p := f.planBump()
			for _, said := range []string{p.Line("note"), p.Done} {
				if strings.Contains(said, warning) != several {
					t.Errorf("a bump says %q", said)
				}
			}
		})
	}
}

// wire returns a key of strings in the type of the SDK.
func wire(key attr.Item) item {
	out := item{}
	for name, v := range key {
		out[name] = str(v.Text)
	}
	return out
}

// An item may show that another Region changed it. Unless the layout says that only this Region writes the table, a
// check then confirms no orphaned lock, and no lock is deleted: the look of a release reads all items.
func TestAnItemNamesItsRegion(t *testing.T) {
	for written, confirmed := range map[string]bool{"": false, "us-east-1": true} {
		t.Run("written in "+written, func(t *testing.T) {
			f := start(t)
			table := f.open("accounts", writtenIn(written))
			p := f.mustPlan(table, "username", "turing")
			f.put("accounts", item{"PK": str("ORDER#1"), "SK": str("META"), client.UpdateRegion: str("eu-west-1")})
			for _, one := range f.checked(f.open("accounts", writtenIn(written))) {
				if one.Confirmed != confirmed && one.Kind == finding.OrphanedLock && one.Value == "turing" {
					t.Errorf("%s %s: confirmed: %v", one.Kind, one.Value, one.Confirmed)
				}
			}
			r := f.changer.Apply(t.Context(), p, nil)
			lock := f.get("accounts", handle("turing"))
			if confirmed {
				if r.Outcome != journal.Applied || lock != nil {
					t.Errorf("%s %v %v; the lock is %v", r.Outcome, r.Reasons, r.Err, lock)
				}
				return
			}
			if r.Outcome != journal.Refused || len(r.Reasons) != 1 || r.Reasons[0].Code != plan.Regions ||
				len(lock) != 2 {
				t.Errorf("%s %v %v; the lock is %v", r.Outcome, r.Reasons, r.Err, lock)
			}
			p, err := f.plan(table, "username", "turing")
			f.mustNot(plan.Regions, p, err)
		})
	}
}
