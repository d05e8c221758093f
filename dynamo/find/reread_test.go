package find_test

import (
	"slices"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/find"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
)

// Reread judges by the items that the options allow it to read. A missing lock is not free while an account holds its
// value. If the options forbid the search for accounts, the verdict is unknown.
func TestReread(t *testing.T) {
	f := fixture.New(t)
	f.Put("accounts", fixture.Account("f00001", "new@example.net", "newcomer"))
	table := f.Open("accounts")
	key := attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String("ACCT#f00001")}, Range: attr.Attribute{Name: "SK", Value: attr.String("PROFILE")}}
	for _, tc := range []struct {
		what, value string
		o           find.RereadOptions
		verdict     verdict.Verdict
		provisional bool
		whole, scan bool
	}{
		{"a missing lock and its account", "newcomer", find.RereadOptions{OneClaimant: true, Accounts: []attr.Key{key}}, verdict.Missing, false, false, false},
		{"a missing lock, nobody searched for", "newcomer", find.RereadOptions{OneClaimant: true}, verdict.Unknown, false, false, false},
		{"a missing lock, all accounts", "newcomer", find.RereadOptions{}, verdict.Missing, false, true, true},
		{"a missing lock, points", "newcomer", find.RereadOptions{PointsOnly: true}, verdict.Unknown, false, false, false},
		{"an orphaned lock", "alan", find.RereadOptions{OneClaimant: true}, verdict.Orphaned, true, true, true},
		{"an orphaned lock, points", "alan", find.RereadOptions{OneClaimant: true, PointsOnly: true}, verdict.Unknown, false, false, false},
	} {
		rel, err := table.LockOf(t.Context(), "username", tc.value, nil)
		if err != nil {
			t.Fatal(err)
		}
		f.Requests()
		fresh, whole, err := find.Reread(t.Context(), table, tc.o, rel)
		if err != nil {
			t.Fatal(err)
		}
		if now := fresh[0]; now.Verdict != tc.verdict || now.Provisional != tc.provisional || whole != tc.whole || slices.Contains(f.Requests(), "Scan") != tc.scan {
			t.Errorf("%s: %s (provisional: %v), the whole table: %v; want %+v", tc.what, now.Verdict, now.Provisional, whole, tc)
		}
	}
}

// Every reading judges a lock as malformed if its key can only come from a mistake.
func TestRereadKeepsThatALockIsMalformed(t *testing.T) {
	f := fixture.New(t)
	f.Put("accounts", fixture.Lock("EMAIL", ""))
	table := f.Open("accounts")
	key := attr.Item{"PK": attr.String("UNIQ#EMAIL#"), "SK": attr.String("LOCK")}
	rel, err := table.LockAt("email", "accounts", key)
	if err != nil || !rel.Malformed || rel.Verdict != "" {
		t.Fatalf("%+v, %v", rel, err)
	}
	fresh, _, err := find.Reread(t.Context(), table, find.RereadOptions{OneClaimant: true}, rel)
	if err != nil || fresh[0].Verdict != verdict.Malformed {
		t.Errorf("reread: %+v, %v", fresh, err)
	}
	fresh, owners, err := table.SnapshotReader().Together(t.Context(), nil, rel)
	if err != nil {
		t.Fatal(err)
	}
	if fresh[0].Conclude(table.Facts(fresh[0], owners[0], verdict.OthersSettled)); fresh[0].Verdict != verdict.Malformed {
		t.Errorf("read together: %+v, %v", fresh, err)
	}
}
