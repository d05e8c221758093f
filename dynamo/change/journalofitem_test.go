package change_test

import (
	"reflect"
	"testing"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
)

// ItemHistory returns the changes of one lock, and no others.
func TestOfItem(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts")
	lock := func(v string) attr.Key {
		key, ok := table.Schema.KeyOf(attr.Item{"PK": attr.String("UNIQ#HANDLE#" + v), "SK": attr.String("LOCK")})
		if !ok {
			t.Fatal("no key")
		}
		return key
	}
	of := func(v string) (receipts []string) {
		records, err := change.ItemHistory(t.Context(), f.changer.Journal, table, client.Address{Table: "accounts", Key: lock(v)})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			receipts = append(receipts, r.Receipt)
		}
		return receipts
	}
	if got := of("alan"); got != nil {
		t.Errorf("before anything was done: %v", got)
	}
	released := f.apply(f.plan(table, "username", "alan"))
	other := f.apply(f.plan(table, "username", "turing"))
	back := f.apply(f.undo(table, released))
	if got, want := of("alan"), []string{back.ID, released.ID}; !reflect.DeepEqual(got, want) {
		t.Errorf("alan: %v, want %v", got, want)
	}
	if got, want := of("turing"), []string{other.ID}; !reflect.DeepEqual(got, want) {
		t.Errorf("turing: %v, want %v", got, want)
	}
	if got := of("ada"); got != nil {
		t.Errorf("ada: %v", got)
	}
	elsewhere := start(t)
	if got, err := change.ItemHistory(t.Context(), f.changer.Journal, elsewhere.open("accounts"), client.Address{Table: "accounts", Key: lock("alan")}); err != nil || len(got) != 0 {
		t.Errorf("a table that was made anew: %v %v", got, err)
	}
}

// ReleaseAsOf says in the plan's words what a release would do, and reads nothing.
func TestReleaseAsOf(t *testing.T) {
	f := start(t)
	for _, c := range []struct{ table, value string }{{"accounts", "alan"}, {"members", "mel"}} {
		table := f.open(c.table)
		answer, err := find.Find(t.Context(), table, c.value, find.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, rel := range answer.Locks {
			if rel.Constraint.Name != "username" {
				continue
			}
			sent := len(f.sent)
			would, err := planner.ReleaseAsOf(table, rel, time.Now(), true)
			if err != nil || len(f.sent) != sent {
				t.Fatalf("%s: %v, and %d requests", c.value, err, len(f.sent)-sent)
			}
			said, plan := would.Lines, f.mustPlan(table, "username", c.value)
			for n, line := range plan.Lines {
				if line.Label != "only if" && said[n] != line { // this line contains a time
					t.Errorf("%s: %v; the plan says %v", c.value, said[n], line)
				}
			}
		}
	}
}
