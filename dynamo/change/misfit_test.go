package change_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// create makes a table with indexes on these attributes.
func (f *fixture) create(table string, indexes ...string) {
	f.t.Helper()
	in := sdk.Table(table, "PK:S", "SK:S")
	for _, attribute := range indexes {
		sdk.Indexed(in, attribute+":S")
	}
	if err := sdk.Fill(f.t.Context(), f.App(), in); err != nil {
		f.t.Fatal(err)
	}
}

func row(pk, sk string, more ...string) item {
	i := item{"PK": str(pk), "SK": str(sk)}
	for n := 0; n < len(more); n += 2 {
		i[more[n]] = str(more[n+1])
	}
	return i
}

func emailLock(v string) item { return row("UNIQ#EMAIL#"+v, "LOCK") }

func configured(constraints ...config.Constraint) func(*dynamo.Options) {
	return func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"odd"}, Accounts: []config.Account{{PK: "ACCT#{id}", SK: "PROFILE", Constraints: constraints}}}}
	}
}

// uniqPreset names the preset of the accounts and locks in most tests.
func uniqPreset(o *dynamo.Options) { o.Layout = "uniq" }

// accepted opens a table with its guessed layout as the layout of the config.
func (f *fixture) accepted(table string, change ...func(*dynamo.Options)) *dynamo.Table {
	f.t.Helper()
	t := f.open(table, change...)
	if t.Layout.Empty() || t.Layout.State() == layout.Described {
		return t
	}
	config := config.Of(t.Layout, table)
	config.Name = "mine"
	return f.open(table, append(change, func(o *dynamo.Options) { o.Layouts = append(o.Layouts, config) })...)
}

