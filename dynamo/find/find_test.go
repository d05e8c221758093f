package find_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
)

// verdicts writes an answer's locks as "email held, username free".
func verdicts(a *find.Answer) string {
	var out []string
	for _, r := range a.Locks {
		text := r.Constraint.Name + " " + string(r.Verdict)
		if r.Provisional {
			text += "?"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// values writes an answer's accounts as "ACCT#a: email locked, username missing".
func values(a *find.Answer) string {
	var out []string
	for _, h := range a.Accounts {
		var vs []string
		for _, r := range h.Values {
			vs = append(vs, r.Constraint.Name+" "+r.Verdict.OfValue())
		}
		out = append(out, h.Key.Hash.Value.Text+": "+strings.Join(vs, ", "))
	}
	return strings.Join(out, "; ")
}

// uniqPreset names the preset of the accounts and locks in most tests.
func uniqPreset(o *dynamo.Options) { o.Layout = "uniq" }

func TestFind(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	for _, tc := range []struct{ table, query, locks, accounts string }{
		{"accounts", "ada@lovelace.io", "email held, username free", "ACCT#a1f9c3: email locked, username locked"},
		{"accounts", "alan", "email free, username orphaned?", ""},
		{"accounts", "a1f9c3", "email free, username free", "ACCT#a1f9c3: email locked, username locked"},
		{"accounts", "ACCT#a1f9c3", "email free, username free", "ACCT#a1f9c3: email locked, username locked"},
		{"accounts", "hopper", "email free, username missing", "ACCT#b77e02: email locked, username missing"},
		{"accounts", "nobody", "email free, username free", ""},
		{"accounts", "mel@oldmail.test", "email orphaned?, username free", ""},
		{"accounts", "undefined", "email malformed?, username free", ""},
		{
			"accounts", "margaret.hamilton@draper.test", "email duplicate, username free",
			"ACCT#07be3a: email duplicate, username locked; ACCT#ee07d4: email duplicate, username locked",
		},
		// The answer about an account shows its duplicate email, although the query was the username.
		{"accounts", "mhamilton", "email free, username held", "ACCT#07be3a: email duplicate, username locked"},
		{"accounts", "\x1b]0;owned\x07\x1b[2Jroot", "email free, username held", "ACCT#3377ad: email locked, username locked"},
		{"members", "mel", "email free, username stale", ""},
		{"members", "alan", "email free, username orphaned", ""},
		{"members", "mhamilton", "email free, username foreign", "MEM#07be3a: email locked, username foreign"},
	} {
		t.Run(fmt.Sprintf("%s/%q", tc.table, tc.query), func(t *testing.T) {
			a, err := find.Find(t.Context(), f.Open(tc.table), tc.query, find.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := verdicts(a); got != tc.locks {
				t.Errorf("locks: %s\nwant:  %s", got, tc.locks)
			}
			if got := values(a); got != tc.accounts {
				t.Errorf("accounts: %s\nwant:     %s", got, tc.accounts)
			}
			if !a.Complete {
				t.Error("incomplete, and the table is small")
			}
		})
	}
}

// If a table is too large to be read unasked, the answer is unknown, and its read units stay below the limit. With the
// option Scan, the answer is known.
func TestFindStaysBelowTheCeiling(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("large", "PK:S", "SK:S")
	var rows []sdk.Item
	for n := range 400 {
		p := fixture.Account(fmt.Sprint(n), fmt.Sprintf("p%d@example.net", n), fmt.Sprintf("p%d", n))
		p["bio"] = sdk.S(strings.Repeat("x", 3000))
		rows = append(rows, p, fixture.Lock("EMAIL", fmt.Sprintf("p%d@example.net", n)), fixture.Lock("HANDLE", fmt.Sprintf("p%d", n)))
	}
	f.Put("large", rows...)
	f.Put("large", fixture.Lock("HANDLE", "gone"))
	const ceiling = 100
	table := f.Open("large", func(o *dynamo.Options) { o.AutoReadUnits = ceiling })
	if whole := dynamo.AccountsCost(table).Units; whole < 2*ceiling {
		t.Fatalf("the table costs %v units: too small for this test", whole)
	}
	a, err := find.Find(t.Context(), table, "gone", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdicts(a); got != "email unknown, username unknown" || a.Complete {
		t.Errorf("%s, complete %v; want unknown and incomplete", got, a.Complete)
	}
	if a.ReadUnits > ceiling {
		t.Errorf("%v units were consumed, over the ceiling of %d", a.ReadUnits, ceiling)
	}
	if a.Whole == nil || a.Whole.Units < 2*ceiling {
		t.Errorf("the answer does not say what knowing would cost: %+v", a.Whole)
	}
	if a, err = find.Find(t.Context(), table, "gone", find.Options{Scan: true}); err != nil {
		t.Fatal(err)
	}
	if got := verdicts(a); got != "email free?, username orphaned?" || !a.Complete {
		t.Errorf("with the whole table read: %s, complete %v", got, a.Complete)
	}
}

// With an index, two round trips find the holder of a value: the first has the point reads and the index, the second
// has the lock with its claimant.
func TestFindThroughAnIndexTakesTwoRoundTrips(t *testing.T) {
	f := fixture.New(t)
	f.Create("indexed", "PK:S", "SK:S", "email", "username")
	f.Put("indexed", fixture.Account("1", "ada@lovelace.io", "ada"), fixture.Lock("EMAIL", "ada@lovelace.io"), fixture.Lock("HANDLE", "ada"))
	table := f.Open("indexed")
	f.Requests()
	a, err := find.Find(t.Context(), table, "ada@lovelace.io", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdicts(a); !strings.HasPrefix(got, "email held,") {
		t.Errorf("%s; want the e-mail held", got)
	}
	// First come the point reads and the two queries at the same time, then the lock with its claimant, then the locks of
	// the account's other values.
	sent := f.Requests()
	slices.Sort(sent)
	if want := []string{"BatchGetItem", "BatchGetItem", "Query", "Query", "TransactGetItems"}; !slices.Equal(sent, want) {
		t.Errorf("it sent %v; want %v", sent, want)
	}
	// The index lists no account, but there is a lock with the value. The index may lag, so the search reads all accounts.
	f.Put("indexed", fixture.Lock("HANDLE", "ghost"))
	if a, err = find.Find(t.Context(), table, "ghost", find.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := verdicts(a); !strings.HasSuffix(got, "username orphaned?") || !slices.Contains(f.Requests(), "Scan") {
		t.Errorf("%s; want orphaned after a look at every account", got)
	}
}

// If scans are denied, but the layout is described, point reads still answer.
func TestFindWithoutScan(t *testing.T) {
	f := fixture.New(t)
	f.Deny["Scan"] = true
	table := f.Open("members", func(o *dynamo.Options) {
		o.Layout = "mine"
		o.Layouts = []config.Layout{{Name: "mine", Accounts: []config.Account{{
			PK: "MEM#{id}", SK: "PROFILE",
			Constraints: []config.Constraint{{Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK", Owner: "memberId"}},
		}}}}
	})
	a, err := find.Find(t.Context(), table, "ada", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdicts(a); got != "username held" {
		t.Errorf("%s; want held, told by the owner", got)
	}
	if a, err = find.Find(t.Context(), table, "nobody", find.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := verdicts(a); got != "username unknown" || a.Complete {
		t.Errorf("%s, complete %v; nobody could be ruled out", got, a.Complete)
	}
	_, err = browse.New(f.Open("members", func(o *dynamo.Options) { o.Layout = "uniq" })).Next(t.Context())
	if client.KindOf(err) != client.Denied || !strings.Contains(err.Error(), "dynamodb:Scan") {
		t.Errorf("browsing says %v; want the permission that is missing", err)
	}
}

// The layout folds case, so the query is normalised. A lock that is not normalised is found by its exact spelling.
func TestFindNormalises(t *testing.T) {
	f := fixture.New(t)
	f.Create("folded", "PK:S", "SK:S")
	f.Put("folded", fixture.Account("1", "Ada@Lovelace.io", "ada"), fixture.Lock("EMAIL", "ada@lovelace.io"), fixture.Lock("EMAIL", "Grace@Navy.mil"))
	table := f.Open("folded", func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"folded"}, Accounts: []config.Account{{
			PK: "ACCT#{id}", SK: "PROFILE",
			Constraints: []config.Constraint{{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Normalise: []string{"trim", "lower"}}},
		}}}}
	})
	for query, want := range map[string]string{
		"  ADA@lovelace.IO ": "email held",
		"Grace@Navy.mil":     "email free, email orphaned?",
	} {
		a, err := find.Find(t.Context(), table, query, find.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts(a); got != want {
			t.Errorf("find %q: %s; want %s", query, got, want)
		}
	}
}

// Locks may be in a separate table, with keys of any type.
func TestFindAcrossTablesAndKeyTypes(t *testing.T) {
	f := fixture.New(t)
	f.Create("people", "id:N", "")
	f.Create("phones", "phone:N", "")
	f.Put("people", sdk.Item{"id": sdk.N("7"), "phone": sdk.N("3912345678"), "org": sdk.S("x")}, sdk.Item{"id": sdk.N("8"), "phone": sdk.N("555")})
	f.Put("phones", sdk.Item{"phone": sdk.N("3912345678"), "person": sdk.N("7")}, sdk.Item{"phone": sdk.N("666")})
	table := f.Open("people", func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"people"}, Accounts: []config.Account{{
			PK:          "{id}",
			Constraints: []config.Constraint{{Attribute: "phone", Table: "phones", PK: "{v}"}},
		}}}}
	})
	for query, want := range map[string]string{
		"3912345678": "phone held", "3912345678.0": "phone held", "555": "phone missing?", "666": "phone orphaned?", "777": "phone free",
	} {
		a, err := find.Find(t.Context(), table, query, find.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts(a); got != want {
			t.Errorf("find %q: %s; want %s", query, got, want)
		}
	}
}

// A verdict that depends on the absence of other holders stays provisional until the table of the locks is searched,
// too: it may have other items with the value.
func TestFindAcrossTablesProvesNoAbsence(t *testing.T) {
	f := fixture.New(t)
	f.Create("people", "id:S", "")
	f.Create("taken", "key:S", "")
	for n := range 5 {
		id := fmt.Sprint("u", n)
		f.Put("people", sdk.Item{"id": sdk.S(id), "email": sdk.S(id + "@x.io")})
		f.Put("taken", sdk.Item{"key": sdk.S("EMAIL#" + id + "@x.io"), "by": sdk.S(id)})
	}
	f.Put("taken", sdk.Item{"key": sdk.S("EMAIL#held@x.io"), "by": sdk.S("u98")}, sdk.Item{"key": sdk.S("card1"), "contact": sdk.S("held@x.io")})
	a, err := find.Find(t.Context(), f.Open("people", func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"people"}, Accounts: []config.Account{{
			PK: "{id}", Constraints: []config.Constraint{{Attribute: "email", Table: "taken", PK: "EMAIL#{v}", Owner: "by"}},
		}}}}
	}), "held@x.io", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdicts(a); got != "email orphaned?" || !strings.Contains(a.Locks[0].Why, "taken") {
		t.Errorf("%s, since %s; want it provisional, since taken was not searched", got, a.Locks[0].Why)
	}
}

func TestFindNeedsALayout(t *testing.T) {
	f := fixture.New(t)
	_, err := find.Find(t.Context(), f.Open("posts"), "x", find.Options{})
	if client.KindOf(err) != client.NoLayout {
		t.Errorf("%v; want a word on the layout", err)
	}
}

func TestNearMisses(t *testing.T) {
	f := fixture.New(t)
	a, err := find.Find(t.Context(), f.Open("accounts"), "alan", find.Options{Near: true})
	if err != nil {
		t.Fatal(err)
	}
	var near []string
	for _, n := range a.Near {
		near = append(near, n.Relation.Value)
	}
	slices.Sort(near)
	if !slices.Equal(near, []string{"Alan", "аlan"}) {
		t.Errorf("near misses %q; want Alan and the Cyrillic one", near)
	}
}

// If a query of an index is denied, the search goes on without the index.
func TestFindWithAnIndexThatDoesNotHelp(t *testing.T) {
	f := fixture.New(t)
	f.Create("indexed", "PK:S", "SK:S", "email")
	f.Put("indexed", fixture.Account("1", "ada@lovelace.io", "ada"), fixture.Lock("EMAIL", "ada@lovelace.io"), fixture.Lock("HANDLE", "ada"))
	table := f.Open("indexed")
	f.Deny["Query"] = true
	a, err := find.Find(t.Context(), table, "ada@lovelace.io", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdicts(a); !strings.HasPrefix(got, "email held,") {
		t.Errorf("%s; want the e-mail held", got)
	}
}

// If the endpoint has no transactions, lock and account are read one after the other, and broken verdicts are
// provisional.
func TestFindWithoutTransactions(t *testing.T) {
	f := fixture.New(t)
	f.Unknown["TransactGetItems"] = true
	table := f.Open("accounts")
	for query, want := range map[string]string{"ada": "email free, username held", "hopper": "email free, username missing?", "alan": "email free, username orphaned?"} {
		a, err := find.Find(t.Context(), table, query, find.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts(a); got != want {
			t.Errorf("%s: %s; want %s", query, got, want)
		}
	}
}

// If no lock key can be made of the query, the query is not a value.
func TestFindLeavesOutWhatCannotBe(t *testing.T) {
	f := fixture.New(t)
	a, err := find.Find(t.Context(), f.Open("accounts"), strings.Repeat("x", 3000), find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Locks) != 0 || len(a.Accounts) != 0 || !a.Complete {
		t.Errorf("%s; want nothing", verdicts(a))
	}
}

// Lock keys need more than the value, and an account provides the rest.
func TestFindWithAScope(t *testing.T) {
	f := fixture.New(t)
	f.Create("tenants", "PK:S", "SK:S")
	f.Put("tenants",
		sdk.Item{"PK": sdk.S("TENANT#acme#USER#1"), "SK": sdk.S("PROFILE"), "email": sdk.S("a@x.io")},
		sdk.Item{"PK": sdk.S("TENANT#acme#EMAIL#a@x.io"), "SK": sdk.S("LOCK")},
		sdk.Item{"PK": sdk.S("TENANT#acme#USER#2"), "SK": sdk.S("PROFILE"), "email": sdk.S("b@x.io")},
	)
	table := f.Open("tenants", func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"tenants"}, Accounts: []config.Account{{
			PK: "TENANT#{tenant}#USER#{id}", SK: "PROFILE",
			Constraints: []config.Constraint{{Attribute: "email", PK: "TENANT#{tenant}#EMAIL#{v}", SK: "LOCK"}},
		}}}}
	})
	for query, want := range map[string]string{"a@x.io": "email held", "b@x.io": "email missing", "c@x.io": "email free"} {
		a, err := find.Find(t.Context(), table, query, find.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts(a); got != want || a.Complete != !strings.Contains(want, "unknown") {
			t.Errorf("%s: %s, complete %v; want %s", query, got, a.Complete, want)
		}
	}

	// The caller provides the rest.
	scope := map[string]string{"tenant": "acme"}
	for query, want := range map[string]string{"a@x.io": "email held", "c@x.io": "email free"} {
		a, err := find.Find(t.Context(), table, query, find.Options{Scope: scope})
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts(a); got != want || !a.Complete {
			t.Errorf("%s of acme: %s, complete %v; want %s", query, got, a.Complete, want)
		}
		if rel := a.Locks[0]; !maps.Equal(rel.Scope(), scope) {
			t.Errorf("%s: the scope is %v; want %v", query, rel.Scope(), scope)
		}
	}
	if a, err := find.Find(t.Context(), table, "2", find.Options{Scope: scope}); err != nil || len(a.Accounts) != 1 || a.Accounts[0].ID != "2" {
		t.Errorf("account 2 of acme: %v, %v", a.Accounts, err)
	}
	rel, err := table.LockOf(t.Context(), "email", "c@x.io", scope)
	if err != nil || rel.Lock.Key.String() != "TENANT#acme#EMAIL#c@x.io / LOCK" {
		t.Errorf("the lock is %v, %v", rel, err)
	}
	for _, wrong := range []map[string]string{nil, {"region": "eu"}} {
		if _, err := table.LockOf(t.Context(), "email", "c@x.io", wrong); client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "tenant") {
			t.Errorf("the scope %v: %v", wrong, err)
		}
	}
	if _, err := find.Find(t.Context(), table, "a@x.io", find.Options{Scope: map[string]string{"region": "eu"}}); client.KindOf(err) != client.Usage {
		t.Errorf("an unknown scope: %v", err)
	}
}

