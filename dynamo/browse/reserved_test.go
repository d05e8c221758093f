package browse_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/browse"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
)

// A lock that no account claims is reserved until a time, and then orphaned. If the lock does not show its time, its
// verdict is unknown. The list and find say the same.
func TestReserved(t *testing.T) {
	bare := fixture.Lock("EMAIL", "bare@example.net")
	locks := []sdk.Item{
		fixture.Claimed("young@example.net", 47*time.Hour, nil), fixture.Claimed("old@example.net", 49*time.Hour, nil), bare,
		fixture.Claimed("text@example.net", 0, sdk.Item{"claimedAt": sdk.S("just now")}), fixture.Claimed("seconds@example.net", 0, sdk.Item{"claimedAt": sdk.N(fmt.Sprint(time.Now().Unix()))}),
		fixture.Claimed("millis@example.net", 0, sdk.Item{"claimedAt": sdk.N(fmt.Sprint(time.Now().Add(-72 * time.Hour).UnixMilli()))}),
		fixture.Claimed("gone@example.net", time.Hour, sdk.Item{"owner": sdk.S("gone")}),
		fixture.Claimed("moving@example.net", time.Hour, sdk.Item{"owner": sdk.S("3")}), // account 3 still has its old value
		fixture.Claimed("undefined", time.Hour, nil),
	}
	want := map[string]string{
		"young@example.net": "reserved", "old@example.net": "orphaned?", "bare@example.net": "unknown", "text@example.net": "unknown", "seconds@example.net": "reserved",
		"millis@example.net": "orphaned?", "gone@example.net": "reserved", "moving@example.net": "reserved", "undefined": "reserved", "3@example.net": "held",
	}
	for _, owner := range []string{"", "owner"} {
		f := fixture.New(t)
		f.Signups(locks...)
		table := f.Open("signups", fixture.Reserving(owner))
		listed := map[string]*verdict.Relation{}
		b := browse.New(table)
		v := read(t, b)
		for _, r := range v.Relations {
			listed[r.Value] = r
		}
		for value, verdict := range want {
			a, err := find.Find(t.Context(), table, value, find.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Locks) != 1 {
				t.Fatalf("owner %q: %s has %d locks", owner, value, len(a.Locks))
			}
			l, r := listed[value], a.Locks[0]
			got := string(r.Verdict)
			if r.Provisional {
				got += "?"
			}
			if got != verdict {
				t.Errorf("owner %q: %s: %s; want %s: %s", owner, value, got, verdict, r.Why)
			}
			if l == nil || l.Verdict != r.Verdict || l.Why != r.Why || l.Until != r.Until {
				t.Errorf("owner %q: the list has %s: %+v; find says %s, %s", owner, value, l, r.Verdict, r.Why)
			}
			said := r.Sentence() + " " + r.Why
			switch verdict {
			case "reserved":
				if !strings.Contains(said, "yet: it is reserved until "+r.UntilWords()) || r.Until.Before(time.Now()) || !r.Pending {
					t.Errorf("%s: %s", value, said)
				}
			case "unknown":
				if !strings.Contains(said, "the lock may still be reserved: the lock") || !r.Pending || !r.Until.IsZero() {
					t.Errorf("%s: %s", value, said)
				}
			}
		}
		for _, r := range v.Provisional() {
			if r.Verdict == verdict.Reserved {
				t.Errorf("a second look is offered for %s", r.Value)
			}
		}
	}
}
