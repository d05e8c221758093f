package check_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout/config"
	"tallylock/ui/say"
)

// A layout that does not fit is refused before the check reads the table. The error names the command that shows the
// layout.
func TestALayoutThatDoesNotFit(t *testing.T) {
	f := start(t)
	items := []doc{}
	for n := range 40 {
		items = append(items, user(fmt.Sprint(n), fmt.Sprint(n)), mail(fmt.Sprint(n), owner("somebody@else.test")))
	}
	f.create("fits", "PK:S", "SK:S", items...)
	for why, change := range map[string]func(*config.Constraint){
		"none of 40 accounts has a value of name": func(c *config.Constraint) { c.Attribute = "name" },
	} {
		_, sum, err := run(t.Context(), f.described("fits", users(change)), setting.Options{})
		e, _ := errors.AsType[*client.Error](err)
		if e == nil || e.Kind != client.NoLayout || !strings.Contains(e.Why, why) || !strings.Contains(say.Do(e.Remedy), "tallylock layout --table fits") || sum.Items != 0 || sum.Complete {
			t.Errorf("%s: %v, %+v", why, err, sum)
		}
	}
	found, _ := f.run(f.described("fits", users()), setting.Options{})
	f.want(found)
}

// If the key of an account needs more than its id, such as a tenant, a lock with only the id names an unknown owner.
// This does not speak against the layout.
func TestOwnersThatDoNotTell(t *testing.T) {
	f := start(t)
	items := []doc{mail("nobody", owner("nobody"))}
	for n := range 40 {
		id := fmt.Sprint(n)
		items = append(items, user(id, id, doc{"PK": str("TENANT#acme"), "SK": str("USER#" + id)}), mail(id, owner(id)))
	}
	f.create("tenants", "PK:S", "SK:S", items...)
	l := users(owned)
	l.Accounts[0].PK, l.Accounts[0].SK = "TENANT#{tenant}", "USER#{id}"
	found, sum := f.run(f.described("tenants", l), setting.Options{})
	f.want(found, "orphaned-lock nobody")
	if !sum.Complete {
		t.Errorf("%+v", sum)
	}
}

// much makes a large table: the given items, and a number of other items that are neither accounts nor locks. A sample
// sees only a part of the table.
func (f *fixture) much(table string, others int, items ...doc) {
	f.t.Helper()
	f.create(table, "PK:S", "SK:S")
	for n := range others {
		items = append(items, doc{"PK": str(fmt.Sprint("EVENT#", n)), "SK": str("EVENT")})
	}
	f.put(table, items...)
}

// If accounts are rare, a few accounts from all over the table are enough to judge the layout.
func TestFitWhereAccountsAreRare(t *testing.T) {
	t.Parallel()
	f := start(t)
	var items []doc
	for n := range 400 {
		items = append(items, user(fmt.Sprint(n), fmt.Sprint(n)), mail(fmt.Sprint(n)))
	}
	f.much("rare", 10_000, items...)
	table := f.described("rare", users())
	cost := setting.Estimate(table, setting.Options{})
	found, sum := f.run(table, setting.Options{})
	f.want(found)
	if len(sum.Notes) != 0 || sum.ReadUnits > cost.First {
		t.Errorf("%+v, and %v units were expected", sum, cost.First)
	}
}

// A large table with locks everywhere and no account does not fit the layout. If all accounts should be in one
// partition, a sample may miss them, and the check reads the whole table before it judges the layout.
func TestFitWithoutAccounts(t *testing.T) {
	t.Parallel()
	f := start(t)
	var items []doc
	for n := range 4000 {
		items = append(items, user(fmt.Sprint(n), fmt.Sprint(n)), mail(fmt.Sprint(n)))
	}
	f.much("locks", 0, items...)
	l := users()
	l.Accounts[0].PK = "PERSON#{id}"
	_, sum, err := run(t.Context(), f.described("locks", l), setting.Options{})
	if client.KindOf(err) != client.NoLayout || !strings.Contains(err.Error(), "no account as the layout describes it") && !strings.Contains(err.Error(), `pk = "USER#{id}" fits`) || sum.Items != 0 {
		t.Errorf("%v, %+v", err, sum)
	}
	l.Accounts[0].PK, l.Accounts[0].SK = "PEOPLE", "{id}"
	if _, sum, err := run(t.Context(), f.described("locks", l), setting.Options{}); err != nil || sum.Complete || len(sum.Findings) != 0 {
		t.Errorf("%v, %+v", err, sum)
	}
}

// A sample may miss accounts that are all in one partition. Such a sample does not speak against the layout, and the
// check reads the whole table.
func TestFitOfAccountsInOnePartition(t *testing.T) {
	t.Parallel()
	f := start(t)
	var items []doc
	for n := range 4000 {
		id := fmt.Sprint(n)
		items = append(items, user(id, id, doc{"PK": str("PEOPLE"), "SK": str(id)}), mail(id))
	}
	f.much("people", 0, append(items, mail("left"))...)
	l := users()
	l.Accounts[0].PK, l.Accounts[0].SK = "PEOPLE", "{id}"
	found, sum := f.run(f.described("people", l), setting.Options{})
	f.want(found, "orphaned-lock left")
	if !sum.Complete || !sum.Confirmed {
		t.Errorf("%+v", sum)
	}
}

