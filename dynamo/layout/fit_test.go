package layout_test

import (
	"maps"
	"testing"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// A layout is contradicted only if it explains nothing.
func TestALayoutThatExplainsNothingIsContradicted(t *testing.T) {
	for _, tc := range []struct {
		name string
		e    layout.Evidence
		want layout.Standing
	}{
		{"no account", layout.Evidence{Whole: true, Items: 9, Locks: 3}, layout.Contradicted},
		{"no account, no lock", layout.Evidence{Whole: true, Items: 9}, layout.Contradicted},
		{"an empty table", layout.Evidence{Whole: true}, layout.Supported},
		{"no account in a sample", layout.Evidence{Items: 9, Locks: 3}, layout.Supported},
		{"no account among many locks", layout.Evidence{Items: 90, Locks: 30}, layout.Contradicted},
		{"no account has a value", layout.Evidence{Items: 90, Accounts: 4, Locks: 5}, layout.Contradicted},
		{"no account has a value, few locks", layout.Evidence{Items: 90, Accounts: 4, Locks: 4}, layout.Supported},
		{"no value has its lock", layout.Evidence{Items: 90, Accounts: 5, Values: 5, Claims: 5, Locks: 5}, layout.Contradicted},
		{"no value has its lock, few values", layout.Evidence{Items: 90, Accounts: 4, Values: 4, Claims: 4, Locks: 5}, layout.Supported},
		{"one value has its lock", layout.Evidence{Items: 900, Accounts: 100, Values: 100, Claims: 100, Locked: 1, Locks: 90}, layout.Supported},
		{"many share values", layout.Evidence{Items: 900, Accounts: 100, Values: 10, Claims: 100, Locked: 9, Locks: 9}, layout.Supported},
	} {
		f := tc.e.Judge("email")
		if f.State = layout.Described; f.Standing() != tc.want {
			t.Errorf("%s: %s, want %s (%s)", tc.name, f.Standing(), tc.want, f.Why())
		}
		if f.State = layout.Guessed; f.Standing() == layout.Supported {
			t.Errorf("%s: a guess is supported", tc.name)
		}
	}
}

// A rule is supported if enough values have their lock, and at least half of the values.
func TestEnoughValuesWithALockSupportARule(t *testing.T) {
	for _, tc := range []struct {
		e    layout.Evidence
		want layout.Standing
	}{
		{layout.Evidence{Items: 400, Accounts: 200, Values: 200, Locked: 8, Locks: 200}, layout.Thin},
		{layout.Evidence{Items: 400, Accounts: 200, Values: 200, Locked: 100, Locks: 200}, layout.Supported},
		{layout.Evidence{Items: 8, Accounts: 4, Values: 4, Locked: 4, Locks: 4}, layout.Thin},
		{layout.Evidence{Items: 8, Accounts: 4, Values: 4, Locked: 2, Locks: 4, Whole: true}, layout.Supported},
		{layout.Evidence{Items: 4, Accounts: 2, Whole: true}, layout.Thin},
	} {
		if got := tc.e.Judge("email").Rule; got.Standing != tc.want {
			t.Errorf("%+v: %s, want %s", tc.e, got.Standing, tc.want)
		}
	}
}

func TestALockThatMayBelongToASignUp(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	none := func(string) bool { return false }
	lock := func(status, at string) attr.Item {
		return attr.Item{"status": attr.String(status), "at": attr.String(at)}
	}
	old := "2026-01-02T03:04:05Z"
	held := new(layout.LockTraits)
	if why := held.Provisional(lock("CONFIRMED", old), "v", none, now); why == "" {
		t.Error("a lock is compared with no held lock")
	}
	for range 5 {
		held.Add(maps.All(lock("CONFIRMED", old)), none)
	}
	at := func(v attr.Value) attr.Item { return attr.Item{"status": attr.String("CONFIRMED"), "at": v} }
	for _, tc := range []struct {
		lock attr.Item
		want bool
	}{
		{lock("CONFIRMED", old), false},
		{lock("PENDING", old), true},
		{lock("v", old), false}, // the lock's own value
		{lock("CONFIRMED", "2026-11-26T11:59:00Z"), true},
		{lock("CONFIRMED", "2026-11-25T11:59:00Z"), false},
		{lock("CONFIRMED", "2026-11-26 11:59:00"), true},
		{lock("CONFIRMED", "2026-11-26 11:59:00.25+00:00"), true},
		{lock("CONFIRMED", "2026-11-24 11:59:00"), false},
		{lock("CONFIRMED", "2026-11-26"), true},
		{lock("CONFIRMED", "2026-11-25"), true},
		{lock("CONFIRMED", "2026-11-20"), false},
		{lock("CONFIRMED", "1795694340000"), true},
		{lock("CONFIRMED", "1795694340"), true},
		{lock("CONFIRMED", "1764158340000"), false},
		{at(attr.Number("1764158340000")), false}, // 2025
		{at(attr.Number("1795694340")), true},
		{at(attr.Value{Kind: attr.M, Map: attr.Item{"by": attr.String("x"), "on": attr.Number("1795694340")}}), true},
		{at(attr.Value{Kind: attr.L, List: []attr.Value{attr.String("2026-11-26")}}), true},
		{at(attr.Value{Kind: attr.L, List: []attr.Value{attr.String(old)}}), false},
		{attr.Item{"status": attr.String("CONFIRMED"), "expires": attr.Number("1895694340")}, false},
		{attr.Item{}, false},
	} {
		if why := held.Provisional(tc.lock, "v", none, now); (why != "") != tc.want {
			t.Errorf("%v: %q, want %v", tc.lock, why, tc.want)
		}
	}
	if lacks := held.Lacks(attr.Item{"at": attr.String("x")}); len(lacks) != 1 || lacks[0] != "status" {
		t.Errorf("it lacks %v", lacks)
	}
}

// An attribute with at most eight different texts in the held locks is a status, for any texts. An
// attribute with a different text in each held lock is an id.
func TestAStatusThatNoHeldLockHas(t *testing.T) {
	texts := func(all ...string) (values []attr.Value) {
		for _, text := range all {
			values = append(values, attr.String(text))
		}
		return values
	}
	truth := func(is bool) attr.Value { return attr.Value{Kind: attr.BOOL, Bool: is} }
	eight := texts("a", "b", "c", "d", "e", "f", "g", "h", "a", "b", "c", "d")
	for _, tc := range []struct {
		held []attr.Value
		lock attr.Value
		want bool
	}{
		{texts("CONFIRMED"), attr.String("PENDING"), true},
		{texts("OK", "OK"), attr.String("PENDING_2FA"), true},
		{texts("CONFIRMED", "VERIFIED", "CONFIRMED"), attr.String("PENDING"), true},
		{texts("CONFIRMED", "VERIFIED", "ADMIN", "VERIFIED"), attr.String("PENDING"), true},
		{eight, attr.String("PENDING"), true},
		{eight, attr.String("h"), false},
		{append(eight, attr.String("i")), attr.String("PENDING"), false},
		{[]attr.Value{attr.Number("1"), attr.Number("1")}, attr.Number("0"), true},
		{[]attr.Value{truth(true), truth(true)}, truth(false), true},
		{texts("u1", "u2"), attr.String("u3"), false},
		{texts("2025-01-01", "2025-01-01"), attr.String("2025-01-02"), false},
	} {
		first, second := new(layout.LockTraits), new(layout.LockTraits)
		none := func(string) bool { return false }
		for n, v := range tc.held {
			if n%2 == 0 {
				first.Add(maps.All(attr.Item{"x": v}), none)
			} else {
				second.Add(maps.All(attr.Item{"x": v}), none)
			}
		}
		first.Merge(second)
		if why := first.Provisional(attr.Item{"x": tc.lock}, "v", none, time.Now()); (why != "") != tc.want {
			t.Errorf("%v among %v: %q, want %v", tc.lock, tc.held, why, tc.want)
		}
	}
}
