package dynamo_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
)

// meanwhile is the network of a fixture: do is called before each request of an operation.
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

// A lock that is handed on while it is read is not taken for one whose owner is gone: who
// it names by then is read with it, and holds it.
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

// Where something may hold the value of an odd lock, nothing is concluded, and what is odd about
// the lock is said still.
func TestWhatIsOddAboutADoubtedLock(t *testing.T) {
	orders := func(email string) []sdk.Item {
		return []sdk.Item{{"PK": sdk.S("ORDER#1"), "SK": sdk.S("ORDER"), "email": sdk.S(email)}, {"PK": sdk.S("ORDER#2"), "SK": sdk.S("ORDER"), "email": sdk.S(email)}}
	}
	for want, odd := range map[string]sdk.Item{
		`The lock on "old@x.io" names 1, but that account holds "p1@x.io"; whether another account has it is not known.`: with(tenantLock("acme", "old@x.io"), "owner", "1"),
		`The lock on "old@x.io" names 9, and there is no such account; whether another account has it is not known.`:     with(tenantLock("acme", "old@x.io"), "owner", "9"),
		`The lock on "undefined" looks like a mistake; whether an account has it is not known.`:                          tenantLock("acme", "undefined"),
		`A lock keeps "old@x.io". No account claims it, and another item holds the value.`:                               tenantLock("acme", "old@x.io"),
	} {
		value := strings.Split(want, `"`)[1]
		a, err := find.Find(t.Context(), tenants(fixture.New(t), "orders", nil, append(orders(value), odd)...), value, find.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r := a.Locks[0]; len(a.Locks) != 1 || r.Verdict != verdict.Unknown || r.Sentence() != want || !strings.Contains(r.Why, "Does it count?") {
			t.Errorf("%s: %s %s", verdicts(a), r.Sentence(), r.Why)
		}
	}
}

// What the list of a table says of a lock is what find says of it.
func TestListAndFindAgree(t *testing.T) {
	f := fixture.New(t)
	f.Put("members", sdk.Item{"PK": sdk.S("CUSTOMER#77"), "SK": sdk.S("PROFILE"), "handle": sdk.S("alan")})
	table := f.Open("members")
	a, err := find.Find(t.Context(), table, "alan", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := browse.New(table)
	v := read(t, b)
	for _, r := range v.Relations {
		if r.Lock.Key.Equal(a.Locks[1].Lock.Key) && (r.Verdict != a.Locks[1].Verdict || r.Provisional != a.Locks[1].Provisional || r.Why != a.Locks[1].Why) {
			t.Errorf("the list: %s, %v, %q; find: %s, %v, %q", r.Verdict, r.Provisional, r.Why, a.Locks[1].Verdict, a.Locks[1].Provisional, a.Locks[1].Why)
		}
	}
	if a.Locks[1].Verdict != verdict.Unknown {
		t.Errorf("find: %s", a.Locks[1].Verdict)
	}
}