// A layout without a single account in the table is refused.
func TestFitOfATableOfLocks(t *testing.T) {
	t.Parallel()
	f := start(t)
	var items []doc
	for n := range 150 {
		items = append(items, mail(fmt.Sprint(n)))
	}
	f.create("left", "PK:S", "SK:S", items...)
	_, _, err := run(t.Context(), f.described("left", users()), setting.Options{})
	if client.KindOf(err) != client.NoLayout || !strings.Contains(err.Error(), "no account with email was read") {
		t.Error(err)
	}
}

// pages counts the pages that a check reads, without the pages of the layout's sample.
type pages struct {
	http.RoundTripper
	n atomic.Int32
}

func (p *pages) RoundTrip(r *http.Request) (*http.Response, error) {
	if body, again := asked(r); again != nil {
		if r = again; strings.Contains(body, `"TotalSegments":`) && !strings.Contains(body, `"Limit":`) {
			p.n.Add(1)
		}
	}
	return p.RoundTripper.RoundTrip(r)
}

// If one constraint does not fit, the progress says so before the check reads a page, and the summary repeats it. The
// same holds if no account has the constraint's attribute.
func TestOneConstraintThatDoesNotFit(t *testing.T) {
	t.Parallel()
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
	of := func(attribute, pk string) config.Constraint {
		c := l.Accounts[0].Constraints[0]
		c.Attribute, c.PK = attribute, pk
		return c
	}
	for attribute, says := range map[string]string{
		"nick":   "0 of 60 nick values have the lock that the layout expects",
		"handle": `has a value of handle, but the table has`,
	} {
		l := l
		l.Accounts = slices.Clone(l.Accounts)
		l.Accounts[0].Constraints = []config.Constraint{l.Accounts[0].Constraints[0], of(attribute, "NICK#{v}"), of("phone", "PHONE#{v}")}
		count := &pages{}
		table := f.described("three", l, func(o *dynamo.Options) { count.RoundTripper, o.Transport = o.Transport, count })
		var first []string // the first notes, and the number of pages read before them
		before := int32(-1)
		sum, err := check.Run(t.Context(), table, setting.Options{Confirm: setting.ConfirmReads}, func(finding.Finding) {}, func(now progress.State) {
			if len(now.Early) > 0 && first == nil {
				first, before = now.Early, count.n.Load()
			}
		})
		if err != nil || before != 0 || len(first) != 1 || !strings.Contains(first[0], says) || !slices.Equal(sum.Notes, first) || sum.Complete {
			t.Errorf("%s: after %d pages %q, in the end %q, %v", attribute, before, first, sum.Notes, err)
		}
	}
}

// If all locks are lost, the check believes the layout and reports missing locks.
func TestAllLocksAreLost(t *testing.T) {
	t.Parallel()
	f := start(t)
	items := []doc{}
	for n := range 50 {
		items = append(items, user(fmt.Sprint(n), fmt.Sprint(n)))
	}
	f.create("lost", "PK:S", "SK:S", items...)
	found, sum := f.run(f.described("lost", users()), setting.Options{})
	if len(found) != 50 || sum.Findings[finding.MissingLock] != 50 || !sum.Complete || !sum.Confirmed {
		t.Errorf("%d found, %+v", len(found), sum)
	}
}

// An item whose key begins like that of a lock is no lock. A malformed lock has every literal of the template.
func TestNeighboursOfLocksAreNotMalformed(t *testing.T) {
	f := start(t)
	var items []doc
	for n := range 10 {
		id := fmt.Sprint(n)
		items = append(items,
			user(id, id, doc{"PK": str("TENANT#acme"), "SK": str("USER#" + id)}),
			doc{"PK": str("TENANT#acme#EMAIL#" + id), "SK": str("LOCK")},
			doc{"PK": str("TENANT#acme#ORDER#" + id), "SK": str("ORDER")},
			doc{"PK": str("TENANT#acme#EMAIL#" + id), "SK": str("LOCK#HISTORY")})
	}
	f.create("inpk", "PK:S", "SK:S", append(items, doc{"PK": str("TENANT#acme#EMAIL#"), "SK": str("LOCK")})...)
	l := users(func(c *config.Constraint) { c.PK, c.SK = "TENANT#{tenant}#EMAIL#{v}", "LOCK" })
	l.Accounts[0].PK, l.Accounts[0].SK = "TENANT#{tenant}", "USER#{id}"
	found, _ := f.run(f.described("inpk", l), setting.Options{})
	f.want(found, "malformed-lock ")

	items = nil
	for n := range 10 {
		id := fmt.Sprint(n)
		items = append(items,
			user(id, id, doc{"PK": str("ORG#acme"), "SK": str("USER#" + id)}),
			doc{"PK": str("ORG#acme"), "SK": str("UNIQ#EMAIL#" + id)},
			doc{"PK": str("ORG#acme"), "SK": str("INVOICE#" + id)})
	}
	f.create("insk", "PK:S", "SK:S", items...)
	l = users(func(c *config.Constraint) { c.PK, c.SK = "ORG#{org}", "UNIQ#EMAIL#{v}" })
	l.Accounts[0].PK, l.Accounts[0].SK = "ORG#{org}", "USER#{id}"
	found, _ = f.run(f.described("insk", l), setting.Options{})
	f.want(found)
}
