package browse_test

import (
	"slices"
	"testing"

	"tallylock/dynamo/browse"
	"tallylock/internal/fixture"
)

// If the key of a lock contains the account's id, two accounts with the same value are duplicates, although each has
// its lock.
func TestBrowseComparesAccountsWithLocksOfTheirOwn(t *testing.T) {
	t.Parallel()
	got := people(read(t, browse.New(fixture.New(t).Players())))
	if want := []string{"a player0 duplicate 2", "b player0 duplicate 2", "c carol held 1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Two accounts may hold the same value in two scopes: they are no duplicates.
func TestBrowseComparesWithinAScope(t *testing.T) {
	t.Parallel()
	got := people(read(t, browse.New(fixture.New(t).Entries())))
	want := []string{
		"1 ada@x.io in use 1", "2 ada@x.io in use 1", "3 bob@x.io duplicate 2", "4 bob@x.io duplicate 2",
		"5 bob@x.io in use 1", "6 c@x.io in use 1", "7 c@x.io in use 1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
