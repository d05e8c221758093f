package find_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
)

// tenants opens a table whose lock keys contain the tenant. It has five held locks, and the given items.
func tenants(f *fixture.Tables, name string, change func(*config.Layout), items ...sdk.Item) *dynamo.Table {
	f.Create(name, "PK:S", "SK:S")
	for n := range 5 {
		email := fmt.Sprintf("p%d@x.io", n)
		f.Put(name, member("acme", fmt.Sprint(n), email), tenantLock("acme", email))
	}
	f.Put(name, items...)
	c := config.Layout{Name: "mine", Tables: []string{name}, Accounts: []config.Account{{
		PK: "USER#{id}", SK: "PROFILE",
		Constraints: []config.Constraint{{Attribute: "email", PK: "TENANT#{tenant}#EMAIL#{v}", SK: "LOCK", Normalise: []string{"lower"}, Owner: "owner"}},
	}}}
	if change != nil {
		change(&c)
	}
	return f.Open(name, func(o *dynamo.Options) { o.Layouts = []config.Layout{c} })
}

func member(tenant, id, email string) sdk.Item {
	return sdk.Item{"PK": sdk.S("USER#" + id), "SK": sdk.S("PROFILE"), "tenant": sdk.S(tenant), "email": sdk.S(email)}
}

func tenantLock(tenant, email string) sdk.Item {
	return sdk.Item{"PK": sdk.S("TENANT#" + tenant + "#EMAIL#" + email), "SK": sdk.S("LOCK")}
}

func with(i sdk.Item, name, text string) sdk.Item {
	i[name] = sdk.S(text)
	return i
}

// The key of a lock needs more than the value, and no account provides the rest. A sweep of the whole table finds every
// lock of the value, in each scope.
func TestFindMeetsLocksOfEveryScope(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		query, want, why string
		items            []sdk.Item
	}{
		"free":                  {"new@x.io", "email free", "", nil},
		"free, spelt otherwise": {"New@x.io", "email free", "", nil},
		"orphaned":              {"gone@x.io", "email orphaned?", "", []sdk.Item{tenantLock("acme", "gone@x.io")}},
		"in two scopes":         {"both@x.io", "email held, email unknown", "USER#b / PROFILE holds the value in email", []sdk.Item{tenantLock("acme", "both@x.io"), tenantLock("zeta", "both@x.io"), member("zeta", "b", "both@x.io")}},
		"stale":                 {"old@x.io", "email stale?", "", []sdk.Item{with(tenantLock("acme", "old@x.io"), "owner", "1")}},
		"missing elsewhere":     {"half@x.io", "email missing, email unknown", "USER#h / PROFILE holds the value in email", []sdk.Item{tenantLock("acme", "half@x.io"), member("zeta", "h", "half@x.io")}},
		"spelt otherwise":       {"caps@x.io", "email free, email orphaned?", "", []sdk.Item{tenantLock("acme", "CAPS@x.io")}},
		"an order has it":       {"order@x.io", "email unknown", "Does such an item count as a holder?", []sdk.Item{tenantLock("acme", "order@x.io"), {"PK": sdk.S("ORDER#1"), "SK": sdk.S("ORDER"), "email": sdk.S("Order@x.io")}, {"PK": sdk.S("ORDER#2"), "SK": sdk.S("ORDER"), "email": sdk.S("order@x.io")}}},
		"only an order has it":  {"order@x.io", "email unknown", "Does such an item count as a holder?", []sdk.Item{{"PK": sdk.S("ORDER#1"), "SK": sdk.S("ORDER"), "email": sdk.S("order@x.io")}}},
		"of no tenant":          {"none@x.io", "email unknown", "USER#n / PROFILE holds the value in email", []sdk.Item{{"PK": sdk.S("USER#n"), "SK": sdk.S("PROFILE"), "email": sdk.S("None@x.io")}}},
		"of an empty tenant":    {"none@x.io", "email unknown", "Does such an item count as a holder?", []sdk.Item{tenantLock("", "none@x.io")}},
		"an odd lock":           {"odd@x.io", "email orphaned?", "", []sdk.Item{with(tenantLock("acme", "odd@x.io"), "name", "Odd")}},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := find.Find(t.Context(), tenants(fixture.New(t), "scopes", nil, tc.items...), tc.query, find.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Split(verdicts(a), ", ")
			slices.Sort(got) // sorted, because the sweep finds locks in the order of the scan
			if got := strings.Join(got, ", "); got != tc.want || !a.Complete {
				t.Errorf("%s, complete %v; want %s", got, a.Complete, tc.want)
			}
			for _, r := range a.Locks {
				if r.Verdict == verdict.Unknown && !strings.Contains(r.Why, tc.why) {
					t.Errorf("it is unknown since %q; want %q", r.Why, tc.why)
				}
			}
		})
	}
}

