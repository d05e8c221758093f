package dynamo_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
)

// claimed is a lock that says when it was put.
func claimed(v string, ago time.Duration, more item) item {
	l := lock("EMAIL", v)
	l["claimedAt"] = str(time.Now().Add(-ago).UTC().Format(time.RFC3339))
	maps.Copy(l, more)
	return l
}

// reserving is a layout whose locks may precede their accounts by two days.
func reserving(change ...func(*config.Constraint)) func(*dynamo.Options) {
	email := config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", ReservedFor: "48h", ReservedSince: "claimedAt"}
	for _, c := range change {
		c(&email)
	}
	return func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "ours", Tables: []string{"signups"}, Accounts: []config.Account{{PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{email}}}}}
	}
}

// signups are ten accounts, and locks that nobody calls for.
func (f *fixture) signups(others ...item) {
	f.create("signups", "PK:S", "SK:S")
	for n := range 10 {
		who := fmt.Sprintf("%d@example.net", n)
		others = append(others, account(fmt.Sprint(n), who, who), claimed(who, 100*time.Hour, item{"owner": str(fmt.Sprint(n))}))
	}
	f.put("signups", others...)
}

// A lock that no account calls for is reserved until its time is over, and an orphan then;
// where it does not tell its time nothing is known. The list says what find says.
func TestReserved(t *testing.T) {
	bare := lock("EMAIL", "bare@example.net")
	locks := []item{
		claimed("young@example.net", 47*time.Hour, nil), claimed("old@example.net", 49*time.Hour, nil), bare,
		claimed("text@example.net", 0, item{"claimedAt": str("just now")}), claimed("seconds@example.net", 0, item{"claimedAt": num(fmt.Sprint(time.Now().Unix()))}),
		claimed("millis@example.net", 0, item{"claimedAt": num(fmt.Sprint(time.Now().Add(-72 * time.Hour).UnixMilli()))}),
		claimed("gone@example.net", time.Hour, item{"owner": str("gone")}),
		claimed("moving@example.net", time.Hour, item{"owner": str("3")}), // the account 3 still has its old address
		claimed("undefined", time.Hour, nil),
	}
	want := map[string]string{
		"young@example.net": "reserved", "old@example.net": "orphaned?", "bare@example.net": "unknown", "text@example.net": "unknown", "seconds@example.net": "reserved",
		"millis@example.net": "orphaned?", "gone@example.net": "reserved", "moving@example.net": "reserved", "undefined": "reserved", "3@example.net": "held",
	}
	for _, owner := range []string{"", "owner"} {
		f := start(t)
		f.signups(locks...)
		table := f.open("signups", reserving(func(c *config.Constraint) { c.Owner = owner }))
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
			f := start(t)
			var items []item
			ago := time.Hour
			if over {
				ago = 50 * time.Hour
			}
			for n := range 30 {
				who := fmt.Sprintf("new%d@example.net", n)
				items = append(items, claimed(who, ago, item{"owner": str(fmt.Sprint("new", n))}))
				if tc.signups {
					items = append(items, item{"PK": str(fmt.Sprint("SIGNUP#", n)), "SK": str("TOKEN"), "email": str(who)})
				}
			}
			if tc.accounts {
				f.signups(items...)
			} else {
				f.create("signups", "PK:S", "SK:S")
				f.put("signups", items...)
			}
			table := f.open("signups", reserving(func(c *config.Constraint) { c.Owner = "owner" }))
			fit := table.Fit.Of(table.Layout.Constraints()[0])
			if contradicted := fit.Standing() == layout.Contradicted; contradicted != (over && !tc.accounts) || !over && fit.Standing() != tc.standing {
				t.Errorf("%s, over %v: %s, %s", name, over, fit.Standing(), fit.Why())
			}
		}
	}
}