// The owner of a lock is gone, and the table is too large to be read. Another account may claim the lock, so it is not
// orphaned.
func TestFindDoesNotCallOrphanedWhatAnotherMayHold(t *testing.T) {
	f := fixture.New(t)
	a, err := find.Find(t.Context(), f.Open("members", func(o *dynamo.Options) { o.AutoReadUnits = 0.001 }), "alan", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdicts(a); got != "email unknown, username unknown" || a.Complete {
		t.Errorf("%s, complete %v; want unknown and incomplete", got, a.Complete)
	}
}

// The index also lists locks, and has another spelling than the layout.
func TestFindWithAnIndexThatMisleads(t *testing.T) {
	f := fixture.New(t)
	f.Create("mixed", "PK:S", "SK:S", "email")
	owned := fixture.Lock("EMAIL", "ada@x.io")
	owned["email"] = sdk.S("ada@x.io")
	f.Put("mixed", fixture.Account("1", "ada@x.io", "ada"), owned, fixture.Account("2", "Bob@x.io", "bob"))
	table := f.Open("mixed", func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"mixed"}, Accounts: []config.Account{{
			PK: "ACCT#{id}", SK: "PROFILE",
			Constraints: []config.Constraint{{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Normalise: []string{"lower"}, Index: "email-index"}},
		}}}}
	})
	for query, want := range map[string]string{"ada@x.io": "email held", "bob@x.io": "email missing"} {
		a, err := find.Find(t.Context(), table, query, find.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts(a); got != want {
			t.Errorf("%s: %s; want %s", query, got, want)
		}
	}
}

