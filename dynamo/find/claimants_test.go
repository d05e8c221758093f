package find_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
)

// members describes a table of members. Each constraint has its own lock table.
func members(table string, constraints ...string) config.Layout {
	l := config.Layout{Name: table, Tables: []string{table}, Accounts: []config.Account{{PK: "{id}"}}}
	for _, name := range constraints {
		l.Accounts[0].Constraints = append(l.Accounts[0].Constraints,
			config.Constraint{Attribute: name, Table: table + "_" + name, PK: "{v}", Owner: "owner"})
	}
	return l
}

func openMembers(f *fixture.Tables, table string, constraints ...string) *dynamo.Table {
	f.T.Helper()
	return f.Open(table, func(o *dynamo.Options) { o.Layouts = []config.Layout{members(table, constraints...)} })
}

// Two lock tables may have locks under the same key. An account that claims one of them does not
// claim the other.
func TestOneKeyInTwoLockTables(t *testing.T) {
	f := fixture.New(t)
	f.Create("club", "id:S", "")
	f.Create("club_email", "v:S", "")
	f.Create("club_username", "v:S", "")
	f.Put("club", sdk.Item{"id": sdk.S("1"), "username": sdk.S("alan"), "email": sdk.S("a@x.io")})
	f.Put("club_username", sdk.Item{"v": sdk.S("alan"), "owner": sdk.S("1")})
	f.Put("club_email", sdk.Item{"v": sdk.S("alan")}, sdk.Item{"v": sdk.S("a@x.io"), "owner": sdk.S("1")})
	a, err := find.Find(t.Context(), openMembers(f, "club", "email", "username"), "alan", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdicts(a); got != "email unknown, username held" || !a.Complete {
		t.Errorf("%s; complete: %v", got, a.Complete)
	}
	if r := a.Locks[0]; r.Asks == nil || len(r.Claimants) > 0 {
		t.Errorf("the lock of the email has the claimants %+v: %s", r.Claimants, r.Why)
	}
}

// An answer keeps the first claimants of a value, and the number of the others.
func TestFindManyClaimants(t *testing.T) {
	f := fixture.New(t)
	const many = 310
	f.Create("crowd", "id:S", "")
	f.Create("crowd_email", "v:S", "")
	for n := range many {
		f.Put("crowd", sdk.Item{"id": sdk.S(fmt.Sprint(n)), "email": sdk.S("n/a"), "nick": sdk.S("none")})
	}
	f.Put("crowd_email", sdk.Item{"v": sdk.S("n/a"), "owner": sdk.S("7")})
	l := members("crowd", "email")
	l.Accounts[0].Constraints = append(l.Accounts[0].Constraints, config.Constraint{Attribute: "nick", Unique: true})
	table := f.Open("crowd", func(o *dynamo.Options) { o.Layouts = []config.Layout{l} })
	for query, of := range map[string]func(*find.Answer) []*verdict.Relation{
		"n/a":  func(a *find.Answer) []*verdict.Relation { return a.Locks },
		"none": func(a *find.Answer) []*verdict.Relation { return a.Unlocked },
	} {
		a, err := find.Find(t.Context(), table, query, find.Options{Scan: true})
		if err != nil {
			t.Fatal(err)
		}
		r := of(a)[0]
		if r.Verdict != verdict.Duplicate || len(r.Claimants) > 100 || r.ClaimantCount() != many || len(a.Accounts) > 100 {
			t.Errorf("%s: %s, %d claimants and %d more, %d accounts", query, r.Verdict, len(r.Claimants), r.MoreClaimants,
				len(a.Accounts))
		}
		if !strings.HasPrefix(r.Sentence(), "310 accounts hold the ") {
			t.Errorf("%s: %s", query, r.Sentence())
		}
	}
}

// A table may have more locks than a search can keep claimants for. The answer says so.
func TestFindSaysWhatItDidNotKeep(t *testing.T) {
	f := fixture.New(t)
	f.Create("large", "id:S", "")
	f.Create("large_emails", "v:S", "")
	f.Create("large_username", "v:S", "")
	for n := range 201 {
		var emails []string
		for m := range 1000 {
			emails = append(emails, fmt.Sprintf("%d-%d@x.io", n, m))
		}
		f.Put("large", sdk.Item{
			"id": sdk.S(fmt.Sprint(n)), "username": sdk.S(fmt.Sprint("name", n)),
			"emails": &types.AttributeValueMemberSS{Value: emails},
		})
	}
	f.Put("large", sdk.Item{"id": sdk.S("ada"), "username": sdk.S("ada"), "emails": sdk.S("ada@x.io")})
	a, err := find.Find(t.Context(), openMembers(f, "large", "emails", "username"), "ada", find.Options{Scan: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := values(a); got != "ada: emails missing, username missing" || a.Complete ||
		!strings.Contains(a.Note(), "more than 200,000 locks") {
		t.Errorf("%s; complete: %v; %q", got, a.Complete, a.Note())
	}
}
