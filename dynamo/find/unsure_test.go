package find_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/internal/fault"
	"tallylock/internal/fixture"
)

// If other programs keep writing to the lock or its accounts, the verdict is unknown, with the reason. The rest of the
// answer does not change.
func TestFindUnderALastingConflict(t *testing.T) {
	conflicts := fault.WithFaults(func(r fault.Request) fault.Fault {
		if r.Op == "TransactGetItems" {
			return fault.Conflict
		}
		return fault.NoFault
	})
	for _, tc := range []struct{ table, query, locks string }{
		{"accounts", "alan", "email free, username unknown"},
		{"members", "mel", "email free, username unknown"}, // its lock names an account
	} {
		synctest.Test(t, func(t *testing.T) {
			a, err := find.Find(t.Context(), fixture.New(t, conflicts).Open(tc.table), tc.query, find.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := verdicts(a); got != tc.locks {
				t.Errorf("%s: %s; want %s", tc.table, got, tc.locks)
			}
			if a.Complete || a.Whole != nil || !strings.Contains(a.Locks[1].Why, "kept writing") {
				t.Errorf("%s: complete %v, whole %v, since %q", tc.table, a.Complete, a.Whole, a.Locks[1].Why)
			}
		})
	}
}

// A value without a lock is not free if another item holds it, and nobody has said whether such items count.
func TestAValueThatAnItemHoldsIsNotFree(t *testing.T) {
	f := fixture.New(t)
	f.Put("accounts", sdk.Item{"PK": sdk.S("ORDER#5512"), "SK": sdk.S("META"), "buyer": sdk.S("grace"), "account": sdk.S("a1f9c3")})
	file := filepath.Join(t.TempDir(), "answers.jsonl")
	table := f.Open("accounts", func(o *dynamo.Options) { o.Answers = file })
	find := func(query, want string) *find.Answer {
		t.Helper()
		a, err := find.Find(t.Context(), table, query, find.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts(a); got != want {
			t.Errorf("%s: %s; want %s", query, got, want)
		}
		return a
	}
	a := find("grace", "email unknown, username unknown")
	if !a.Complete || a.Whole != nil || a.Locks[0].Why != "ORDER#5512 / META holds the value in buyer. Does such an item count as a holder?" {
		t.Errorf("complete %v, whole %v, since %q", a.Complete, a.Whole, a.Locks[0].Why)
	}
	find("a1f9c3", "email free, username free") // the query is the id of an account
	for _, rel := range a.Locks {
		if err := table.Answers.AskOf(rel).Answer(layout.HoldNot); err != nil {
			t.Fatal(err)
		}
	}
	find("grace", "email free, username free")
	if err := table.Answers.AskOf(a.Locks[1]).Answer(layout.Hold); err != nil {
		t.Fatal(err)
	}
	if a := find("grace", "email free, username in use"); !strings.HasPrefix(a.Locks[1].Sentence(), "ORDER#5512 / META holds the value in buyer") {
		t.Errorf("%q", a.Locks[1].Sentence())
	}
}

// If an account holds a value with white space at its end, and this value has no lock, the lock is missing.
func TestAValueThatIsHeldAsTyped(t *testing.T) {
	f := fixture.New(t)
	f.Put("accounts", sdk.Item{"PK": sdk.S("ACCT#bob"), "SK": sdk.S("PROFILE"), "username": sdk.S("bob ")})
	a, err := find.Find(t.Context(), f.Open("accounts"), "bob ", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdicts(a); !strings.Contains(got, "username missing") {
		t.Errorf("%s", got)
	}
}

// Two kinds of accounts have locks with the same keys. The locks of one kind name their accounts correctly. That does
// not prove the owners of the other kind: if the layout has a wrong key for these accounts, each lock looks as if it
// named another account. So the verdicts on all constraints are provisional.
func TestLocksOfAnotherKindDoNotProveOwners(t *testing.T) {
	f := fixture.New(t)
	f.Create("mixed", "PK:S", "SK:S")
	for n := range 12 {
		id, mail := fmt.Sprintf("%04d", n), fmt.Sprintf("p%d@x.io", n)
		f.Put("mixed", sdk.Item{"PK": sdk.S("ACCT#" + id), "SK": sdk.S("PROFILE"), "email": sdk.S(mail)}, sdk.Item{"PK": sdk.S("UNIQ#" + mail), "SK": sdk.S("LOCK"), "by": sdk.S(id)},
			sdk.Item{"PK": sdk.S("TEAM#" + id), "SK": sdk.S("PROFILE"), "contact": sdk.S("t" + mail)}, sdk.Item{"PK": sdk.S("UNIQ#t" + mail), "SK": sdk.S("LOCK"), "by": sdk.S(id)})
	}
	kind := func(model, pk, attribute string) config.Account {
		return config.Account{Model: model, PK: pk, SK: "PROFILE", Constraints: []config.Constraint{{Attribute: attribute, PK: "UNIQ#{v}", SK: "LOCK", Owner: "by"}}}
	}
	for pk, proven := range map[string]bool{"ACCT#00{id}": false, "ACCT#{id}": true} {
		table := f.Open("mixed", func(o *dynamo.Options) {
			o.Layouts = []config.Layout{{Name: "mixed", Tables: []string{"mixed"}, Accounts: []config.Account{kind("account", pk, "email"), kind("team", "TEAM#{id}", "contact")}}}
		})
		answer, err := find.Find(t.Context(), table, "p1@x.io", find.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, rel := range answer.Locks {
			if rel.Provisional == proven || (rel.Verdict == verdict.Held) != proven {
				t.Errorf("%s, %s: %s, provisional %v", pk, rel.Constraint.Name, rel.Verdict, rel.Provisional)
			}
		}
		if len(answer.Locks) == 0 {
			t.Errorf("%s: nothing was found", pk)
		}
	}
}

// meanwhile is the transport of a fixture. It calls do before each request of one operation.
type meanwhile struct {
	http.RoundTripper
	operation string
	mu        sync.Mutex
	n         int
	do        func(n int)
}

func (m *meanwhile) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), "."+m.operation) {
		m.mu.Lock()
		m.n++
		m.do(m.n)
		m.mu.Unlock()
	}
	return m.RoundTripper.RoundTrip(r)
}

// If a lock gets a new owner while it is read, it is not judged as orphaned: the new owner is read together with the
// lock.
func TestALockThatIsHandedOnIsNotOrphaned(t *testing.T) {
	f := fixture.New(t)
	hand := func(to string) {
		f.Put("members", sdk.Item{"PK": sdk.S("MEM#" + to), "SK": sdk.S("PROFILE"), "email": sdk.S(to + "@example.net"), "username": sdk.S("alan")})
		f.Put("members", sdk.Item{"PK": sdk.S("UNIQ#HANDLE#alan"), "SK": sdk.S("LOCK"), "memberId": sdk.S("MEM#" + to)})
	}
	for _, times := range []int{1, 2, 100} {
		t.Run(fmt.Sprint(times), func(t *testing.T) {
			m := &meanwhile{RoundTripper: f, operation: "TransactGetItems"}
			table := f.Open("members", func(o *dynamo.Options) { o.Transport, o.Layout = m, "uniq" })
			m.do = func(n int) {
				if n <= times {
					hand(fmt.Sprintf("%d-%d", times, n))
				}
			}
			a, err := find.Find(t.Context(), table, "alan", find.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if v := a.Locks[1].Verdict; v.Broken() && v != verdict.Duplicate {
				t.Errorf("%s, %s", v, a.Locks[1].Why)
			}
		})
	}
}

// If another item may hold the value of an odd lock, the verdict is unknown, and the sentence still says why the lock
// is odd.
func TestWhatIsOddAboutADoubtedLock(t *testing.T) {
	orders := func(email string) []sdk.Item {
		return []sdk.Item{{"PK": sdk.S("ORDER#1"), "SK": sdk.S("ORDER"), "email": sdk.S(email)}, {"PK": sdk.S("ORDER#2"), "SK": sdk.S("ORDER"), "email": sdk.S(email)}}
	}
	for want, odd := range map[string]sdk.Item{
		`The lock on "old@x.io" names 1, but that account holds "p1@x.io". Another account may have the value.`: with(tenantLock("acme", "old@x.io"), "owner", "1"),
		`The lock on "old@x.io" names 9, but this account does not exist. Another account may have the value.`:  with(tenantLock("acme", "old@x.io"), "owner", "9"),
		`The lock on "undefined" looks like a mistake. An account may still have this value.`:                   tenantLock("acme", "undefined"),
		`A lock keeps "old@x.io". No account claims it, but another item holds the value.`:                      tenantLock("acme", "old@x.io"),
	} {
		value := strings.Split(want, `"`)[1]
		a, err := find.Find(t.Context(), tenants(fixture.New(t), "orders", nil, append(orders(value), odd)...), value, find.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r := a.Locks[0]; len(a.Locks) != 1 || r.Verdict != verdict.Unknown || r.Sentence() != want || !strings.Contains(r.Why, "Does such an item count as a holder?") {
			t.Errorf("%s: %s %s", verdicts(a), r.Sentence(), r.Why)
		}
	}
}
