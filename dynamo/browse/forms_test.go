package browse_test

import (
	"slices"
	"testing"

	"tallylock/dynamo/browse"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
)

// If locks have two forms of keys, browsing shows an account's value with the lock that exists.
func TestBrowseShowsLocksOfBothForms(t *testing.T) {
	t.Parallel()
	v := read(t, browse.New(fixture.New(t).TwoForms()))
	var got []string
	for _, r := range v.Relations {
		got = append(got, r.Value+" "+string(r.Verdict)+" "+r.Lock.Key.Hash.Value.Text)
	}
	slices.Sort(got)
	want := []string{
		"a held UNIQ#a", "b held EMAIL#b", "c held UNIQ#c", "gone orphaned EMAIL#gone", "left orphaned UNIQ#left",
		"none missing UNIQ#none", "two duplicate UNIQ#two", "two duplicate UNIQ#two",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A value has two locks, and both name accounts that do not exist. The two locks are read together, and no lock is read
// twice.
func TestBothLocksOfAValueNameNobody(t *testing.T) {
	t.Parallel()
	rule := config.Constraint{
		Attribute: "email", PK: "UNIQ#{v}", SK: "LOCK", Owner: "by", Also: []config.LockKey{{PK: "EMAIL#{v}", SK: "E"}},
	}
	lock := func(pk, sk, by string) sdk.Item {
		return sdk.Item{"PK": sdk.S(pk), "SK": sdk.S(sk), "by": sdk.S(by)}
	}
	var items []sdk.Item
	for _, v := range []string{"a", "b", "c", "d", "e"} {
		items = append(items, sdk.Item{"PK": sdk.S("USER#" + v), "SK": sdk.S("PROFILE"), "email": sdk.S(v)}, lock("UNIQ#"+v, "LOCK", v))
	}
	items = append(items, lock("UNIQ#gone", "LOCK", "x"), lock("EMAIL#gone", "E", "y"))
	table := fixture.New(t).Describe("both", config.Account{PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{rule}}, items...)
	n := 0
	for _, r := range read(t, browse.New(table)).Relations {
		if r.Value == "gone" && r.Verdict == verdict.Orphaned {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d of 2 locks are orphaned", n)
	}
}
