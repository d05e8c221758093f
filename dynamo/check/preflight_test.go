package check_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/layout"
)

// A layout that does not fit is said before the table is read.
func TestPreflight(t *testing.T) {
	f := start(t)
	items := []doc{}
	for n := range 40 {
		items = append(items, user(fmt.Sprint(n), fmt.Sprint(n)), mail(fmt.Sprint(n), owner("somebody@else.test")))
	}
	f.create("fits", "PK:S", "SK:S", items...)
	for why, change := range map[string]func(*layout.ConstraintConfig){
		"none exists":            func(c *layout.ConstraintConfig) { c.PK = "EMAIL#{v}" },
		"none names its account": owned,
	} {
		_, sum, err := run(t.Context(), f.described("fits", users(change)), check.Options{})
		e, _ := errors.AsType[*dynamo.Error](err)
		if e == nil || e.Kind != dynamo.NoLayout || !strings.Contains(e.Why, why) || !strings.Contains(e.Do, "tallylock layout --table fits") || sum.Items != 0 || sum.Complete {
			t.Errorf("%v, %+v", err, sum)
		}
	}
	found, _ := f.run(f.described("fits", users()), check.Options{})
	f.want(found)
}

// An owner whose account's key takes more than the lock says, as that of one of many
// tenants, does not speak against the layout: nobody can tell whom it names.
func TestPreflightOfOwnersThatDoNotTell(t *testing.T) {
	f := start(t)
	items := []doc{mail("nobody", owner("nobody"))}
	for n := range 40 {
		id := fmt.Sprint(n)
		items = append(items, user(id, id, doc{"PK": str("TENANT#acme"), "SK": str("USER#" + id)}), mail(id, owner(id)))
	}
	f.create("tenants", "PK:S", "SK:S", items...)
	l := users(owned)
	l.Accounts[0].PK, l.Accounts[0].SK = "TENANT#{tenant}", "USER#{id}"
	found, sum := f.run(f.described("tenants", l), check.Options{})
	f.want(found, "orphaned-lock nobody")
	if !sum.Complete {
		t.Errorf("%+v", sum)
	}
}

// much is a table of which a sample sees a part: items that are neither account nor
// lock, and so many of those.
func (f *fixture) much(table string, others int, items ...doc) {
	f.t.Helper()
	f.create(table, "PK:S", "SK:S")
	for n := range others {
		items = append(items, doc{"PK": str(fmt.Sprint("EVENT#", n)), "SK": str("EVENT")})
	}
	f.fill(table, items)
}

// Where accounts are rare the sample goes on, elsewhere, until there are enough to
// tell; a layout that a person has described is believed no more than another.
func TestPreflightWhereAccountsAreRare(t *testing.T) {
	f := start(t)
	var items []doc
	for n := range 200 {
		items = append(items, user(fmt.Sprint(n), fmt.Sprint(n)), mail(fmt.Sprint(n)))
	}
	f.much("rare", 20_000, items...)
	elsewhere := func(c *layout.ConstraintConfig) { c.PK = "EMAIL#{v}" }
	count := &pages{}
	_, sum, err := run(t.Context(), f.described("rare", users(elsewhere), func(o *dynamo.Options) { count.RoundTripper, o.Transport = o.Transport, count }), check.Options{})
	if dynamo.KindOf(err) != dynamo.NoLayout || !strings.Contains(err.Error(), "none exists") || sum.Items != 0 {
		t.Errorf("%v, %+v", err, sum)
	}
	if n := count.sampled.Load(); n <= dynamo.SampleParts || n > 2*dynamo.SampleParts {
		t.Errorf("the sample has %d pages", n)
	}
	table := f.described("rare", users())
	cost := check.Estimate(table, check.Options{})
	found, sum := f.run(table, check.Options{})
	f.want(found)
	if len(sum.Notes) != 0 || sum.ReadUnits > cost.First {
		t.Errorf("%+v, and %v units were expected", sum, cost.First)
	}
}

// Locks all over a large table, and no account: the layout is wrong about accounts.
// Where accounts stand under one partition key a sample may pass them by, and the
// check goes on.
func TestPreflightWithoutAccounts(t *testing.T) {
	f := start(t)
	var items []doc
	for n := range 4000 {
		items = append(items, user(fmt.Sprint(n), fmt.Sprint(n)), mail(fmt.Sprint(n)))
	}
	f.much("locks", 0, items...)
	l := users()
	l.Accounts[0].PK = "PERSON#{id}"
	_, sum, err := run(t.Context(), f.described("locks", l), check.Options{})
	if dynamo.KindOf(err) != dynamo.NoLayout || !strings.Contains(err.Error(), " and no account") || sum.Items != 0 {
		t.Errorf("%v, %+v", err, sum)
	}
	l.Accounts[0].PK, l.Accounts[0].SK = "PEOPLE", "{id}"
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var early []string
	_, err = check.Run(ctx, f.described("locks", l), check.Options{}, func(check.Finding) {}, func(now check.State) {
		if early = now.Early; now.Doing == "reading" {
			stop()
		}
	})
	if dynamo.KindOf(err) != dynamo.Cancelled || len(early) != 1 || !strings.Contains(early[0], "locks and no account: the layout ours may be wrong about accounts") {
		t.Errorf("%v, %q", err, early)
	}
}