// A layout that does not fit its table releases no lock. In each case, somebody holds the value in a way that the
// layout does not describe.
func TestAMisfitFreesNothing(t *testing.T) {
	t.Parallel()
	live := emailLock("ada@x.io")
	for name, tc := range map[string]struct {
		items  []item
		layout func(*dynamo.Options)
	}{
		"the attribute has another name": {items: []item{row("ACCT#1", "PROFILE", "emailAddress", "ada@x.io"), live}},
		"and another account has a handle": {items: []item{
			row("ACCT#1", "PROFILE", "mail", "ada@x.io", "username", "ada"), live, handle("ada"),
		}},
		"two kinds of account": {items: []item{
			row("USER#1", "PROFILE", "email", "u@x.io", "username", "u"), emailLock("u@x.io"), handle("u"),
			row("ORG#1", "PROFILE", "email", "ada@x.io"), live,
		}},
		"sort keys that differ": {items: []item{
			row("ACCT#1", "CREATED#1", "email", "a@x.io"), emailLock("a@x.io"),
			row("ACCT#2", "CREATED#2", "email", "ada@x.io"), live,
		}},
		"the attribute was renamed half way": {items: []item{
			row("ACCT#1", "PROFILE", "email", "a@x.io"), emailLock("a@x.io"), row("ACCT#2", "PROFILE", "emailAddress", "ada@x.io"), live,
		}},
		"accounts that look like counters, too": {items: []item{
			{"PK": str("ACCT#1"), "SK": str("PROFILE"), "email": str("ada@x.io"), "lastId": num("7")},
			live,
			{"PK": str("ACCT#2"), "SK": str("PROFILE"), "email": str("b@x.io"), "lastId": num("8")},
			emailLock("b@x.io"),
		}},
		"the owner is written in another form": {items: []item{
			row("ACCT#9", "PROFILE", "email", "ada@x.io"), row("UNIQ#EMAIL#ada@x.io", "LOCK", "userId", "USR-9"),
			row("ACCT#8", "PROFILE", "email", "b@x.io"), row("UNIQ#EMAIL#b@x.io", "LOCK", "userId", "USR-8"),
		}, layout: uniqPreset},
		"the application folds case": {items: []item{row("ACCT#1", "PROFILE", "email", "Ada@X.io"), live, row("ACCT#2", "PROFILE", "email", "b@x.io"), emailLock("b@x.io")}},
		"two constraints keep their values together": {
			items:  []item{row("ACCT#1", "PROFILE", "email", "b@x.io", "recovery", "ada@x.io"), emailLock("b@x.io"), live},
			layout: configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}, config.Constraint{Attribute: "recovery", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}),
		},
		"the value stands in a map": {
			items:  []item{{"PK": str("ACCT#1"), "SK": str("PROFILE"), "email": mapOf("address", str("Ada@X.io"))}, live},
			layout: configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Normalise: []string{"lower"}}),
		},
		"one of the values stands in a map": {
			items: []item{{"PK": str("ACCT#1"), "SK": str("PROFILE"), "email": &types.AttributeValueMemberL{Value: []types.AttributeValue{
				str("c@x.io"), mapOf("address", str("ada@x.io")),
			}}}, live},
			layout: configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}),
		},
		"the owner's value stands in a map": {
			items:  []item{{"PK": str("ACCT#1"), "SK": str("PROFILE"), "email": mapOf("address", str("ada@x.io"))}, row("UNIQ#EMAIL#ada@x.io", "LOCK", "userId", "1")},
			layout: configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "userId"}),
		},
		"the owner's key cannot be made": {
			items: []item{row("TENANT#9", "USER#1", "email", "ada@x.io"), row("UNIQ#EMAIL#ada@x.io", "LOCK", "userId", "1")},
			layout: func(o *dynamo.Options) {
				o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"odd"}, Accounts: []config.Account{{
					PK: "TENANT#{tenant}", SK: "USER#{id}", Constraints: []config.Constraint{{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "userId"}},
				}}}}
			},
		},
	} {
		for _, ceiling := range []float64{500, 0.001} {
			t.Run(fmt.Sprint(name, "/", ceiling), func(t *testing.T) {
				f := start(t)
				f.create("odd")
				for _, i := range tc.items {
					f.put("odd", i)
				}
				options := func(o *dynamo.Options) {
					o.AutoReadUnits = ceiling
					if tc.layout != nil {
						tc.layout(o)
					}
				}
				table := f.accepted("odd", options)
				constraint := "email"
				if _, c := table.Layout.Constraint(constraint); c == nil {
					constraint = table.Layout.Constraints()[0].Name // the name that the guess has found
				}
				p, err := f.plan(table, constraint, "ada@x.io")
				if err == nil {
					r := f.changer.Apply(context.Background(), p, nil)
					if r.Outcome != journal.Refused {
						t.Errorf("release of a live value: %s", r.Outcome)
					}
				} else if _, refused := errors.AsType[*plan.Refusal](err); !refused {
					t.Fatal(err)
				}
				left := f.get("odd", item{"PK": str("UNIQ#EMAIL#ada@x.io"), "SK": str("LOCK")})
				if left == nil {
					t.Error("the lock is gone")
				}
				if left[schema.MarkAttribute] != nil {
					t.Error("a mark is left")
				}
				a, err := find.Find(t.Context(), table, "ada@x.io", find.Options{Scan: true})
				if err != nil {
					t.Fatal(err)
				}
				for _, rel := range a.Locks {
					if rel.Constraint.Name == constraint && (rel.Verdict == verdict.Orphaned || rel.Verdict == verdict.Stale) {
						t.Errorf("find calls it %s", rel.Verdict)
					}
				}
			})
		}
	}
}

// If no account claims most locks of a constraint, the layout is wrong. Here the table has only locks.
func TestATableOfLocksFreesNothing(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	for n := range 30 {
		f.put("odd", emailLock(fmt.Sprintf("p%d@x.io", n)))
	}
	_, err := f.plan(f.accepted("odd", uniqPreset), "email", "p7@x.io")
	if r, ok := errors.AsType[*plan.Refusal](err); !ok || codes(r.Reasons) != plan.Misfit {
		t.Errorf("%v; want it refused as a misfit", err)
	}
	if f.get("odd", emailLock("p7@x.io")) == nil {
		t.Error("the lock is gone")
	}
}

