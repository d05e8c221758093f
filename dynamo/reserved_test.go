package dynamo_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/browse"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
)

// A lock that no account calls for is reserved until its time is over, and an orphan then;
// where it does not tell its time nothing is known. The list says what find says.
func TestReserved(t *testing.T) {
	bare := fixture.Lock("EMAIL", "bare@example.net")
	locks := []sdk.Item{
		fixture.Claimed("young@example.net", 47*time.Hour, nil), fixture.Claimed("old@example.net", 49*time.Hour, nil), bare,
		fixture.Claimed("text@example.net", 0, sdk.Item{"claimedAt": sdk.S("just now")}), fixture.Claimed("seconds@example.net", 0, sdk.Item{"claimedAt": sdk.N(fmt.Sprint(time.Now().Unix()))}),
		fixture.Claimed("millis@example.net", 0, sdk.Item{"claimedAt": sdk.N(fmt.Sprint(time.Now().Add(-72 * time.Hour).UnixMilli()))}),
		fixture.Claimed("gone@example.net", time.Hour, sdk.Item{"owner": sdk.S("gone")}),
		fixture.Claimed("moving@example.net", time.Hour, sdk.Item{"owner": sdk.S("3")}), // the account 3 still has its old address
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
			if got := verdicts(a); got != "email "+verdict {
				t.Errorf("owner %q: %s: %s; want %s: %s", owner, value, got, verdict, a.Locks[0].Why)
			}
			l, r := listed[value], a.Locks[0]
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
				if !strings.Contains(said, "whether it is reserved still is not known: the lock") || !r.Pending || !r.Until.IsZero() {
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

// Locks that wait for their accounts do not speak against a layout: neither that there is
// no account, nor that their owners do not exist, nor that what begins a sign-up has their
// values. The same locks do, once their time is over.
func TestReservedLocksDoNotContradictTheLayout(t *testing.T) {
	for name, tc := range map[string]struct {
		accounts, signups bool
		standing          layout.Standing
	}{
		"nobody has finished a sign-up":  {standing: layout.Supported},
		"what begins a sign-up is kept":  {accounts: true, signups: true, standing: layout.Supported},
		"and nobody has finished one":    {signups: true, standing: layout.Supported},
		"owners that are not there, yet": {accounts: true, standing: layout.Supported},
	} {
		for _, over := range []bool{false, true} {
			f := fixture.New(t)
			var items []sdk.Item
			ago := time.Hour
			if over {
				ago = 50 * time.Hour
			}
			for n := range 30 {
				who := fmt.Sprintf("new%d@example.net", n)
				items = append(items, fixture.Claimed(who, ago, sdk.Item{"owner": sdk.S(fmt.Sprint("new", n))}))
				if tc.signups {
					items = append(items, sdk.Item{"PK": sdk.S(fmt.Sprint("SIGNUP#", n)), "SK": sdk.S("TOKEN"), "email": sdk.S(who)})
				}
			}
			if tc.accounts {
				f.Signups(items...)
			} else {
				f.Create("signups", "PK:S", "SK:S")
				f.Put("signups", items...)
			}
			table := f.Open("signups", fixture.Reserving("owner"))
			fit := table.Fit.Of(table.Layout.Constraints()[0])
			if contradicted := fit.Standing() == layout.Contradicted; contradicted != (over && !tc.accounts) || !over && fit.Standing() != tc.standing {
				t.Errorf("%s, over %v: %s, %s", name, over, fit.Standing(), fit.Why())
			}
		}
	}
}
