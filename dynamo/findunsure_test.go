package dynamo_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/fault"
)

// Where others never stop writing to what would have to be read together, the verdict is
// unknown, with the reason, and the rest of the answer stands.
func TestFindUnderALastingConflict(t *testing.T) {
	conflicts := fault.WithFaults(func(r fault.Request) fault.Fault {
		if r.Op == "TransactGetItems" {
			return fault.Conflict
		}
		return fault.NoFault
	})
	for _, tc := range []struct{ table, query, locks string }{
		{"accounts", "alan", "email free, username unknown"},
		{"members", "mel", "email free, username unknown"}, // its lock names an account
	} {
		synctest.Test(t, func(t *testing.T) {
			a, err := start(t, conflicts).open(tc.table).Find(t.Context(), tc.query, dynamo.FindOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := verdicts(a); got != tc.locks {
				t.Errorf("%s: %s; want %s", tc.table, got, tc.locks)
			}
			if a.Complete || a.Whole != nil || !strings.Contains(a.Locks[1].Why, "kept writing") {
				t.Errorf("%s: complete %v, whole %v, since %q", tc.table, a.Complete, a.Whole, a.Locks[1].Why)
			}
		})
	}
}

// A value without a lock is not called free where an item holds it of which nobody has
// said what it is. What the layout knows, and copies, do not matter.
func TestFreeIsNotSaidOfWhatSomethingHolds(t *testing.T) {
	f := start(t)
	f.put("accounts", item{"PK": str("ORDER#5512"), "SK": str("META"), "buyer": str("grace"), "account": str("a1f9c3")})
	file := filepath.Join(t.TempDir(), "answers.jsonl")
	table := f.open("accounts", func(o *dynamo.Options) { o.Answers = file })
	find := func(query, want string) *dynamo.Answer {
		t.Helper()
		a, err := table.Find(t.Context(), query, dynamo.FindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts(a); got != want {
			t.Errorf("%s: %s; want %s", query, got, want)
		}
		return a
	}
	a := find("grace", "email unknown, username unknown")
	if a.Complete || a.Whole != nil || a.Locks[0].Why != "ORDER#5512 / META holds it under buyer: is that an account?" {
		t.Errorf("complete %v, whole %v, since %q", a.Complete, a.Whole, a.Locks[0].Why)
	}
	find("a1f9c3", "email free, username free") // the id of an account
	if err := table.Fit.AskOf(a.Locks[0]).Tell(dynamo.HoldsCopy); err != nil {
		t.Fatal(err)
	}
	find("grace", "email free, username free")
	if err := table.Fit.AskOf(a.Locks[0]).Tell(dynamo.HoldsAccount); err != nil {
		t.Fatal(err)
	}
	if a := find("grace", "email unknown, username unknown"); !strings.HasSuffix(a.Locks[0].Why, "holds it under buyer") {
		t.Errorf("since %q", a.Locks[0].Why)
	}
}