// The keys of the table are numbers, and the query is not a number.
func TestFindTextWhereKeysAreNumbers(t *testing.T) {
	f := fixture.New(t)
	f.Create("numbers", "id:N", "")
	f.Put("numbers", sdk.Item{"id": sdk.N("7"), "phone": sdk.S("555")})
	table := f.Open("numbers", func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"numbers"}, Accounts: []config.Account{{
			PK: "{id}", Constraints: []config.Constraint{{Attribute: "phone", PK: "{v}"}},
		}}}}
	})
	for _, query := range []string{"555-1234", "192.168.0.1", strings.Repeat("9", 43), "1e999", "alice", "-", "7"} {
		if _, err := find.Find(t.Context(), table, query, find.Options{}); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// A search with the option Scan finds at least as much as a search without it.
func TestFindWithScanKnowsAsMuch(t *testing.T) {
	f := fixture.New(t)
	a, err := find.Find(t.Context(), f.Open("accounts"), "mhamilton", find.Options{Scan: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := values(a); got != "ACCT#07be3a: email duplicate, username locked" {
		t.Error(got)
	}
}

// The limit of read units also holds for very large items.
func TestTheCeilingHoldsForLargeItems(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("fat", "PK:S", "SK:S")
	for n := range 20 {
		p := fixture.Account(fmt.Sprint(n), fmt.Sprintf("p%d@x.io", n), fmt.Sprintf("p%d", n))
		p["bio"] = sdk.S(strings.Repeat("x", 100_000))
		f.Put("fat", p)
	}
	const ceiling = 80
	a, err := find.Find(t.Context(), f.Open("fat", uniqPreset, func(o *dynamo.Options) { o.AutoReadUnits = ceiling }), "nobody", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a.ReadUnits > ceiling || a.Complete {
		t.Errorf("%v units, complete %v; want at most %d, and incomplete", a.ReadUnits, a.Complete, ceiling)
	}
}
