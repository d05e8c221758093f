package find_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
)

// describing describes a layout with accounts ACCT#{id} and UNIQ# locks. It does not normalise values.
func describing(table string, constraints ...config.Constraint) func(*dynamo.Options) {
	return func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{table}, Accounts: []config.Account{{PK: "ACCT#{id}", SK: "PROFILE", Constraints: constraints}}}}
	}
}

var emailRule = config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}

// A query that was pasted from a ticket may have white space, capital letters or a tag. Find still finds the lock that
// blocks the sign-up, lists it first, and says in which spelling it was found.
func TestFindAsItIsHeld(t *testing.T) {
	f := fixture.New(t)
	f.Create("spelt", "PK:S", "SK:S")
	f.Put("spelt",
		sdk.Item{"PK": sdk.S("ACCT#1"), "SK": sdk.S("PROFILE"), "email": sdk.S("evelyn")}, fixture.Lock("EMAIL", "evelyn"),
		sdk.Item{"PK": sdk.S("ACCT#2"), "SK": sdk.S("PROFILE"), "email": sdk.S("zoë@x.io")}, fixture.Lock("EMAIL", "zoë@x.io"),
		sdk.Item{"PK": sdk.S("ACCT#3"), "SK": sdk.S("PROFILE"), "email": sdk.S("Grace")}, fixture.Lock("EMAIL", "Grace"),
		sdk.Item{"PK": sdk.S("ACCT#4"), "SK": sdk.S("PROFILE"), "email": sdk.S("spaced ")}, fixture.Lock("EMAIL", "spaced "),
		sdk.Item{"PK": sdk.S("ACCT#5"), "SK": sdk.S("PROFILE"), "email": sdk.S("oDD")}, // this account has no lock
	)
	table := f.Open("spelt", describing("spelt", emailRule))
	for _, tc := range []struct{ query, locks, note string }{
		{" Evelyn ", "email held, email free", "the white space around the query was left out; found as evelyn"},
		{"\u00a0evelyn\u200b\n", "email held", "the white space around the query was left out"},
		{"EVELYN", "email held, email free", "found as evelyn"},
		{" ZOE\u0308+news@X.IO\t", "email held, email free", "the white space around the query was left out; found as zoë@x.io"},
		{"grace ", "email held, email free", "the white space around the query was left out; found as Grace"},
		{"SPACED", "email held, email free", "found as spaced "},
		{"spaced ", "email held, email free", "the white space around the query was left out"},
		{"Odd", "email missing, email free", "found as oDD"},
		{"grace", "email free", ""}, // the query is in its stored spelling, so another spelling is a near miss
		{"nobody", "email free", ""},
		{" nobody ", "email free", "the white space around the query was left out"},
		{" 1 ", "email free", "the white space around the query was left out"},
	} {
		for _, near := range []bool{false, true} {
			a, err := find.Find(t.Context(), table, tc.query, find.Options{Near: near})
			if err != nil {
				t.Fatal(err)
			}
			got := verdicts(a)
			if tc.query == "spaced " { // the lock has exactly the typed spelling
				tc.locks = "email free, email held"
			}
			if got != tc.locks || a.Note() != tc.note || a.Query != strings.Trim(tc.query, " \t\n\u00a0\u200b") || !a.Complete {
				t.Errorf("find %q (near %v): %s of %q, note %q, complete %v; want %s, note %q", tc.query, near, got, a.Query, a.Note(), a.Complete, tc.locks, tc.note)
			}
			if tc.query == " 1 " && (len(a.Accounts) != 1 || !a.Accounts[0].ByID) {
				t.Errorf("find %q finds no account by its id", tc.query)
			}
			for _, n := range a.Near {
				if len(a.FoundAs) > 0 && n.Relation.Value == a.FoundAs[0] {
					t.Errorf("find %q tells %s twice", tc.query, n.Relation.Value)
				}
			}
		}
	}
	if _, err := find.Find(t.Context(), table, " \t ", find.Options{}); client.KindOf(err) != client.Usage {
		t.Errorf("nothing but spaces: %v", err)
	}
}

