package browse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
)

// described has the layout of the large town.
var described = fixture.Described(fixture.Layout("town", fixture.Accounts("")))

// largeTown returns a table that is too large to be read unasked, a view with all its rows, and a row on one of the
// last pages.
func largeTown(f *fixture.Tables, t *testing.T) (table *dynamo.Table, all browse.View, far *verdict.Relation) {
	t.Helper()
	f.Create("town", "PK:S", "SK:S")
	var rows []sdk.Item
	for n := range 700 {
		v := fmt.Sprintf("p%d", n)
		a := fixture.Account(v, v+"@x.io", v)
		a["about"] = sdk.S(strings.Repeat("x", 3900))
		rows = append(rows, a, fixture.Lock("EMAIL", v+"@x.io"), fixture.Lock("HANDLE", v))
	}
	f.Put("town", rows...)
	table = f.Open("town", described)
	all = read(t, browse.New(table))
	for _, far = range slices.Backward(all.Relations) {
		if far.Constraint.Name == "username" && far.Verdict == verdict.Held {
			return table, all, far
		}
	}
	t.Fatal("nothing is held")
	return nil, all, nil
}

// of returns the relations of a value in a view.
func of(v browse.View, value string) []*verdict.Relation {
	return slices.DeleteFunc(slices.Clone(v.Relations), func(r *verdict.Relation) bool { return r.Value != value })
}

// first reads the first page, and returns the view and the requests.
func first(t *testing.T, f *fixture.Tables, b *browse.Browser) (browse.View, []string) {
	t.Helper()
	f.Requests()
	v, err := b.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v, f.Requests()
}

// Include reads an account of a late page together with the first page, by one more request. Its row has a new verdict,
// and comes after the rows of the page. The page of the account does not add it again.
func TestAnIncludedAccountIsReadWithTheFirstPage(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	table, whole, far := largeTown(f, t)
	plain, requests := first(t, f, browse.New(table))
	if len(of(plain, far.Value)) > 0 {
		t.Fatalf("%s is on the first page", far.Value)
	}
	if _, err := f.App().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String("town"), Key: fixture.Lock("HANDLE", far.Value),
	}); err != nil {
		t.Fatal(err)
	}

	b := browse.New(table)
	near := plain.Relations[0]
	b.Include(dynamo.Addresses("town", []attr.Key{far.Account.Key, far.Lock.Key, near.Account.Key}))
	now, sent := first(t, f, b)
	if len(sent) != len(requests)+1 {
		t.Errorf("the page took %s; without the account it takes %s", strings.Join(sent, ", "), strings.Join(requests, ", "))
	}
	if now.Scanned != plain.Scanned || now.Accounts != plain.Accounts+1 {
		t.Errorf("%d items and %d accounts; want %d and %d", now.Scanned, now.Accounts, plain.Scanned, plain.Accounts+1)
	}
	if last := now.Relations[len(now.Relations)-1]; last.Account == nil || !last.Account.Key.Equal(far.Account.Key) {
		t.Errorf("the last row is %s, not a value of the included account", last.Value)
	}
	now, _, err := b.JudgeTogether(t.Context(), func(r *verdict.Relation) bool { return r.Subject() == far.Subject() })
	if err != nil {
		t.Fatal(err)
	}
	if got := of(now, far.Value); len(got) != 1 || got[0].Verdict != verdict.Missing {
		t.Errorf("%s has %d rows; want one, missing", far.Value, len(got))
	}

	all := read(t, b)
	if all.Scanned != whole.Scanned-1 || all.Accounts != whole.Accounts || len(all.Relations) != len(whole.Relations) {
		t.Errorf("%d rows of %d items and %d accounts; want %d, %d and %d", len(all.Relations), all.Scanned, all.Accounts,
			len(whole.Relations), whole.Scanned-1, whole.Accounts)
	}
	if got := broken(all); got != "username "+far.Value+" missing" {
		t.Errorf("broken:\n%s", got)
	}
}

// An included lock is among the locks of the view. The account that claims it is on a later page, and its row shows
// this lock.
func TestAnIncludedLockIsReadWithTheFirstPage(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	table, whole, far := largeTown(f, t)
	b := browse.New(table)
	b.Include([]client.Address{{Table: "town", Key: far.Lock.Key}})
	locks := func(v browse.View) (n int) {
		for _, g := range v.Locks {
			for _, r := range g.Relations {
				if r.Lock.Key.Equal(far.Lock.Key) {
					n++
				}
			}
		}
		return n
	}
	if now, _ := first(t, f, b); locks(now) != 1 || len(of(now, far.Value)) > 0 {
		t.Errorf("the lock has %d rows, and its account %d", locks(now), len(of(now, far.Value)))
	}
	all := read(t, b)
	if got := of(all, far.Value); locks(all) != 1 || len(got) != 1 || got[0].Verdict != verdict.Held {
		t.Errorf("at the end the lock has %d rows, and its account %d", locks(all), len(got))
	}
	if len(all.Items) != len(whole.Items) || broken(all) != "" {
		t.Errorf("%d items; want %d; broken: %s", len(all.Items), len(whole.Items), broken(all))
	}
}

// If a table is read to its end anyway, included items cause no further reads.
func TestNothingIsIncludedInASmallTable(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	_, _, far := largeTown(f, t)
	table := f.Open("town", described, func(o *dynamo.Options) { o.AutoReadUnits = 1e6 })
	_, plain := first(t, f, browse.New(table))
	b := browse.New(table)
	b.Include(dynamo.Addresses("town", []attr.Key{far.Account.Key}))
	if _, sent := first(t, f, b); len(sent) != len(plain) {
		t.Errorf("the page took %s; without the account it takes %s", strings.Join(sent, ", "), strings.Join(plain, ", "))
	}
	if got := of(read(t, b), far.Value); len(got) != 1 {
		t.Errorf("%s has %d rows", far.Value, len(got))
	}
}