// A small table is checked, whatever is in it: nothing is saved by not reading it.
func TestPreflightOfASmallTable(t *testing.T) {
	f := start(t)
	var items []doc
	for n := range 150 {
		items = append(items, mail(fmt.Sprint(n)))
	}
	f.create("left", "PK:S", "SK:S", items...)
	found, sum := f.run(f.described("left", users()), check.Options{})
	if len(found) != 150 || !found[0].SuspectLayout || !sum.Complete {
		t.Errorf("%d found, %+v", len(found), sum)
	}
}

// pages counts the pages that a check asks for: of its sample, and once that is over.
type pages struct {
	http.RoundTripper
	sampled, n atomic.Int32
}

func (p *pages) RoundTrip(r *http.Request) (*http.Response, error) {
	if body, again := asked(r); again != nil {
		switch r = again; {
		case !strings.Contains(body, `"TotalSegments":`):
		case strings.Contains(body, `"Limit":`):
			p.sampled.Add(1)
		default:
			p.n.Add(1)
		}
	}
	return p.RoundTripper.RoundTrip(r)
}

// A single constraint that does not fit is said before anything is paid for, and
// again in the end; and so is one whose attribute nobody holds.
func TestPreflightOfOneConstraint(t *testing.T) {
	f := start(t)
	var items []doc
	for n := range 60 {
		v := fmt.Sprint(n)
		items = append(items, user(v, v, doc{"nick": str(v), "phone": str(v)}), mail(v), doc{"PK": str("PHONE#" + v), "SK": str("LOCK")})
		if n < 55 {
			items = append(items, doc{"PK": str("NICK#" + v + "!"), "SK": str("LOCK")})
		}
	}
	f.create("three", "PK:S", "SK:S", items...)
	l := users()
	of := func(attribute, pk string) layout.ConstraintConfig {
		c := l.Accounts[0].Constraints[0]
		c.Attribute, c.PK = attribute, pk
		return c
	}
	for attribute, says := range map[string]string{
		"nick":   "nick locks that sampled accounts call for, none exists, though a sample has",
		"handle": `holds anything in "handle", and a sample has`,
	} {
		l := l
		l.Accounts = slices.Clone(l.Accounts)
		l.Accounts[0].Constraints = []layout.ConstraintConfig{l.Accounts[0].Constraints[0], of(attribute, "NICK#{v}"), of("phone", "PHONE#{v}")}
		count := &pages{}
		table := f.described("three", l, func(o *dynamo.Options) { count.RoundTripper, o.Transport = o.Transport, count })
		var first []string // told, and how many pages were read by then
		before := int32(-1)
		sum, err := check.Run(t.Context(), table, check.Options{Confirm: check.ConfirmReads}, func(check.Finding) {}, func(now check.State) {
			if len(now.Early) > 0 && first == nil {
				first, before = now.Early, count.n.Load()
			}
		})
		if err != nil || before != 0 || len(first) != 1 || !strings.Contains(first[0], says) || !slices.Equal(sum.Notes, first) {
			t.Errorf("%s: after %d pages %q, in the end %q, %v", attribute, before, first, sum.Notes, err)
		}
	}
}

// Locks that are all lost are found to be missing, where nothing else in the table could
// be them; elsewhere it takes somebody's word that the layout is right.
func TestAllLocksAreLost(t *testing.T) {
	f := start(t)
	items := []doc{}
	for n := range 50 {
		items = append(items, user(fmt.Sprint(n), fmt.Sprint(n)))
	}
	f.create("lost", "PK:S", "SK:S", items...)
	found, sum := f.run(f.described("lost", users()), check.Options{})
	if len(found) != 50 || sum.Findings[check.MissingLock] != 50 || !sum.Complete || len(sum.Notes) != 1 || !strings.Contains(sum.Notes[0], "none exists") {
		t.Errorf("%d found, %+v", len(found), sum)
	}
	f.create("mixed", "PK:S", "SK:S", append(items, doc{"PK": str("EMAIL#1"), "SK": str("LOCK")})...)
	table := f.described("mixed", users())
	if _, _, err := run(t.Context(), table, check.Options{}); dynamo.KindOf(err) != dynamo.NoLayout || !strings.Contains(err.Error(), "--trust-layout") {
		t.Error(err)
	}
	found, sum = f.run(table, check.Options{TrustLayout: true})
	if len(found) != 50 || !sum.Complete || len(sum.Notes) == 0 || !strings.Contains(sum.Notes[0], "trusted all the same") {
		t.Errorf("%d found, %+v", len(found), sum)
	}
}
