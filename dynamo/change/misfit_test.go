package change_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/layout"
)

func (f *fixture) create(table string) {
	f.t.Helper()
	_, err := f.App().CreateTable(f.t.Context(), &dynamodb.CreateTableInput{
		TableName: &table, BillingMode: types.BillingModePayPerRequest,
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}, {AttributeName: aws.String("SK"), KeyType: types.KeyTypeRange},
		},
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS}, {AttributeName: aws.String("SK"), AttributeType: types.ScalarAttributeTypeS},
		},
	})
	if err != nil {
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
					t.Error("a mark is left")
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
	f := start(t)
	f.create("odd")
	for n := range 30 {
		f.put("odd", emailLock(fmt.Sprintf("p%d@x.io", n)))
	}
	r := f.changer.Apply(t.Context(), f.mustPlan(f.open("odd"), "email", "p7@x.io"), nil)
	if r.Outcome != change.Refused || codes(r.Reasons) != change.Incomplete {
		t.Errorf("%s %v; want refused, incomplete", r.Outcome, r.Reasons)
	}
}

// Two values that differ in case are two values: each account has its lock, so
// the one that nobody holds is released.
func TestASpellingThatNobodyHoldsIsReleased(t *testing.T) {
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

// The last account is gone and so is everything else: its locks can be released.
func TestTheLocksOfTheLastAccountAreReleased(t *testing.T) {
	f := start(t)
	f.create("odd")
	f.put("odd", emailLock("ada@x.io"))
	f.put("odd", handle("ada"))
	for constraint, v := range map[string]string{"email": "ada@x.io", "username": "ada"} {
		if r := f.changer.Apply(t.Context(), f.mustPlan(f.open("odd"), constraint, v), nil); r.Outcome != change.Applied {
			t.Errorf("%s: %s %v", constraint, r.Outcome, r.Reasons)
		}
	}
}

// What ordinary tables hold beside accounts and locks does not keep a stuck lock
// from being released.
func TestAStuckLockIsReleasedFromOrdinaryTables(t *testing.T) {
	healthy := []item{
		row("ACCT#1", "PROFILE", "email", "a@x.io", "username", "a"), emailLock("a@x.io"), handle("a"),
		row("ACCT#2", "PROFILE", "email", "b@x.io", "username", "b"), emailLock("b@x.io"), handle("b"),
	}
	for name, tc := range map[string]struct {
		items  []item
		layout func(*dynamo.Options)
	}{
		"nothing else":                     {},
		"an audit row":                     {items: []item{row("AUDIT#1", "2026", "username", "alan", "who", "alan")}},
		"an order":                         {items: []item{row("ORDER#1", "META", "email", "alan@x.io", "buyer", "alan")}},
		"orders under the account's key":   {items: []item{row("ACCT#1", "ORDER#1", "email", "a@x.io"), row("ACCT#1", "ORDER#2", "email", "a@x.io")}},
		"an account that shows the name":   {items: []item{row("ACCT#3", "PROFILE", "username", "c", "displayName", "alan"), handle("c")}},
		"an item with a numeric attribute": {items: []item{{"PK": str("STATS"), "SK": str("x"), "lastId": num("1")}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			f.create("odd")
			for _, i := range append(append([]item{handle("alan")}, healthy...), tc.items...) {
				f.put("odd", i)
			}
			if r := f.changer.Apply(t.Context(), f.mustPlan(f.open("odd"), "username", "alan"), nil); r.Outcome != change.Applied {
				t.Errorf("%s %v %v", r.Outcome, r.Reasons, r.Err)
			}
		})
	}
}

// Accounts of a kind that a preset was not told of hold values, too.
func TestAccountsOfAnotherKindKeepTheirLocks(t *testing.T) {
	f := start(t)
	f.create("odd")
	for n := range 9 {
		user, org := fmt.Sprintf("u%d@x.io", n), fmt.Sprintf("o%d@x.io", n)
		for _, i := range []item{
			row(fmt.Sprintf("ACCT#%d", n), "PROFILE", "email", user), emailLock(user),
			row(fmt.Sprintf("ORDER#%d", n), "META", "email", user),
		} {
			f.put("odd", i)
		}
		if n%3 == 0 {
			f.put("odd", row(fmt.Sprintf("ORG#%d", n), "PROFILE", "email", org))
			f.put("odd", emailLock(org))
		}
	}
	f.put("odd", emailLock("gone@x.io"))
	f.put("odd", row("ORDER#99", "META", "email", "gone@x.io"))
	for v, want := range map[string]change.Outcome{"o3@x.io": change.Refused, "gone@x.io": change.Applied} {
		r := f.changer.Apply(t.Context(), f.mustPlan(f.open("odd"), "email", v), nil)
		if r.Outcome != want {
			t.Errorf("%s: %s %v %v; want %s", v, r.Outcome, r.Reasons, r.Err, want)
		}
	}
}

// An expiry date deleted most accounts and none of their locks.
func TestLocksAreReleasedAfterAPurge(t *testing.T) {
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