// If the query itself is in use, another spelling is a near miss.
func TestOtherSpellingsOfWhatIsInUseAreNearMisses(t *testing.T) {
	f := fixture.New(t)
	f.Create("spelt", "PK:S", "SK:S")
	for id, v := range map[string]string{"1": "ada", "2": "Ada", "3": "ADA"} {
		f.Put("spelt", sdk.Item{"PK": sdk.S("ACCT#" + id), "SK": sdk.S("PROFILE"), "email": sdk.S(v)}, fixture.Lock("EMAIL", v))
	}
	a, err := find.Find(t.Context(), f.Open("spelt", describing("spelt", emailRule)), "ada", find.Options{Near: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdicts(a); got != "email held" || len(a.Near) != 2 || a.Note() != "" {
		t.Errorf("%s, %d near misses, note %q", got, len(a.Near), a.Note())
	}
}

// If an index has the attribute, the search uses it, even if the layout does not name it. So it finds the account,
// although the lock is missing and the table is too large to be read.
func TestFindAsksAnIndexThatTheLayoutDoesNotName(t *testing.T) {
	f := fixture.New(t)
	f.Create("indexed", "PK:S", "SK:S", "email")
	f.Put("indexed", fixture.Account("1", "ada@x.io", "ada"), fixture.Account("2", "bob@x.io", "bob"))
	table := f.Open("indexed", describing("indexed", emailRule), func(o *dynamo.Options) { o.AutoReadUnits = 0.001 })
	for query, want := range map[string]string{"ada@x.io": "email missing", " BOB@x.io": "email missing, email unknown", "eve@x.io": "email unknown"} {
		a, err := find.Find(t.Context(), table, query, find.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts(a); got != want {
			t.Errorf("find %q: %s; want %s", query, got, want)
		}
	}
}

// The partition key of a scoped lock is known, but its sort key is not: a Query finds the lock.
func TestFindAsksThePartitionOfAScopedLock(t *testing.T) {
	f := fixture.New(t)
	f.Create("orgs", "PK:S", "SK:S", "email")
	member := func(org, id, email string) sdk.Item {
		return sdk.Item{"PK": sdk.S("ORG#" + org), "SK": sdk.S("USER#" + id), "email": sdk.S(email), "team": sdk.S("red")}
	}
	f.Put("orgs",
		member("acme", "1", "ada@x.io"), sdk.Item{"PK": sdk.S("ORG#acme"), "SK": sdk.S("UNIQ#red#ada@x.io"), "owner": sdk.S("1")},
		sdk.Item{"PK": sdk.S("ORG#acme"), "SK": sdk.S("UNIQ#blue#gone@x.io"), "owner": sdk.S("9")},
		member("zeta", "2", "bob@x.io"),
	)
	by := func(pk, sk string) *dynamo.Table {
		c := config.Constraint{Attribute: "email", PK: pk, SK: sk, Owner: "owner"}
		return f.Open("orgs", func(o *dynamo.Options) {
			o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"orgs"}, Accounts: []config.Account{{PK: "ORG#{org}", SK: "USER#{id}", Constraints: []config.Constraint{c}}}}}
		})
	}
	f.Deny["Scan"] = true
	acme := map[string]string{"org": "acme"}
	table := by("ORG#{org}", "UNIQ#{team}#{v}")
	for _, tc := range []struct {
		query, want string
		scope       map[string]string
	}{
		{"ada@x.io", "email held", acme},
		{"ADA@x.io", "email held, email unknown", acme},
		{"bob@x.io", "email missing", nil}, // the index lists the account, and the account shows its scope
	} {
		a, err := find.Find(t.Context(), table, tc.query, find.Options{Scope: tc.scope})
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts(a); got != tc.want {
			t.Errorf("find %q: %s; want %s", tc.query, got, tc.want)
		}
		for _, r := range a.Locks {
			if strings.Contains(r.Sentence(), "No lock keeps") {
				t.Errorf("find %q says %q, and did not look at every lock", tc.query, r.Sentence())
			}
		}
	}
	f.Put("orgs", sdk.Item{"PK": sdk.S("EMAIL#ada@x.io"), "SK": sdk.S("ORG#acme"), "owner": sdk.S("1")})
	a, err := find.Find(t.Context(), by("EMAIL#{v}", "ORG#{org}"), "ada@x.io", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdicts(a); got != "email held" {
		t.Errorf("a lock whose partition key is the value: %s", got)
	}
}

// The limit counts the read units that were really consumed, for items of any size. A continued search does not read
// the same items again.
func TestFindKeepsWhatWasPaidFor(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("uneven", "PK:S", "SK:S")
	total := 0
	var rows []sdk.Item
	for n := range 300 {
		p := fixture.Account(fmt.Sprint(n), fmt.Sprintf("p%d@example.net", n), fmt.Sprintf("p%d", n))
		bytes := 200
		if n%10 == 0 {
			bytes = 30_000 + n*600
		}
		total += bytes
		p["bio"] = sdk.S(strings.Repeat("x", bytes))
		rows = append(rows, p)
	}
	f.Put("uneven", rows...)
	f.Put("uneven", fixture.Lock("HANDLE", "gone"), fixture.Lock("EMAIL", "gone"))
	whole := dynamo.AccountsCost(f.Open("uneven", uniqPreset)).Units
	for _, ceiling := range []float64{whole * 0.7, whole * 0.9, whole, whole * 1.2} {
		table := f.Open("uneven", uniqPreset, func(o *dynamo.Options) { o.AutoReadUnits = ceiling })
		a, err := find.Find(t.Context(), table, "gone", find.Options{Near: true})
		if err != nil {
			t.Fatal(err)
		}
		if a.ReadUnits > ceiling {
			t.Errorf("%.1f units were consumed, over the ceiling of %.1f", a.ReadUnits, ceiling)
		}
		if ceiling > whole+50 && !a.Complete {
			t.Errorf("the table costs %.1f, and was not read whole within %.1f", whole, ceiling)
		}
		if a.Complete {
			continue
		}
		before, first := a.ReadUnits, verdicts(a)
		b, err := find.Find(t.Context(), table, "gone", find.Options{Near: true, Scan: true, After: a})
		if err != nil {
			t.Fatal(err)
		}
		if now := verdicts(a); now != first {
			t.Errorf("the first answer became %s while the search went on; it was %s", now, first)
		}
		if got := verdicts(b); got != "email orphaned?, username orphaned?" || !b.Complete {
			t.Errorf("with the rest read: %s, complete %v", got, b.Complete)
		}
		if most := whole + 60; b.ReadUnits > most {
			t.Errorf("%.1f units in both, %.1f in the first; the table costs %.1f once", b.ReadUnits, before, whole)
		}
		if before > whole/2 && b.ReadUnits-before > whole*2/3 {
			t.Errorf("the rest took %.1f units after %.1f of %.1f", b.ReadUnits-before, before, whole)
		}
	}
}

// If a lock has changed since the earlier answer, the search does not continue the earlier sweep.
func TestFindDoesNotGoOnWithALockThatChanged(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("grown", "PK:S", "SK:S")
	var rows []sdk.Item
	for n := range 200 {
		p := fixture.Account(fmt.Sprint(n), fmt.Sprintf("p%d@example.net", n), fmt.Sprintf("p%d", n))
		p["bio"] = sdk.S(strings.Repeat("x", 9000))
		rows = append(rows, p)
	}
	f.Put("grown", rows...)
	f.Put("grown", fixture.Lock("HANDLE", "p1"))
	table := f.Open("grown", uniqPreset, func(o *dynamo.Options) { o.AutoReadUnits = 400 })
	a, err := find.Find(t.Context(), table, "new", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Complete || a.ReadUnits < 100 {
		t.Fatalf("%s after %v units: it must stop half way for this test", verdicts(a), a.ReadUnits)
	}
	for n := range 200 { // accounts that were already read take the value, with its lock
		f.Put("grown", fixture.Account(fmt.Sprint(n), fmt.Sprintf("p%d@example.net", n), "new"))
	}
	f.Put("grown", fixture.Lock("HANDLE", "new"))
	b, err := find.Find(t.Context(), table, "new", find.Options{Scan: true, After: a})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdicts(b); !strings.HasSuffix(got, "username duplicate?") {
		t.Errorf("%s; want what the accounts hold now", got)
	}
}
