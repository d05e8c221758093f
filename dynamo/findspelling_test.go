package dynamo_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
)

// config is a layout with accounts ACCT#{id} and UNIQ# locks that folds nothing.
func describing(table string, constraints ...config.Constraint) func(*dynamo.Options) {
	return func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{table}, Accounts: []config.Account{{PK: "ACCT#{id}", SK: "PROFILE", Constraints: constraints}}}}
	}
}

var emailRule = config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}

// What is pasted from a ticket is spelt as tickets are: the lock that stops the sign-up
// is found, is told first, and the answer says in which spelling.
func TestFindAsItIsHeld(t *testing.T) {
	f := start(t)
	f.create("spelt", "PK:S", "SK:S")
	f.put("spelt",
		item{"PK": str("ACCT#1"), "SK": str("PROFILE"), "email": str("evelyn")}, lock("EMAIL", "evelyn"),
		item{"PK": str("ACCT#2"), "SK": str("PROFILE"), "email": str("zoë@x.io")}, lock("EMAIL", "zoë@x.io"),
		item{"PK": str("ACCT#3"), "SK": str("PROFILE"), "email": str("Grace")}, lock("EMAIL", "Grace"),
		item{"PK": str("ACCT#4"), "SK": str("PROFILE"), "email": str("spaced ")}, lock("EMAIL", "spaced "),
		item{"PK": str("ACCT#5"), "SK": str("PROFILE"), "email": str("oDD")}, // no lock
	)
	table := f.open("spelt", describing("spelt", emailRule))
	for _, tc := range []struct{ query, locks, note string }{
		{" Evelyn ", "email held, email free", "white space around it left out; found as evelyn"},
		{"\u00a0evelyn\u200b\n", "email held", "white space around it left out"},
		{"EVELYN", "email held, email free", "found as evelyn"},
		{" ZOE\u0308+news@X.IO\t", "email held, email free", "white space around it left out; found as zoë@x.io"},
		{"grace ", "email held, email free", "white space around it left out; found as Grace"},
		{"SPACED", "email held, email free", "found as spaced "},
		{"spaced ", "email held, email free", "white space around it left out"},
		{"Odd", "email missing, email free", "found as oDD"},
		{"grace", "email free", ""}, // spelt plainly: another spelling is a near miss
		{"nobody", "email free", ""},
		{" nobody ", "email free", "white space around it left out"},
		{" 1 ", "email free", "white space around it left out"},
	} {
		for _, near := range []bool{false, true} {
			a, err := find.Find(t.Context(), table, tc.query, find.Options{Near: near})
			if err != nil {
				t.Fatal(err)
			}
			got := verdicts(a)
			if tc.query == "spaced " { // as it was typed: the lock is no other spelling
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

// A spelling that differs from one in use stays a near miss.
func TestOtherSpellingsOfWhatIsInUseAreNearMisses(t *testing.T) {
	f := start(t)
	f.create("spelt", "PK:S", "SK:S")
	for id, v := range map[string]string{"1": "ada", "2": "Ada", "3": "ADA"} {
		f.put("spelt", item{"PK": str("ACCT#" + id), "SK": str("PROFILE"), "email": str(v)}, lock("EMAIL", v))
	}
	a, err := find.Find(t.Context(), f.open("spelt", describing("spelt", emailRule)), "ada", find.Options{Near: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdicts(a); got != "email held" || len(a.Near) != 2 || a.Note() != "" {
		t.Errorf("%s, %d near misses, note %q", got, len(a.Near), a.Note())
	}
}

// An index on the attribute finds the account although the layout does not name it, the
// lock is missing, and the table is too large to be read.
func TestFindAsksAnIndexThatTheLayoutDoesNotName(t *testing.T) {
	f := start(t)
	f.create("indexed", "PK:S", "SK:S", "email")
	f.put("indexed", account("1", "ada@x.io", "ada"), account("2", "bob@x.io", "bob"))
	table := f.open("indexed", describing("indexed", emailRule), func(o *dynamo.Options) { o.AutoReadUnits = 0.001 })
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

// Of a scoped lock the partition key is known, and its sort key is not: a Query finds it.
func TestFindAsksThePartitionOfAScopedLock(t *testing.T) {
	f := start(t)
	f.create("orgs", "PK:S", "SK:S", "email")
	member := func(org, id, email string) item {
		return item{"PK": str("ORG#" + org), "SK": str("USER#" + id), "email": str(email), "team": str("red")}
	}
	f.put("orgs",
		member("acme", "1", "ada@x.io"), item{"PK": str("ORG#acme"), "SK": str("UNIQ#red#ada@x.io"), "owner": str("1")},
		item{"PK": str("ORG#acme"), "SK": str("UNIQ#blue#gone@x.io"), "owner": str("9")},
		member("zeta", "2", "bob@x.io"),
	)
	by := func(pk, sk string) *dynamo.Table {
		c := config.Constraint{Attribute: "email", PK: pk, SK: sk, Owner: "owner"}
		return f.open("orgs", func(o *dynamo.Options) {
			o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"orgs"}, Accounts: []config.Account{{PK: "ORG#{org}", SK: "USER#{id}", Constraints: []config.Constraint{c}}}}}
		})
	}
	f.deny["Scan"] = true
	acme := map[string]string{"org": "acme"}
	table := by("ORG#{org}", "UNIQ#{team}#{v}")
	for _, tc := range []struct {
		query, want string
		scope       map[string]string
	}{
		{"ada@x.io", "email held", acme},
		{"ADA@x.io", "email held, email unknown", acme},
		{"bob@x.io", "email missing", nil}, // the index knows the account, and it tells its scope
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
	f.put("orgs", item{"PK": str("EMAIL#ada@x.io"), "SK": str("ORG#acme"), "owner": str("1")})
	a, err := find.Find(t.Context(), by("EMAIL#{v}", "ORG#{org}"), "ada@x.io", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdicts(a); got != "email held" {
		t.Errorf("a lock whose partition key is the value: %s", got)
	}
}

// The ceiling is on what is consumed, whatever the items' sizes, and what was read is
// not paid for again.
func TestFindKeepsWhatWasPaidFor(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("uneven", "PK:S", "SK:S")
	total := 0
	var rows []item
	for n := range 300 {
		p := account(fmt.Sprint(n), fmt.Sprintf("p%d@example.net", n), fmt.Sprintf("p%d", n))
		bytes := 200
		if n%10 == 0 {
			bytes = 30_000 + n*600
		}
		total += bytes
		p["bio"] = str(strings.Repeat("x", bytes))
		rows = append(rows, p)
	}
	f.put("uneven", rows...)
	f.put("uneven", lock("HANDLE", "gone"), lock("EMAIL", "gone"))
	whole := dynamo.AccountsCost(f.open("uneven", uniqPreset)).Units
	for _, ceiling := range []float64{whole * 0.7, whole * 0.9, whole, whole * 1.2} {
		table := f.open("uneven", uniqPreset, func(o *dynamo.Options) { o.AutoReadUnits = ceiling })
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
		before := a.ReadUnits
		b, err := find.Find(t.Context(), table, "gone", find.Options{Near: true, Scan: true, After: a})
		if err != nil {
			t.Fatal(err)
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

// What was read before a lock changed tells nothing of it any more.
func TestFindDoesNotGoOnWithALockThatChanged(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("grown", "PK:S", "SK:S")
	var rows []item
	for n := range 200 {
		p := account(fmt.Sprint(n), fmt.Sprintf("p%d@example.net", n), fmt.Sprintf("p%d", n))
		p["bio"] = str(strings.Repeat("x", 9000))
		rows = append(rows, p)
	}
	f.put("grown", rows...)
	f.put("grown", lock("HANDLE", "p1"))
	table := f.open("grown", uniqPreset, func(o *dynamo.Options) { o.AutoReadUnits = 400 })
	a, err := find.Find(t.Context(), table, "new", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Complete || a.ReadUnits < 100 {
		t.Fatalf("%s after %v units: it must stop half way for this test", verdicts(a), a.ReadUnits)
	}
	for n := range 200 { // an account that was read takes the value, with its lock
		f.put("grown", account(fmt.Sprint(n), fmt.Sprintf("p%d@example.net", n), "new"))
	}
	f.put("grown", lock("HANDLE", "new"))
	b, err := find.Find(t.Context(), table, "new", find.Options{Scan: true, After: a})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdicts(b); !strings.HasSuffix(got, "username duplicate?") {
		t.Errorf("%s; want what the accounts hold now", got)
	}
}
