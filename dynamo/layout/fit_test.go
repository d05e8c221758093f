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
	for _, tc := range []struct {
		lock attr.Item
		want bool
	}{
		{lock("CONFIRMED", old), false},
		{lock("PENDING", old), true},
		{lock("CONFIRMED", "2026-11-26T11:59:00Z"), true},
		{lock("CONFIRMED", "2026-11-25T11:59:00Z"), false},
		{attr.Item{"status": attr.String("CONFIRMED"), "at": attr.Number("1764158340000")}, false}, // 2025
		{attr.Item{"status": attr.String("CONFIRMED"), "at": attr.Number("1795694340")}, true},
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