// Two kinds of accounts have locks with the same keys, and one of them does not normalise its values. The verdict is
// the same whether the sweep reads the lock or the account first.
func TestFindMeetsAccountsOfBothKinds(t *testing.T) {
	f := fixture.New(t)
	var items []sdk.Item
	for n := range 20 {
		email := fmt.Sprintf("s%d@x.io", n)
		items = append(items, tenantLock("acme", email), sdk.Item{"PK": sdk.S(fmt.Sprintf("STAFF#%d", n)), "SK": sdk.S("PROFILE"), "tenant": sdk.S("acme"), "email": sdk.S(email)})
	}
	table := tenants(f, "kinds", func(c *config.Layout) {
		staff := c.Accounts[0]
		staff.Model, staff.PK = "staff", "STAFF#{id}"
		staff.Constraints = []config.Constraint{{Attribute: "email", PK: "TENANT#{tenant}#EMAIL#{v}", SK: "LOCK"}}
		staff.Constraints[0].Name = "login"
		c.Accounts = append(c.Accounts, staff)
	}, items...)
	for n := range 20 {
		a, err := find.Find(t.Context(), table, fmt.Sprintf("S%d@x.io", n), find.Options{})
		if err != nil {
			t.Fatal(err)
		}
		held := false
		for _, r := range a.Locks {
			if r.Value == strings.ToLower(a.Query) { // nobody has the value in the typed spelling
				held = held || r.Verdict == verdict.Held
				if r.Verdict != verdict.Held && r.Verdict != verdict.Unknown {
					t.Errorf("the value of staff %d is %s as %s", n, r.Verdict, r.Constraint.Name)
				}
			}
		}
		if !held {
			t.Errorf("the value of staff %d: %s; want held", n, verdicts(a))
		}
	}
}

// The verdict stays unknown for locks in another table, for a lock in another scope than the question's, and if the
// table cannot be read.
func TestFindInAnyScopeClaimsNoMoreThanItRead(t *testing.T) {
	own := func(c *config.Layout) { c.Accounts[0].Constraints[0].Table = "locks" }
	twice := func(c *config.Layout) { c.Accounts[0].Constraints[0].PK = "TENANT#{tenant}#{team}#EMAIL#{v}" }
	teamLock := sdk.Item{"PK": sdk.S("TENANT#zeta#red#EMAIL#new@x.io"), "SK": sdk.S("LOCK")}
	for name, tc := range map[string]struct {
		layout func(*config.Layout)
		query  string
		scope  map[string]string
		items  []sdk.Item
	}{
		"locks in another table": {own, "new@x.io", nil, nil},
		"in another scope":       {twice, "new@x.io", map[string]string{"tenant": "acme"}, []sdk.Item{teamLock}},
	} {
		f := fixture.New(t)
		f.Create("locks", "PK:S", "SK:S")
		a, err := find.Find(t.Context(), tenants(f, "scopes", tc.layout, tc.items...), tc.query, find.Options{Scope: tc.scope})
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts(a); got != "email unknown" || a.Locks[0].Why == "" {
			t.Errorf("%s: %s, %q; want unknown and why", name, got, a.Locks[0].Why)
		}
	}

	f := fixture.New(t)
	table := tenants(f, "scopes", nil)
	f.Deny["Scan"] = true
	a, err := find.Find(t.Context(), table, "new@x.io", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdicts(a); got != "email unknown" || !a.ScanDenied {
		t.Errorf("not allowed to scan: %s", got)
	}
}

// After an answer, the application puts a lock into the part of the table that the sweep has read. Nobody can compute
// its key, so the next search reads the table again from the beginning.
func TestFindInAnyScopeReadsAgain(t *testing.T) {
	f := fixture.New(t)
	table := tenants(f, "scopes", nil)
	a, err := find.Find(t.Context(), table, "new@x.io", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.Put("scopes", tenantLock("acme", "new@x.io"))
	b, err := find.Find(t.Context(), table, "new@x.io", find.Options{After: a})
	if err != nil {
		t.Fatal(err)
	}
	if first, then := verdicts(a), verdicts(b); first != "email free" || then != "email orphaned?" {
		t.Errorf("%s, then %s; want free, then orphaned", first, then)
	}
}

// The sort key of a lock needs the id of its account, so the search queries the partition. The partition has no lock of
// the value, or the account of the lock is gone.
func TestFindFreeInAPartition(t *testing.T) {
	f := fixture.New(t)
	f.Create("names", "PK:S", "SK:S")
	for n := range 5 {
		id := fmt.Sprint("USER#", n)
		f.Put("names", sdk.Item{"PK": sdk.S(id), "SK": sdk.S(id), "username": sdk.S(fmt.Sprint("p", n))}, sdk.Item{"PK": sdk.S(fmt.Sprint("USERNAME#p", n)), "SK": sdk.S(id)})
	}
	f.Put("names", sdk.Item{"PK": sdk.S("USERNAME#gone"), "SK": sdk.S("USER#9")})
	table := f.Open("names", func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"names"}, Accounts: []config.Account{{
			PK: "USER#{id}", SK: "{pk}",
			Constraints: []config.Constraint{{Attribute: "username", PK: "USERNAME#{v}", SK: "USER#{id}"}},
		}}}}
	})
	for query, want := range map[string]string{"p1": "username held", "gone": "username orphaned", "nobody": "username free"} {
		a, err := find.Find(t.Context(), table, query, find.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts(a); got != want {
			t.Errorf("find %s: %s; want %s", query, got, want)
		}
	}
}
