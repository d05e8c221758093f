package browse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo/browse"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
)

// people returns each row of a view as a short text, sorted by account.
func people(v browse.View) []string {
	var all []string
	for _, r := range v.Relations {
		line := r.Account.ID + " " + r.Value + " " + string(r.Verdict)
		if r.Provisional {
			line += "?"
		}
		all = append(all, fmt.Sprint(line, " ", len(r.Claimants)))
	}
	slices.Sort(all)
	return all
}

// Without locks, each value of an account is a row. The verdict is InUse or Duplicate.
func TestBrowseWithoutLocks(t *testing.T) {
	f := fixture.New(t)
	v := read(t, browse.New(f.Unlocked(config.Constraint{Normalise: []string{"lower"}})))
	want := []string{"1 ada@x.io in use 1", "2 twice@x.io duplicate 2", "3 twice@x.io duplicate 2"}
	if got := people(v); !slices.Equal(got, want) || v.Accounts != 3 || len(v.Locks) != 0 || strings.Count(broken(v), "duplicate") != 2 || len(v.Provisional()) != 0 {
		t.Errorf("%v", got)
	}
	for _, r := range v.Relations {
		if r.Lock.Exists || !strings.Contains(r.Sentence(), r.Value) || strings.Contains(r.Sentence()+r.Why, "its lock") {
			t.Errorf("%s %s", r.Sentence(), r.Why)
		}
		if r.Verdict == verdict.Duplicate && (len(r.Reads) != 1 || r.Reads[0].How != "transaction") {
			t.Errorf("%s rests on %+v", r.Value, r.Reads)
		}
	}
}

// If two accounts with the same value cannot be read at one moment, they may have held the value at different times.
func TestDuplicatesWithoutTransactionsAreProvisional(t *testing.T) {
	f := fixture.New(t)
	f.Unknown["TransactGetItems"] = true
	got := people(read(t, browse.New(f.Unlocked(config.Constraint{Normalise: []string{"lower"}}))))
	if want := []string{"1 ada@x.io in use 1", "2 twice@x.io duplicate? 2", "3 twice@x.io duplicate? 2"}; !slices.Equal(got, want) {
		t.Error(got)
	}
}

// While the table is read, one account gives up a value and another takes it. That is no duplicate.
func TestAValueThatMovesWhileItIsReadIsNoDuplicate(t *testing.T) {
	f := fixture.New(t)
	table := f.Unlocked(config.Constraint{})
	var rows []sdk.Item
	for n := range 700 {
		rows = append(rows, fixture.Person(fmt.Sprint("p", n), fmt.Sprintf("p%d@x.io", n)))
	}
	f.Put("people", rows...)
	b := browse.New(table)
	first := page(t, b)
	if first.Complete {
		t.Fatal("it was read in one page")
	}
	gave := first.Relations[0].Account.ID
	took := ""
	for n := 0; took == ""; n++ {
		if id := fmt.Sprint("p", n); !slices.ContainsFunc(first.Relations, func(r *verdict.Relation) bool { return r.Account.ID == id }) {
			took = id
		}
	}
	email := first.Relations[0].Value
	f.Put("people", fixture.Person(gave, "another@x.io"), fixture.Person(took, email))
	before := people(first)
	last := read(t, b)
	for _, r := range last.Relations {
		switch r.Account.ID {
		case gave:
			if r.Verdict != verdict.Unknown || !strings.Contains(r.Why, "changed during the reading") {
				t.Errorf("what it gave up is %s: %s", r.Verdict, r.Why)
			}
		case took:
			if r.Verdict != verdict.InUse || r.Value != email || len(r.Claimants) != 1 {
				t.Errorf("what it took is %s", r.Verdict)
			}
		}
	}
	if !slices.Equal(people(first), before) {
		t.Error("a view changed after it was given out")
	}
}

// If very many accounts hold one value, not all of them are read again with each page. Failed reads are repeated.
func TestManyAccountsOfOneValue(t *testing.T) {
	f := fixture.New(t)
	table := f.Unlocked(config.Constraint{})
	var rows []sdk.Item
	for n := range 700 {
		rows = append(rows, fixture.Person(fmt.Sprint("p", n), "all@x.io"))
	}
	f.Put("people", rows...)
	f.Requests()
	b := browse.New(table)
	f.Fail = true
	var v browse.View
	for tries := 0; !v.Complete; tries++ {
		if tries > 100 {
			t.Fatal("it does not come to an end")
		}
		v, _ = b.Next(t.Context())
	}
	sure, unsure := 0, 0
	for _, r := range v.Relations {
		switch {
		case r.Value != "all@x.io":
		case r.Verdict != verdict.Duplicate || r.Sentence() != `10 accounts or more hold the email "all@x.io".`:
			t.Fatalf("%s: %s", r.Verdict, r.Sentence())
		case r.Provisional:
			unsure++
		default:
			sure++
		}
	}
	if sure != 10 || unsure != 690 {
		t.Errorf("%d were read together, %d were met apart", sure, unsure)
	}
	if n := len(slices.DeleteFunc(f.Requests(), func(op string) bool { return op != "TransactGetItems" })); n > 4 {
		t.Errorf("accounts were read together %d times", n)
	}
}

// A deleted account no longer holds the value that an earlier page has shown.
func TestADeletedAccountIsNoSecondHolder(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	table := f.Unlocked(config.Constraint{})
	var rows []sdk.Item
	for n := range 700 {
		rows = append(rows, fixture.Person(fmt.Sprint("p", n), fmt.Sprintf("p%d@x.io", n%350)))
	}
	f.Put("people", rows...)
	b := browse.New(table)
	first := page(t, b)
	gone := first.Relations[slices.IndexFunc(first.Relations, func(r *verdict.Relation) bool { return r.Verdict == verdict.InUse && r.Account.ID[0] == 'p' })]
	if _, err := f.App().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("people"), Key: sdk.Item{"id": sdk.S(gone.Account.ID)}}); err != nil {
		t.Fatal(err)
	}
	for _, r := range read(t, b).Relations {
		if r.Value == gone.Value && r.Verdict == verdict.Duplicate {
			t.Errorf("%s is held by %s alone", r.Value, r.Account.ID)
		}
	}
}

// Inspect shows the values of an account that have no locks, with the same verdicts as the rows of the account.
func TestInspectWithoutLocks(t *testing.T) {
	f := fixture.New(t)
	table := f.Unlocked(config.Constraint{Normalise: []string{"lower"}})
	v := read(t, browse.New(table))
	for _, row := range v.Relations {
		in, err := browse.Inspect(t.Context(), table, table.Name, row.Account.Key, v.Relations...)
		if err != nil {
			t.Fatal(err)
		}
		if len(in.Values) != 1 || in.Values[0].Value != row.Value || in.Values[0].Verdict != row.Verdict || len(in.Values[0].Claimants) != len(row.Claimants) {
			t.Errorf("%s %s: %+v", row.Value, row.Verdict, in.Values)
		}
	}
	in, err := browse.Inspect(t.Context(), table, table.Name, v.Relations[0].Account.Key)
	if err != nil || len(in.Values) != 1 || in.Values[0].Verdict != verdict.InUse || in.Values[0].Why == "" {
		t.Errorf("by itself: %+v, %v", in, err)
	}
}