// Case distinguishes values here, and each account has its own lock. A lock that no account claims is released after
// one answer.
func TestASpellingThatNobodyHoldsIsReleased(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	for _, i := range []item{row("ACCT#1", "PROFILE", "username", "Ada"), handle("Ada"), row("ACCT#2", "PROFILE", "username", "b"), handle("b"), handle("ada")} {
		f.put("odd", i)
	}
	table := f.accepted("odd", func(o *dynamo.Options) { o.Answers = filepath.Join(t.TempDir(), "answers.jsonl") })
	_, err := f.plan(table, "username", "ada")
	refused, ok := errors.AsType[*plan.Refusal](err)
	if !ok || codes(refused.Reasons) != plan.Asked {
		t.Fatalf("%v; want a question: the application may fold case", err)
	}
	if err := refused.Reasons[0].Asks.Answer(layout.HoldNot); err != nil {
		t.Fatal(err)
	}
	if r := f.changer.Apply(t.Context(), f.mustPlan(table, "username", "ada"), nil); r.Outcome != journal.Applied {
		t.Errorf("%s %v; want applied", r.Outcome, r.Reasons)
	}
	if f.get("odd", handle("Ada")) == nil {
		t.Error("the lock of Ada is gone")
	}
}

// Other items of ordinary tables do not prevent the release of an orphaned lock. Only an item with the lock's value
// does: the release asks once what such items are.
func TestAStuckLockIsReleasedFromOrdinaryTables(t *testing.T) {
	t.Parallel()
	healthy := []item{
		row("ACCT#1", "PROFILE", "email", "a@x.io", "username", "a"), emailLock("a@x.io"), handle("a"),
		row("ACCT#2", "PROFILE", "email", "b@x.io", "username", "b"), emailLock("b@x.io"), handle("b"),
	}
	for name, tc := range map[string]struct {
		items []item
		asks  layout.Place // the place of the question
	}{
		"nothing else":                     {},
		"an audit row":                     {items: []item{row("AUDIT#1", "2026", "username", "alan")}, asks: layout.Place{Items: "AUDIT#*/*", Attribute: "username"}},
		"an order":                         {items: []item{row("ORDER#1", "META", "email", "alan@x.io", "buyer", "alan")}, asks: layout.Place{Items: "ORDER#*/META", Attribute: "buyer"}},
		"a nested text":                    {items: []item{{"PK": str("ORDER#1"), "SK": str("META"), "to": &types.AttributeValueMemberM{Value: item{"handle": str("Alan")}}}}, asks: layout.Place{Items: "ORDER#*/META", Attribute: "to.handle"}},
		"a sentence":                       {items: []item{row("NOTE#1", "META", "text", "Alan called")}, asks: layout.Place{Items: "NOTE#*/META", Attribute: "text"}},
		"a key":                            {items: []item{row("SESSION#alan", "2026")}, asks: layout.Place{Items: "SESSION#*/*", Attribute: "key"}},
		"orders under the account's key":   {items: []item{row("ACCT#1", "ORDER#1", "email", "a@x.io"), row("ACCT#1", "ORDER#2", "email", "a@x.io")}},
		"an account that shows the name":   {items: []item{row("ACCT#3", "PROFILE", "username", "c", "displayName", "alan"), handle("c")}, asks: layout.Place{Items: "ACCT#*/PROFILE", Attribute: "displayName"}},
		"an account with another spelling": {items: []item{row("ACCT#3", "PROFILE", "username", "Alan"), handle("Alan")}, asks: layout.Place{Items: "ACCT#*/PROFILE", Attribute: "username"}},
		"an item with a numeric attribute": {items: []item{{"PK": str("STATS"), "SK": str("x"), "lastId": num("1")}}},
	} {
		for _, answer := range []layout.Answer{layout.Hold, layout.HoldNot} {
			t.Run(name+", "+string(answer), func(t *testing.T) {
				f := start(t)
				f.create("odd")
				for _, i := range append(append([]item{handle("alan")}, healthy...), tc.items...) {
					f.put("odd", i)
				}
				table := f.open("odd", configured(
					config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"},
					config.Constraint{Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"}),
					func(o *dynamo.Options) { o.Answers = filepath.Join(t.TempDir(), "answers.jsonl") })
				want := journal.Applied
				for n := range 5 { // each attempt gets the same question
					if tc.asks.Items == "" {
						break
					}
					_, err := f.plan(table, "username", "alan")
					refused, ok := errors.AsType[*plan.Refusal](err)
					if !ok || codes(refused.Reasons) != plan.Asked {
						t.Fatalf("try %d: %v; it has to ask for %v", n, err, tc.asks)
					}
					asks := refused.Reasons[0].Asks
					if asks.Items != tc.asks.Items || asks.Attribute != tc.asks.Attribute || asks.Table != "odd" {
						t.Fatalf("it asks for %v; want %v", asks.Place, tc.asks)
					}
					if n == 4 {
						if err := asks.Answer(answer); err != nil {
							t.Fatal(err)
						}
					}
				}
				if tc.asks.Items != "" && answer == layout.Hold {
					want = journal.Refused
				}
				p, err := f.plan(table, "username", "alan")
				if refused, ok := errors.AsType[*plan.Refusal](err); ok {
					if want != journal.Refused || codes(refused.Reasons) != plan.Held {
						t.Errorf("%v; want %s", err, want)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != want {
					t.Errorf("%s %v %v; want %s", r.Outcome, r.Reasons, r.Err, want)
				}
			})
		}
	}
}

// Accounts of a kind that the layout does not describe hold values, too.
func TestAccountsOfAnotherKindKeepTheirLocks(t *testing.T) {
	t.Parallel()
	for _, orgs := range []int{1, 3} {
		f := start(t)
		f.create("odd")
		for n := range 9 {
			user, org := fmt.Sprintf("u%d@x.io", n), fmt.Sprintf("o%d@x.io", n)
			for _, i := range []item{row(fmt.Sprintf("ACCT#%d", n), "PROFILE", "email", user), emailLock(user)} {
				f.put("odd", i)
			}
			if n < orgs {
				f.put("odd", row(fmt.Sprintf("ORG#%d", n), "PROFILE", "email", org))
				f.put("odd", emailLock(org))
			}
		}
		p, err := f.plan(f.accepted("odd"), "email", "o0@x.io")
		if err == nil {
			if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused {
				t.Errorf("%d: %s", orgs, r.Outcome)
			}
		}
		if f.get("odd", emailLock("o0@x.io")) == nil {
			t.Fatalf("%d: the lock of a live account is gone", orgs)
		}
	}
}

// TTL has deleted most accounts, but none of their locks.
func TestLocksAreReleasedAfterAPurge(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	for n := range 40 {
		v := fmt.Sprintf("p%d", n)
		f.put("odd", handle(v))
		if n%4 == 0 {
			f.put("odd", row(fmt.Sprintf("ACCT#%d", n), "PROFILE", "username", v))
		}
	}
	for v, want := range map[string]journal.Outcome{"p1": journal.Applied, "p39": journal.Applied} {
		if r := f.changer.Apply(t.Context(), f.mustPlan(f.accepted("odd"), "username", v), nil); r.Outcome != want {
			t.Errorf("%s: %s %v", v, r.Outcome, r.Reasons)
		}
	}
	if _, err := f.plan(f.accepted("odd"), "username", "p4"); err == nil {
		t.Error("p4 is held")
	}
}
