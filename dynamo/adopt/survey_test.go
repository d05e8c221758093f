package adopt_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/fixture"
)

// owned is a lock that names its account.
func owned(v, owner string) sdk.Item {
	lock := fixture.Lock("EMAIL", v)
	lock["type"] = sdk.S("lock")
	if owner != "" {
		lock["owner"] = sdk.S(owner)
	}
	return lock
}

// The survey finds exactly the problems of a table, even among many healthy accounts with and without locks.
func TestSurvey(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	var items []sdk.Item
	for n := range 200 {
		email := fmt.Sprintf("p%d@x.io", n)
		if items = append(items, fixture.Account(fmt.Sprint(n), email, email)); n%2 == 0 {
			items = append(items, owned(email, fmt.Sprint(n)))
		}
	}
	items = append(
		items,
		// These two accounts hold one value, which has no lock.
		fixture.Account("d1", "two@x.io", "a"), fixture.Account("d2", "TWO@x.io", "b"),
		fixture.Account("e1", "mine@x.io", "c"), fixture.Account("e2", "mine@x.io", "d"), owned("mine@x.io", "e2"),
		fixture.Account("f1", "none@x.io", "e"), owned("none@x.io", ""),
		fixture.Account("g1", "other@x.io", "g"), owned("other@x.io", "f1"),
		fixture.Account("h1", "null", "h"),
		owned("orphan@x.io", "gone"),
	)
	r := open(t, f.Describe("people", rule(), items...))
	f.Requests()
	var kinds []string
	sum, err := adopt.Survey(t.Context(), r, setting.Options{}, func(p adopt.Problem) {
		kinds = append(kinds, fmt.Sprintf("%s %s %d %v %s", p.Kind, p.Value, len(p.Accounts), p.LockExists, p.Owner))
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(kinds)
	want := []string{
		"duplicate-value mine@x.io 2 true e2", "duplicate-value two@x.io 2 false ",
		"foreign-lock none@x.io 1 true ", "foreign-lock other@x.io 1 true f1", "unfit-value null 1 false ",
	}
	if !slices.Equal(kinds, want) {
		t.Errorf("it found\n%q\nwant\n%q", kinds, want)
	}
	if sum.Duplicates != 2 || sum.ForeignLocks != 2 || sum.Unfit != 1 || sum.ToWrite != 100 || sum.Values != 206 ||
		sum.Locks != 104 || sum.Accounts != 207 || sum.WriteUnits != 400 || !sum.Complete() {
		t.Errorf("the figures are %+v", sum)
	}
	for _, operation := range f.Requests() {
		if slices.Contains([]string{"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem"}, operation) {
			t.Errorf("the survey sent %s", operation)
		}
	}
}

// A table without problems is read once.
func TestSurveyReadsAHealthyTableOnce(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("locks", "PK:S", "SK:S")
	account := rule()
	account.Constraints[0].Table, account.Constraints[0].AlsoIn = "locks", &[]string{}
	f.Create("people", "PK:S", "SK:S")
	f.Put("people", fixture.Account("1", "ada@x.io", "ada"), fixture.Account("2", "bob@x.io", "bob"))
	f.Put("locks", owned("ada@x.io", "1"))
	r := open(t, f.Open("people", fixture.Described(fixture.Layout("people", account))))
	f.Requests()
	sum, err := adopt.Survey(t.Context(), r, setting.Options{Segments: 1}, nil, nil)
	if err != nil || sum.ToWrite != 1 || sum.Problems() != 0 || sum.Locks != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
	if scans := slices.DeleteFunc(f.Requests(), func(name string) bool { return name != "Scan" }); len(scans) != 2 {
		t.Errorf("it sent %d scans", len(scans))
	}
}

// The lock of an account that expires has no TTL, because it must not expire before its account. The survey counts it.
func TestLocksDoNotExpire(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	expiring := fixture.Account("1", "ada@x.io", "ada")
	expiring["ttl"] = sdk.N("4102444800")
	f.Create("people", "PK:S", "SK:S")
	f.Put("people", expiring, fixture.Account("2", "bob@x.io", "bob"))
	if err := sdk.Expire(t.Context(), f.App(), "people", "ttl"); err != nil {
		t.Fatal(err)
	}
	r := open(t, f.Open("people", fixture.Described(fixture.Layout("people", rule()))))
	w := r.Wants(attr.Item{
		"PK": attr.String("ACCT#1"), "SK": attr.String("PROFILE"), "email": attr.String("ada@x.io"),
		"ttl": attr.Number("4102444800"),
	})
	if len(w) != 1 || w[0].Item["ttl"].Exists() || !slices.Contains(w[0].Rests, "ttl") {
		t.Errorf("the lock is %+v", w)
	}
	sum, err := adopt.Survey(t.Context(), r, setting.Options{}, func(adopt.Problem) {}, nil)
	if err != nil || sum.Expiring != 1 || sum.ToWrite != 2 {
		t.Errorf("the survey says %+v, %v", sum, err)
	}
}

// The id of an account can contain the time since which it holds a value. An attribute whose name speaks of creation is
// more certain.
func TestSurveySaysSinceWhen(t *testing.T) {
	t.Parallel()
	made, joined := time.Date(2025, 3, 1, 10, 0, 0, 0, time.UTC), time.Date(2025, 2, 1, 10, 0, 0, 0, time.UTC)
	byID := fixture.Account(ulid.MustNew(ulid.Timestamp(made), nil).String(), "two@x.io", "a")
	dated := fixture.Account("b", "two@x.io", "b")
	dated["createdAt"] = sdk.S(joined.Format(time.RFC3339))
	r := open(t, fixture.New(t).Describe("people", rule(), byID, dated))
	since := map[string]time.Time{}
	if _, err := adopt.Survey(t.Context(), r, setting.Options{}, func(p adopt.Problem) {
		for _, h := range p.Accounts {
			if h.Since != nil {
				since[h.By] = *h.Since
			}
		}
	}, nil); err != nil {
		t.Fatal(err)
	}
	if len(since) != 2 || !since["id"].Equal(made) || !since["createdAt"].Equal(joined) {
		t.Errorf("since when: %v", since)
	}
}
