package dynamo_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// standing is a fit of the given standing.
func standing(s layout.Standing) layout.Fit {
	e := layout.Evidence{Items: 100, Accounts: 30, Locks: 30, Values: 30, Claims: 30, Locked: 30, Met: 30, MetRight: 30}
	if s == layout.Contradicted {
		e.Locked = 0
	}
	f := e.Judge("email")
	if f.State = layout.Described; s == layout.Thin {
		f.State = layout.Guessed
	}
	return f
}

// evidences gives all evidence that may come together, with the standing of its fit.
func evidences(yield func(verdict.Facts, layout.Standing)) (n int) {
	for claimants := range 3 {
		for others := verdict.OthersUnknown; others <= verdict.OthersSettled; others++ {
			for _, s := range []layout.Standing{layout.Supported, layout.Thin, layout.Contradicted} {
				for bits := range 1 << 13 {
					is := func(n int) bool { return bits>>n&1 == 1 }
					e := verdict.Facts{
						Value: "a", Lock: schema.Lock{Exists: is(0)}, Claimants: make([]schema.Account, claimants), OwnerKnown: is(1), NamesClaimant: is(2),
						Malformed: is(3), Apart: is(4), Scanned: is(5), Changed: is(6), Others: others, OthersWhy: "more has to be read", Fit: standing(s),
					}
					if is(7) {
						e.Owner = &schema.Account{}
					}
					if is(8) {
						e.Holders.Overflow = "an order holds it"
					}
					if is(9) {
						e.Holders.Known = []*verdict.Holding{{}}
					}
					e.TablesUnsaid, e.Digests = is(10), is(11)
					if is(12) {
						e.Unlikely = "it is young"
					}
					n++
					yield(e, s)
				}
			}
		}
	}
	return n
}

// No verdict is stronger than the weakest of what it rests on, whatever evidence comes
// together.
func TestJudgeIsNoStrongerThanItsEvidence(t *testing.T) {
	n := evidences(func(e verdict.Facts, s layout.Standing) {
		if wrong := tooStrong(e, s); wrong != "" {
			t.Fatalf("%s: %+v of %+v", wrong, verdict.Judge(e), e)
		}
	})
	if n != 3*5*3*8192 {
		t.Errorf("%d judged", n)
	}
}

