package change_test

import (
	"fmt"
	"maps"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
)

// A second mend of the same findings writes nothing, and says that nothing is left to mend.
func TestASecondMendWritesNothing(t *testing.T) {
	t.Parallel()
	account := func(id, email string) item { return row("ACCT#"+id, "PROFILE", "email", email) }
	lock := func(email, id string) item { return row("UNIQ#EMAIL#"+email, "LOCK", "userId", "ACCT#"+id) }
	expires := func(i item, at string) item { return more(i, item{"ttl": num(at)}) }
	counter := func(name, n string) item { return more(row("COUNTER", name), item{"n": num(n)}) }
	order := more(row("ORDER#a", "META"), item{"no": num("5")})
	described := func(o *dynamo.Options) {
		configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "userId"})(o)
		o.Layouts[0].Counters = []config.Counter{
			{Name: "orders", PK: "COUNTER", SK: "ORDERS", Attribute: "n", Semantics: "last", IDs: []config.IDs{{Attribute: "no"}}},
			{Name: "evens", PK: "COUNTER", SK: "EVENS", Attribute: "n", Semantics: "last", Step: "2"},
		}
	}
	for name, of := range map[string]struct {
		kind      finding.Kind
		broken    []item
		meanwhile func(*fixture) // between the two repairs
	}{
		"orphaned":    {kind: finding.OrphanedLock, broken: []item{lock("gone@x.io", "nobody")}},
		"stale":       {kind: finding.StaleLock, broken: []item{account("a", "new@x.io"), lock("new@x.io", "a"), lock("old@x.io", "a")}},
		"missing":     {kind: finding.MissingLock, broken: []item{account("a", "a@x.io")}},
		"foreign":     {kind: finding.ForeignLock, broken: []item{account("a", "a@x.io"), lock("a@x.io", "1")}},
		"misspelt":    {kind: finding.UnnormalisedLock, broken: []item{account("a", "Ada@x.io"), lock("ada@x.io", "a")}},
		"never freed": {kind: finding.ExpiringAccount, broken: []item{expires(account("a", "a@x.io"), "33333333333"), lock("a@x.io", "a")}},
		"freed alone": {kind: finding.ExpiringAccount, broken: []item{account("a", "a@x.io"), expires(lock("a@x.io", "a"), "33333333333")}},
		"the account lives longer by now": {
			finding.ExpiringAccount,
			[]item{expires(account("a", "a@x.io"), "33333333333"), lock("a@x.io", "a")},
			there(expires(account("a", "a@x.io"), "44444444444")),
		},
		"the account is gone by now": {
			finding.ExpiringAccount,
			[]item{expires(account("a", "a@x.io"), "33333333333"), lock("a@x.io", "a")},
			gone(account("a", "a@x.io")),
		},
		"behind":          {kind: finding.CounterBehind, broken: []item{order, counter("ORDERS", "3")}},
		"without counter": {kind: finding.CounterMissing, broken: []item{order}},
		"not a number":    {kind: finding.CounterNotNumber, broken: []item{row("COUNTER", "ORDERS", "n", "5")}},
		"off step":        {kind: finding.CounterOffStep, broken: []item{counter("EVENS", "3")}},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			f.create("odd")
			if err := sdk.Expire(t.Context(), f.App(), "odd", "ttl"); err != nil {
				t.Fatal(err)
			}
			f.put("odd", of.broken...)
			for n := range 30 {
				id := fmt.Sprint(n)
				f.put("odd", account(id, id+"@x.io"), lock(id+"@x.io", id))
			}
			found := f.checked(f.open("odd", described))
			if len(found) != 1 || found[0].Kind != of.kind {
				t.Fatalf("found %v", kinds(found))
			}
			f.apply(f.changer.PlanMend(t.Context(), f.open("odd", described), found[0], nil))
			if of.meanwhile != nil {
				of.meanwhile(f)
			}
			before, writes := f.dump("odd"), f.writes()
			p, err := f.changer.PlanMend(t.Context(), f.open("odd", described), found[0], nil)
			f.mustNot(plan.InOrder, p, err)
			mends, err := f.changer.PlanMends(t.Context(), f.open("odd", described), found...)
			if err != nil || !mends[0].InOrder() {
				t.Errorf("among others: %+v, %v", mends, err)
			}
			if f.writes() != writes || !maps.EqualFunc(before, f.dump("odd"), maps.Equal) {
				t.Error("the second mend wrote")
			}
		})
	}
}
