package dynamo_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/internal/fault"
	"tallylock/internal/fixture"
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
			a, err := find.Find(t.Context(), fixture.New(t, conflicts).Open(tc.table), tc.query, find.Options{})
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

// A value without a lock is not called free if an item holds it about which nobody has answered.
func TestAValueThatAnItemHoldsIsNotFree(t *testing.T) {
	f := fixture.New(t)
	f.Put("accounts", sdk.Item{"PK": sdk.S("ORDER#5512"), "SK": sdk.S("META"), "buyer": sdk.S("grace"), "account": sdk.S("a1f9c3")})
	file := filepath.Join(t.TempDir(), "answers.jsonl")
	table := f.Open("accounts", func(o *dynamo.Options) { o.Answers = file })
	find := func(query, want string) *find.Answer {
		t.Helper()
		a, err := find.Find(t.Context(), table, query, find.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts(a); got != want {
			t.Errorf("%s: %s; want %s", query, got, want)
		}
		return a
	}
	a := find("grace", "email unknown, username unknown")
	if !a.Complete || a.Whole != nil || a.Locks[0].Why != "ORDER#5512 / META holds the value in buyer. Does it count?" {
		t.Errorf("complete %v, whole %v, since %q", a.Complete, a.Whole, a.Locks[0].Why)
	}
	find("a1f9c3", "email free, username free") // the id of an account
	for _, rel := range a.Locks {
		if err := table.AskOf(rel).Answer(layout.HoldNot); err != nil {
			t.Fatal(err)
		}
	}
	find("grace", "email free, username free")
	if err := table.AskOf(a.Locks[1]).Answer(layout.Hold); err != nil {
		t.Fatal(err)
	}
	if a := find("grace", "email free, username in use"); !strings.HasPrefix(a.Locks[1].Sentence(), "ORDER#5512 / META holds the value in buyer") {
		t.Errorf("%q", a.Locks[1].Sentence())
	}
}

// A value that is held with white space at its end, and that has no lock, is missing its lock.
func TestAValueThatIsHeldAsTyped(t *testing.T) {
	f := fixture.New(t)
	f.Put("accounts", sdk.Item{"PK": sdk.S("ACCT#bob"), "SK": sdk.S("PROFILE"), "username": sdk.S("bob ")})
	a, err := find.Find(t.Context(), f.Open("accounts"), "bob ", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdicts(a); !strings.Contains(got, "username missing") {
		t.Errorf("%s", got)
	}
}
