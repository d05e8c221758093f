package find_test

import (
	"testing"

	"tallylock/dynamo/find"
	"tallylock/internal/fixture"
)

// Find reads both forms of a lock's key, and judges the lock that exists.
func TestFindReadsBothFormsOfALock(t *testing.T) {
	t.Parallel()
	table := fixture.New(t).TwoForms()
	for query, want := range map[string]string{
		"a": "held UNIQ#a", "b": "held EMAIL#b", "c": "held UNIQ#c", "none": "missing UNIQ#none", "free": "free UNIQ#free",
		"left": "orphaned UNIQ#left", "gone": "orphaned EMAIL#gone", "two": "duplicate UNIQ#two",
	} {
		a, err := find.Find(t.Context(), table, query, find.Options{Scan: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Locks) != 1 {
			t.Fatalf("%s: %v", query, verdicts(a))
		}
		r := a.Locks[0]
		if got := string(r.Verdict) + " " + r.Lock.Key.Hash.Value.Text; got != want || !a.Complete {
			t.Errorf("%s: %s, want %s; %s", query, got, want, r.Why)
		}
	}
	a, err := find.Find(t.Context(), table, "2", find.Options{Scan: true})
	if err != nil || values(a) != "USER#2: email locked" {
		t.Errorf("%s, %v", values(a), err)
	}
}