// tooStrong says what is wrong with the judgement of some evidence.
func tooStrong(e verdict.Facts, s layout.Standing) string {
	j := verdict.Judge(e)
	sure := j.Verdict != verdict.Unknown && !j.Provisional
	nobody := j.Verdict == verdict.Orphaned || j.Verdict == verdict.Stale || j.Verdict == verdict.Malformed || j.Verdict == verdict.Free
	switch {
	case s == layout.Contradicted && j.Verdict != verdict.Unknown:
		return "a contradicted layout has a verdict"
	case s == layout.Thin && sure && j.Verdict != verdict.Held:
		return "a thin layout is sure"
	case e.Changed && j.Verdict != verdict.Unknown:
		return "what changed has a verdict"
	case e.Scanned && j.Verdict != verdict.Unknown && !j.Provisional:
		return "a scan alone is sure"
	case e.Apart && j.Verdict.Broken() && sure:
		return "readings at several moments are sure"
	case nobody && len(e.Claimants) > 0:
		return "somebody calls for it"
	case nobody && sure && e.Others < verdict.OthersAbsent:
		return "nobody was ruled out"
	case nobody && (e.Holders.Overflow != "" || len(e.Holders.Known) > 0):
		return "an item holds it"
	case nobody && e.Digests:
		return "a digest may be of another account"
	case sure && j.Verdict.Broken() && j.Verdict != verdict.Duplicate && e.TablesUnsaid:
		return "the tables are not said"
	case sure && nobody && j.Verdict != verdict.Free && e.Unlikely != "":
		return "it may belong to a sign-up"
	case j.Verdict == verdict.Unknown && j.Why == "":
		return "it does not say why it is unknown"
	}
	if more := e; len(e.Claimants) == 0 && sure && e.Others < verdict.OthersSettled {
		if more.Others++; verdict.Judge(more).Verdict != j.Verdict || verdict.Judge(more).Provisional {
			return "knowing more makes it less sure"
		}
	}
	return ""
}

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
	f := start(t)
	hand := func(to string) {
		f.put("members", item{"PK": str("MEM#" + to), "SK": str("PROFILE"), "email": str(to + "@example.net"), "username": str("alan")})
		f.put("members", item{"PK": str("UNIQ#HANDLE#alan"), "SK": str("LOCK"), "memberId": str("MEM#" + to)})
	}
	for _, times := range []int{1, 2, 100} {
		t.Run(fmt.Sprint(times), func(t *testing.T) {
			m := &meanwhile{RoundTripper: f, operation: "TransactGetItems"}
			table := f.open("members", func(o *dynamo.Options) { o.Transport, o.Layout = m, "uniq" })
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
	orders := func(email string) []item {
		return []item{{"PK": str("ORDER#1"), "SK": str("ORDER"), "email": str(email)}, {"PK": str("ORDER#2"), "SK": str("ORDER"), "email": str(email)}}
	}
	for want, odd := range map[string]item{
		`The lock on "old@x.io" names 1, but that account holds "p1@x.io"; whether another account has it is not known.`: with(tenantLock("acme", "old@x.io"), "owner", "1"),
		`The lock on "old@x.io" names 9, and there is no such account; whether another account has it is not known.`:     with(tenantLock("acme", "old@x.io"), "owner", "9"),
		`The lock on "undefined" looks like a mistake; whether an account has it is not known.`:                          tenantLock("acme", "undefined"),
		`A lock keeps "old@x.io". No account claims it, and another item holds the value.`:                               tenantLock("acme", "old@x.io"),
	} {
		value := strings.Split(want, `"`)[1]
		a, err := find.Find(t.Context(), start(t).tenants("orders", nil, append(orders(value), odd)...), value, find.Options{})
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
	f := start(t)
	f.put("members", item{"PK": str("CUSTOMER#77"), "SK": str("PROFILE"), "handle": str("alan")})
	table := f.open("members")
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

// A reservation makes one difference: what no account calls for is reserved as long as it
// lasts, or not known where the lock does not tell. Before and after it, and for all other
// verdicts, everything is as it would be without.
func TestJudgeReserved(t *testing.T) {
	t.Parallel()
	evidences(func(e verdict.Facts, _ layout.Standing) {
		without := verdict.Judge(e)
		e.Now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
		e.Reserved = layout.Reservation{For: 48 * time.Hour, Since: "claimedAt"}
		for since, reserved := range map[string]bool{"2026-11-20T11:40:00Z": false, "2026-11-20T11:50:00Z": true, "": true, "yesterday": true} {
			if e.Lock.Since = (attr.Value{}); since != "" {
				e.Lock.Since = attr.String(since)
			}
			if wrong := wronglyReserved(e, without, reserved, since); wrong != "" {
				t.Fatalf("%s: %+v of %+v", wrong, verdict.Judge(e), e)
			}
		}
	})
}

// wronglyReserved says what is wrong with the judgement of a lock that may be reserved,
// given that without a reservation.
func wronglyReserved(e verdict.Facts, without verdict.Judgement, reserved bool, since string) string {
	j := verdict.Judge(e)
	unclaimed := without.Verdict == verdict.Orphaned || without.Verdict == verdict.Stale || without.Verdict == verdict.Malformed
	tells := strings.HasPrefix(since, "2026")
	pending := reserved && e.Lock.Exists && len(e.Claimants) == 0
	switch {
	case j.Pending != pending || j.Until.IsZero() == (pending && tells):
		return "it waits for nobody, or does not say so"
	case pending && unclaimed && tells:
		if j.Verdict != verdict.Reserved {
			return "it is not reserved"
		}
	case pending && unclaimed:
		if j.Verdict != verdict.Unknown || j.Why == "" {
			return "it is not unknown"
		}
	default:
		if j.Pending, j.Until = false, (time.Time{}); j != without {
			return "the reservation makes a difference"
		}
	}
	if j.Verdict == verdict.Reserved && !j.Provisional && (e.Others < verdict.OthersAbsent || e.Scanned || e.Fit.Standing() == layout.Thin) {
		return "it is too sure"
	}
	return ""
}
