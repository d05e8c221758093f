package change_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout"
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

func configured(constraints ...layout.ConstraintConfig) func(*dynamo.Options) {
	return func(o *dynamo.Options) {
		o.Layouts = []layout.Config{{Name: "mine", Tables: []string{"odd"}, Accounts: []layout.AccountConfig{{PK: "ACCT#{id}", SK: "PROFILE", Constraints: constraints}}}}
	}
}

// A layout that does not fit its table frees nothing: in each of these somebody
// holds the value, in a way that the layout does not see.
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
		}},
		"the application folds case": {items: []item{row("ACCT#1", "PROFILE", "email", "Ada@X.io"), live, row("ACCT#2", "PROFILE", "email", "b@x.io"), emailLock("b@x.io")}},
		"two constraints keep their values together": {
			items:  []item{row("ACCT#1", "PROFILE", "email", "b@x.io", "recovery", "ada@x.io"), emailLock("b@x.io"), live},
			layout: configured(layout.ConstraintConfig{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}, layout.ConstraintConfig{Attribute: "recovery", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}),
		},
		"the value stands in a map": {
			items:  []item{{"PK": str("ACCT#1"), "SK": str("PROFILE"), "email": mapOf("address", str("Ada@X.io"))}, live},
			layout: configured(layout.ConstraintConfig{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Normalise: []string{"lower"}}),
		},
		"one of the values stands in a map": {
			items: []item{{"PK": str("ACCT#1"), "SK": str("PROFILE"), "email": &types.AttributeValueMemberL{Value: []types.AttributeValue{
				str("c@x.io"), mapOf("address", str("ada@x.io")),
			}}}, live},
			layout: configured(layout.ConstraintConfig{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}),
		},
		"the owner's value stands in a map": {
			items:  []item{{"PK": str("ACCT#1"), "SK": str("PROFILE"), "email": mapOf("address", str("ada@x.io"))}, row("UNIQ#EMAIL#ada@x.io", "LOCK", "userId", "1")},
			layout: configured(layout.ConstraintConfig{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "userId"}),
		},
		"the owner's key cannot be made": {
			items: []item{row("TENANT#9", "USER#1", "email", "ada@x.io"), row("UNIQ#EMAIL#ada@x.io", "LOCK", "userId", "1")},
			layout: func(o *dynamo.Options) {
				o.Layouts = []layout.Config{{Name: "mine", Tables: []string{"odd"}, Accounts: []layout.AccountConfig{{
					PK: "TENANT#{tenant}", SK: "USER#{id}", Constraints: []layout.ConstraintConfig{{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "userId"}},
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
				table := f.open("odd", options)
				constraint := "email"
				if _, c := table.Layout.Constraint(constraint); c == nil {
					constraint = table.Layout.Constraints()[0].Name // as the data shows it
				}
				p, err := f.plan(table, constraint, "ada@x.io")
				if err == nil {
					r := f.changer.Apply(context.Background(), p, nil)
					if r.Outcome != change.Refused {
						t.Errorf("release of a live value: %s", r.Outcome)
					}
				} else if _, refused := errors.AsType[*change.Refusal](err); !refused {
					t.Fatal(err)
				}
				left := f.get("odd", item{"PK": str("UNIQ#EMAIL#ada@x.io"), "SK": str("LOCK")})
				if left == nil {
					t.Error("the lock is gone")
				}
				if left[dynamo.MarkAttribute] != nil {
					t.Error("a marker is left")
				}
				a, err := table.Find(t.Context(), "ada@x.io", dynamo.FindOptions{Scan: true})
				if err != nil {
					t.Fatal(err)
				}
				for _, rel := range a.Locks {
					if rel.Constraint.Name == constraint && (rel.Verdict == dynamo.Orphaned || rel.Verdict == dynamo.Stale) {
						t.Errorf("find calls it %s", rel.Verdict)
					}
				}
			})
		}
	}
}

// Where most locks of a constraint belong to nobody it is the layout that is
// wrong: a table that holds nothing but locks.
func TestATableOfLocksFreesNothing(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	for n := range 30 {
		f.put("odd", emailLock(fmt.Sprintf("p%d@x.io", n)))
	}
	_, err := f.plan(f.open("odd"), "email", "p7@x.io")
	if r, ok := errors.AsType[*change.Refusal](err); !ok || codes(r.Reasons) != change.Misfit {
		t.Errorf("%v; want it refused as a misfit", err)
	}
	if f.get("odd", emailLock("p7@x.io")) == nil {
		t.Error("the lock is gone")
	}
}

// Two values that differ in case are two values: each account has its lock, so
// the one that nobody holds is released.
func TestASpellingThatNobodyHoldsIsReleased(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	for _, i := range []item{row("ACCT#1", "PROFILE", "username", "Ada"), handle("Ada"), row("ACCT#2", "PROFILE", "username", "b"), handle("b"), handle("ada")} {
		f.put("odd", i)
	}
	if r := f.changer.Apply(t.Context(), f.mustPlan(f.open("odd"), "username", "ada"), nil); r.Outcome != change.Applied {
		t.Errorf("%s %v; want applied", r.Outcome, r.Reasons)
	}
	if f.get("odd", handle("Ada")) == nil {
		t.Error("the lock of Ada is gone")
	}
}

// The last account is gone and so is everything else: its locks can be released where a
// person answers for the layout.
func TestTheLocksOfTheLastAccountAreReleased(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	f.put("odd", emailLock("ada@x.io"))
	f.put("odd", handle("ada"))
	trusted := func(o *dynamo.Options) { o.TrustLayout = true }
	for constraint, v := range map[string]string{"email": "ada@x.io", "username": "ada"} {
		if _, err := f.plan(f.open("odd"), constraint, v); err == nil {
			t.Errorf("%s is planned though there is no account", constraint)
		}
		p := f.mustPlan(f.open("odd", trusted), constraint, v)
		if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != change.Applied || !p.Trusted {
			t.Errorf("%s: %s %v, trusted %v", constraint, r.Outcome, r.Reasons, p.Trusted)
		}
	}
}

// What ordinary tables hold beside accounts and locks does not keep a stuck lock from
// being released, but for what holds its value: that asks once what it is.
func TestAStuckLockIsReleasedFromOrdinaryTables(t *testing.T) {
	t.Parallel()
	healthy := []item{
		row("ACCT#1", "PROFILE", "email", "a@x.io", "username", "a"), emailLock("a@x.io"), handle("a"),
		row("ACCT#2", "PROFILE", "email", "b@x.io", "username", "b"), emailLock("b@x.io"), handle("b"),
	}
	for name, tc := range map[string]struct {
		items []item
		asks  layout.Place // what it asks about first
	}{
		"nothing else":                     {},
		"an audit row":                     {items: []item{row("AUDIT#1", "2026", "username", "alan")}, asks: layout.Place{Table: "odd", Items: "AUDIT#*/*", Attribute: "username"}},
		"an order":                         {items: []item{row("ORDER#1", "META", "email", "alan@x.io", "buyer", "alan")}, asks: layout.Place{Table: "odd", Items: "ORDER#*/META", Attribute: "buyer"}},
		"a nested text":                    {items: []item{{"PK": str("ORDER#1"), "SK": str("META"), "to": &types.AttributeValueMemberM{Value: item{"handle": str("Alan")}}}}, asks: layout.Place{Table: "odd", Items: "ORDER#*/META", Attribute: "to.handle"}},
		"a key":                            {items: []item{row("SESSION#alan", "2026")}, asks: layout.Place{Table: "odd", Items: "SESSION#*/*", Attribute: "PK"}},
		"orders under the account's key":   {items: []item{row("ACCT#1", "ORDER#1", "email", "a@x.io"), row("ACCT#1", "ORDER#2", "email", "a@x.io")}},
		"an account that shows the name":   {items: []item{row("ACCT#3", "PROFILE", "username", "c", "displayName", "alan"), handle("c")}, asks: layout.Place{Table: "odd", Items: "ACCT#*/PROFILE", Attribute: "displayName"}},
		"an item with a numeric attribute": {items: []item{{"PK": str("STATS"), "SK": str("x"), "lastId": num("1")}}},
	} {
		for _, are := range []dynamo.Holding{dynamo.HoldsCopy, dynamo.HoldsAccount} {
			t.Run(name+", "+string(are), func(t *testing.T) {
				f := start(t)
				f.create("odd")
				for _, i := range append(append([]item{handle("alan")}, healthy...), tc.items...) {
					f.put("odd", i)
				}
				file := filepath.Join(t.TempDir(), "answers.jsonl")
				kept := func(o *dynamo.Options) { o.Answers, o.TrustLayout = file, true }
				want := change.Applied
				if tc.asks.Items != "" {
					r := f.changer.Apply(t.Context(), f.mustPlan(f.open("odd", kept), "username", "alan"), nil)
					if r.Outcome != change.Refused || codes(r.Reasons) != change.Held || !strings.Contains(r.Reasons[0].Text, tc.asks.Items+" "+tc.asks.Attribute+"'") {
						t.Fatalf("%s %v %v: it has to ask for %s %s", r.Outcome, r.Reasons, r.Err, tc.asks.Items, tc.asks.Attribute)
					}
					table, said := f.open("odd", kept), layout.HoldNot
					if are == dynamo.HoldsAccount {
						said = layout.Hold
					}
					if err := table.Answer(table.Layout.Constraints()[0], tc.asks, said); err != nil {
						t.Fatal(err)
					}
					if are == dynamo.HoldsAccount {
						want = change.Refused
					}
				}
				if r := f.changer.Apply(t.Context(), f.mustPlan(f.open("odd", kept), "username", "alan"), nil); r.Outcome != want {
					t.Errorf("%s %v %v; want %s", r.Outcome, r.Reasons, r.Err, want)
				}
			})
		}
	}
}

// Orders that repeat what accounts hold, many times over, need not be asked about, nor
// what holds texts that locks never keep.
func TestCopiesAreToldByTheirNumbers(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	for n := range 12 {
		v := fmt.Sprintf("u%d@x.io", n)
		f.put("odd", row(fmt.Sprintf("ACCT#%d", n), "PROFILE", "email", v))
		f.put("odd", emailLock(v))
		for m := range 6 {
			f.put("odd", row(fmt.Sprintf("ORDER#%d", 10*n+m), "META", "email", v))
		}
	}
	for n := range 120 {
		f.put("odd", row(fmt.Sprintf("NOTE#%d", n), "META", "text", fmt.Sprintf("note %d", n)))
	}
	f.put("odd", emailLock("gone@x.io"))
	f.put("odd", row("ORDER#999", "META", "email", "gone@x.io"))
	f.put("odd", row("NOTE#999", "META", "text", "gone@x.io"))
	f.put("odd", row("NOTE#1000", "META", "text", "mail gone@x.io back"))
	r := f.changer.Apply(t.Context(), f.mustPlan(f.open("odd"), "email", "gone@x.io"), nil)
	if r.Outcome != change.Applied {
		t.Errorf("%s %v %v", r.Outcome, r.Reasons, r.Err)
	}
	said := fmt.Sprint(r.Reads)
	for _, want := range []string{"1 ORDER#*/META item holds it under email (copy: 73 items hold 13 values there)", "(irrelevant: none of 121 other values there has a lock)", "1 longer text contains "} {
		if !strings.Contains(said, want) {
			t.Errorf("the receipt does not show %q: %s", want, said)
		}
	}
}

// Accounts of a kind that the layout was not told of hold values, too.
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
		for _, trust := range []bool{false, true} {
			table := f.open("odd", func(o *dynamo.Options) { o.TrustLayout = trust })
			p, err := f.plan(table, "email", "o0@x.io")
			if err == nil {
				if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != change.Refused {
					t.Errorf("%d, trusted %v: %s", orgs, trust, r.Outcome)
				}
			} else if want := orgs == 1; want {
				t.Errorf("%d, trusted %v: %v", orgs, trust, err)
			}
			if f.get("odd", emailLock("o0@x.io")) == nil {
				t.Fatalf("%d, trusted %v: the lock of a live account is gone", orgs, trust)
			}
		}
	}
}

// An expiry date deleted most accounts and none of their locks.
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
	for v, want := range map[string]change.Outcome{"p1": change.Applied, "p39": change.Applied} {
		if r := f.changer.Apply(t.Context(), f.mustPlan(f.open("odd"), "username", v), nil); r.Outcome != want {
			t.Errorf("%s: %s %v", v, r.Outcome, r.Reasons)
		}
	}
	if _, err := f.plan(f.open("odd"), "username", "p4"); err == nil {
		t.Error("p4 is held")
	}
}
