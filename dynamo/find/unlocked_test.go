package find_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
)

// uses returns an answer's values without locks as a short text.
func uses(a *find.Answer) string {
	var all []string
	for _, u := range a.Unlocked {
		line := fmt.Sprint(u.Verdict)
		if u.Provisional {
			line += "?"
		}
		for _, account := range u.Claimants {
			line += " " + account.ID
		}
		all = append(all, line)
	}
	return strings.Join(all, ", ")
}

// Without locks, find says which accounts hold a value, and never returns a verdict on a lock.
func TestFindWithoutLocks(t *testing.T) {
	unread := func(o *dynamo.Options) { o.AutoReadUnits = 1e-9 }
	index := config.Constraint{Index: "email-index"}
	folded := config.Constraint{Index: "email-index", Normalise: []string{"lower"}}
	for _, tc := range []struct {
		name, query, want string
		rule              config.Constraint
		change            func(*dynamo.Options)
		scan, complete    bool
	}{
		{name: "by the index", query: "ada@x.io", rule: index, change: unread, want: "in use 1", complete: true},
		{name: "the index lists nobody", query: "nobody@x.io", rule: index, change: unread, want: "free?", complete: true},
		{name: "the index lists one spelling", query: "ADA@x.io", rule: folded, change: unread, want: "in use 1", complete: true},
		{name: "the index has other spellings", query: "nobody@x.io", rule: folded, change: unread, want: "unknown"},
		{name: "two spellings", query: "Twice@x.io", rule: folded, change: unread, want: "duplicate 2 3", complete: true},
		{name: "no index is named", query: "nobody@x.io", change: unread, want: "unknown"},
		{name: "every account is read", query: "TWICE@x.io", rule: config.Constraint{Normalise: []string{"lower"}}, scan: true, want: "duplicate 2 3", complete: true},
		{name: "and nobody has it", query: "nobody@x.io", scan: true, want: "free?", complete: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.change == nil {
				tc.change = func(*dynamo.Options) {}
			}
			table := fixture.New(t).Unlocked(tc.rule, tc.change)
			a, err := find.Find(t.Context(), table, tc.query, find.Options{Near: true, Scan: tc.scan})
			if err != nil {
				t.Fatal(err)
			}
			if got := uses(a); got != tc.want || a.Complete != tc.complete || len(a.Locks) > 0 {
				t.Errorf("%s (complete: %v), want %s; %+v", got, a.Complete, tc.want, a.Locks)
			}
			if tc.want == "unknown" {
				if a.Whole == nil {
					t.Error("it does not say what reading the rest costs")
				}
				if a, err = find.Find(t.Context(), table, tc.query, find.Options{Scan: true, After: a}); err != nil || uses(a) != "free?" || a.Whole != nil {
					t.Errorf("after all was read: %v, %s", err, uses(a))
				}
			}
		})
	}
}
