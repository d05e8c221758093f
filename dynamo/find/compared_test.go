package find_test

import (
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/find"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
)

// If the key of a lock contains the account's id, two accounts with the same value are duplicates, although each has
// its lock.
func TestFindComparesAccountsWithLocksOfTheirOwn(t *testing.T) {
	t.Parallel()
	table := fixture.New(t).Players()
	for query, want := range map[string]string{
		"player0": "duplicate duplicate", "carol": "held", "nobody": "free",
	} {
		a, err := find.Find(t.Context(), table, query, find.Options{Scan: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		locks := slices.SortedFunc(slices.Values(a.Locks), func(x, y *verdict.Relation) int {
			return strings.Compare(string(x.Verdict), string(y.Verdict))
		})
		for _, r := range locks {
			got = append(got, string(r.Verdict))
			if r.Verdict == verdict.Duplicate && (len(r.Claimants) != 2 || r.Provisional || r.Sentence() != `2 accounts hold the username "player0".`) {
				t.Errorf("%s: %d claimants, provisional: %v", r.Sentence(), len(r.Claimants), r.Provisional)
			}
		}
		slices.Sort(got)
		words := strings.Fields(want)
		slices.Sort(words)
		if !slices.Equal(got, words) || !a.Complete {
			t.Errorf("%s: %q, want %q (complete: %v)", query, got, words, a.Complete)
		}
	}
}

// Two accounts may hold the same value in two scopes: they are no duplicates.
func TestFindComparesWithinAScope(t *testing.T) {
	t.Parallel()
	table := fixture.New(t).Entries()
	for _, tc := range []struct {
		query, want string
		scope       map[string]string
	}{
		{"ada@x.io", "in use 1 2", nil},
		{"bob@x.io", "duplicate 3 4 5", nil},
		{"bob@x.io", "in use 5", map[string]string{"event": "autumn"}},
		{"c@x.io", "in use 6 7", nil},
		{"ada@x.io", "free?", map[string]string{"event": "winter"}},
	} {
		a, err := find.Find(t.Context(), table, tc.query, find.Options{Scan: true, Scope: tc.scope})
		if err != nil {
			t.Fatal(err)
		}
		if got := uses(a); got != tc.want {
			t.Errorf("%s %v: %s, want %s", tc.query, tc.scope, got, tc.want)
		}
		if tc.want == "in use 1 2" && !strings.Contains(a.Unlocked[0].Sentence(), "each with a different event") {
			t.Error(a.Unlocked[0].Sentence())
		}
	}
}
