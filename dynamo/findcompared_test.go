package dynamo_test

import (
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/browse"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
)

// Two accounts that hold one value are duplicates although each has its lock, if the lock's key
// has the account's id.
func TestFindComparesAccountsWithLocksOfTheirOwn(t *testing.T) {
	t.Parallel()
	table := fixture.New(t).Players()
	if got, want := people(read(t, browse.New(table))), []string{"a player0 duplicate 2", "b player0 duplicate 2", "c carol held 1"}; !slices.Equal(got, want) {
		t.Errorf("browsing shows %q, want %q", got, want)
	}
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

// A value that two accounts hold in two scopes is in use twice, and no duplicate.
func TestFindAndBrowseCompareWithinAScope(t *testing.T) {
	t.Parallel()
	entry := func(id, email, event string) sdk.Item {
		item := sdk.Item{"PK": sdk.S("E#" + id), "SK": sdk.S("E"), "email": sdk.S(email)}
		if event != "" {
			item["event"] = sdk.S(event)
		}
		return item
	}
	rule := config.Constraint{Attribute: "email", Unique: true, Scope: []string{"event"}}
	table := fixture.New(t).Describe("entries", config.Account{PK: "E#{id}", SK: "E", Constraints: []config.Constraint{rule}},
		entry("1", "ada@x.io", "spring"), entry("2", "ada@x.io", "autumn"), entry("3", "bob@x.io", "spring"),
		entry("4", "bob@x.io", "spring"), entry("5", "bob@x.io", "autumn"), entry("6", "c@x.io", ""), entry("7", "c@x.io", ""))
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
		if tc.want == "in use 1 2" && !strings.Contains(a.Unlocked[0].Sentence(), "each in another event") {
			t.Error(a.Unlocked[0].Sentence())
		}
	}
	want := []string{
		"1 ada@x.io in use 1", "2 ada@x.io in use 1", "3 bob@x.io duplicate 2", "4 bob@x.io duplicate 2",
		"5 bob@x.io in use 1", "6 c@x.io in use 1", "7 c@x.io in use 1",
	}
	if got := people(read(t, browse.New(table))); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
