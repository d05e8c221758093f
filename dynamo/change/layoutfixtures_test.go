package change_test

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
)

// layoutFixture is a layout with its items, as an application writes them.
type layoutFixture struct {
	name string
	// hash and sort are the key names of the accounts' table; sort may be empty.
	hash, sort string
	// layout is the layout in the config; nil if the program has to recognise it.
	layout *config.Layout
	// locks is the table of the locks if it is not the accounts' table. key is its partition key.
	locks, key string
	constraint string
	account    func(id, email string) item
	lock       func(id, email string) item
}

const fixtureTable = "fixture"

func (k layoutFixture) lockTable() string {
	if k.locks != "" {
		return k.locks
	}
	return fixtureTable
}

// strs makes an item of strings.
func strs(pairs ...string) item {
	i := item{}
	for n := 0; n < len(pairs); n += 2 {
		i[pairs[n]] = str(pairs[n+1])
	}
	return i
}

func more(i item, more item) item {
	i = maps.Clone(i)
	maps.Copy(i, more)
	return i
}

func described(account config.Account) *config.Layout {
	return &config.Layout{Name: "ours", Tables: []string{fixtureTable}, Accounts: []config.Account{account}}
}

// layoutFixtures returns layouts of many kinds: with exact or folded keys, with a table of locks, with owners by id or
// by key, with scopes, and with more attributes in locks.
func layoutFixtures() []layoutFixture {
	profile := func(id, email string) item {
		return strs("PK", "ACCT#"+id, "SK", "PROFILE", "email", email, "name", "somebody", "username", "u-"+id)
	}
	uniq := func(con config.Constraint) *config.Layout {
		con.Attribute, con.PK, con.SK = "email", "UNIQ#EMAIL#{v}", "LOCK"
		return described(config.Account{PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{con}})
	}
	lower := strings.ToLower
	return []layoutFixture{
		{
			name: "uniq, recognised", hash: "PK", sort: "SK", constraint: "email",
			account: func(id, email string) item { i := profile(id, email); delete(i, "username"); return i },
			lock:    func(_, email string) item { return strs("PK", "UNIQ#EMAIL#"+email, "SK", "LOCK") },
		},
		{
			name: "owner as key", hash: "PK", sort: "SK", constraint: "email", layout: uniq(config.Constraint{Owner: "memberId"}), account: profile,
			lock: func(id, email string) item {
				return strs("PK", "UNIQ#EMAIL#"+email, "SK", "LOCK", "memberId", "ACCT#"+id)
			},
		},
		{
			name: "owner as id, with a discriminator", hash: "PK", sort: "SK", constraint: "email",
			layout:  uniq(config.Constraint{Owner: "userId", Is: &config.Discriminator{Attribute: "kind", Value: "lock"}}),
			account: profile,
			lock: func(id, email string) item {
				return strs("PK", "UNIQ#EMAIL#"+email, "SK", "LOCK", "userId", id, "kind", "lock")
			},
		},
		{
			name: "onetable, recognised", hash: "pk", sort: "sk", constraint: "email",
			account: func(id, email string) item {
				return strs("pk", "User#"+id, "sk", "User#", "_type", "User", "id", id, "email", email)
			},
			lock: func(_, email string) item {
				return strs("pk", "_unique#User#email#"+email, "sk", "_unique#", "_type", "_Unique")
			},
		},
		{
			name: "typedorm, recognised", hash: "PK", sort: "SK", constraint: "email",
			account: func(id, email string) item {
				return strs("PK", "USER#"+id, "SK", "USER#"+id, "__en", "user", "id", id, "email", email)
			},
			lock: func(_, email string) item {
				return strs("PK", "DRM_GEN_USER.EMAIL#"+email, "SK", "DRM_GEN_USER.EMAIL#"+email)
			},
		},
		{
			name: "electrodb constraint", hash: "pk", sort: "sk", constraint: "email",
			layout: described(config.Account{PK: "$mi6#id_{id}", SK: "$user_1", Constraints: []config.Constraint{{
				Attribute: "email", PK: "$mi6#value_{v}", SK: "$constraint_1#name_email#entity_user", Normalise: []string{"lower"},
			}}}),
			account: func(id, email string) item {
				return strs("pk", "$mi6#id_"+id, "sk", "$user_1", "id", id, "email", email, "__edb_e__", "user", "__edb_v__", "1")
			},
			lock: func(_, email string) item {
				return strs("pk", "$mi6#value_"+lower(email), "sk", "$constraint_1#name_email#entity_user",
					"name", "email", "value", email, "entity", "user", "__edb_e__", "constraint", "__edb_v__", "1")
			},
		},
		{
			name: "a lock table of its own", hash: "id", constraint: "email", locks: "index_user_by_email", key: "email",
			layout: described(config.Account{PK: "{id}", Constraints: []config.Constraint{{
				Attribute: "email", Table: "index_user_by_email", PK: "{v}", Owner: "id",
			}}}),
			account: func(id, email string) item { return strs("id", id, "email", email) },
			lock:    func(id, email string) item { return strs("email", email, "id", id) },
		},
		{
			name: "a scope", hash: "PK", sort: "SK", constraint: "email",
			layout: described(config.Account{PK: "USER#{id}", SK: "USER", Constraints: []config.Constraint{{
				Attribute: "contact.email", Name: "email", PK: "T#{tenant}#EMAIL#{v}", SK: "{pk}", Normalise: []string{"trim", "lower"},
			}}}),
			account: func(id, email string) item {
				return more(strs("PK", "USER#"+id, "SK", "USER", "tenant", "acme"), item{"contact": mapOf("email", str(email))})
			},
			lock: func(_, email string) item {
				key := "T#acme#EMAIL#" + lower(strings.TrimSpace(email))
				return strs("PK", key, "SK", key, "GSI1PK", "MAIL#"+lower(strings.TrimSpace(email)))
			},
		},
		{
			name: "a set of e-mails", hash: "PK", sort: "SK", constraint: "emails",
			layout: described(config.Account{PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{{
				Attribute: "emails", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "owner",
			}}}),
			account: func(id, email string) item {
				return more(strs("PK", "ACCT#"+id, "SK", "PROFILE"), item{"emails": &types.AttributeValueMemberSS{Value: []string{email, id + "@also.io"}}})
			},
			lock: func(id, email string) item {
				return strs("PK", "UNIQ#EMAIL#"+email, "SK", "LOCK", "owner", id)
			},
		},
	}
}

// laid makes the layoutFixture's tables, with six accounts.
func (k layoutFixture) laid(t *testing.T) (*fixture, *dynamo.Table) {
	t.Helper()
	f := start(t)
	f.createTable(fixtureTable, k.hash, k.sort)
	if k.locks != "" {
		f.createTable(k.locks, k.key, "")
	}
	for _, who := range people() {
		f.put(fixtureTable, k.account(who.id, who.email))
		f.put(k.lockTable(), k.lock(who.id, who.email))
		if k.constraint == "emails" {
			f.put(fixtureTable, k.lock(who.id, who.id+"@also.io"))
		}
	}
	return f, f.open(fixtureTable, k.options)
}

func (k layoutFixture) options(o *dynamo.Options) {
	if k.layout != nil {
		o.Layouts = []config.Layout{*k.layout}
	}
}

type person struct{ id, email string }

func people() []person {
	return []person{
		{"a1", "Ada@lovelace.io"},
		{"b2", "grace@navy.mil"},
		{"c3", "Katherine@nasa.test"},
		{"d4", "dorothy@nasa.test"},
		{"e5", "jean@eniac.test"},
		{"f6", "margaret@draper.test"},
	}
}

// createTable makes a table whose keys are strings; sort may be empty.
func (f *fixture) createTable(table, hash, sort string) {
	f.t.Helper()
	if sort != "" {
		sort += ":S"
	}
	if err := sdk.Fill(f.t.Context(), f.App(), sdk.Table(table, hash+":S", sort)); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) delete(table string, key item) {
	f.t.Helper()
	if _, err := f.App().DeleteItem(f.t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String(table), Key: key}); err != nil {
		f.t.Fatal(err)
	}
}

// keys returns the key attributes of an account or a lock.
func (k layoutFixture) keys(i item, names ...string) item {
	key := item{}
	for _, name := range names {
		if v, ok := i[name]; ok {
			key[name] = v
		}
	}
	return key
}

// accountKey and lockKey return the keys of a person's items.
func (k layoutFixture) accountKey(who person) item {
	return k.keys(k.account(who.id, who.email), k.hash, k.sort)
}

func (k layoutFixture) lockKey(who person) item {
	i := k.lock(who.id, who.email)
	if k.locks != "" {
		return k.keys(i, k.key)
	}
	return k.keys(i, k.hash, k.sort)
}

// value returns an account's value with its lock, as a screen shows them.
func (f *fixture) value(t *dynamo.Table, constraint, v string) *verdict.Relation {
	f.t.Helper()
	b := browse.New(t)
	for {
		view, err := b.Next(f.t.Context())
		if err != nil {
			f.t.Fatal(err)
		}
		for judged := 1; judged > 0; {
			if view, judged, err = b.JudgeTogether(f.t.Context(), nil); err != nil {
				f.t.Fatal(err)
			}
		}
		for _, r := range view.Relations {
			if r.Account != nil && r.Constraint.Name == constraint && r.Value == v && !b.Owes() {
				return r
			}
		}
		if view.Complete {
			f.t.Fatalf("no account holds the %s %q", constraint, v)
		}
	}
}

// planOf returns the plan of a change in the journal; nil if it cannot be read.
func planOf(r *journal.Record) *plan.Plan {
	e, err := plan.Load(r)
	if err != nil {
		return nil
	}
	return e.Plan
}

// apply applies a plan, and fails the test if the plan is not applied.
func (f *fixture) apply(p *plan.Plan, err error) change.Receipt {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
	r := f.changer.Apply(f.t.Context(), p, nil)
	if r.Outcome != journal.Applied || r.Err != nil {
		f.t.Fatalf("%s: %s %v %v", p, r.Outcome, r.Reasons, r.Err)
	}
	return r
}

// refused checks that a planner refused with a code, and that nothing was sent.
func (f *fixture) refused(code string, p *plan.Plan, err error) string {
	f.t.Helper()
	refusal, ok := errors.AsType[*plan.Refusal](err)
	if !ok || codes(refusal.Reasons) != code {
		f.t.Errorf("planned %v, %v; want %s", p, err, code)
		return ""
	}
	if n := f.writes(); n > 0 {
		f.t.Errorf("%d writes were sent", n)
	}
	return refusal.Reasons[0].Text
}

// sameItem compares items. The order of a set does not matter.
func sameItem(a, b item) bool {
	if len(a) != len(b) {
		return false
	}
	for name, v := range a {
		set, isSet := v.(*types.AttributeValueMemberSS)
		other, _ := b[name].(*types.AttributeValueMemberSS)
		switch {
		case isSet && other != nil:
			x, y := slices.Clone(set.Value), slices.Clone(other.Value)
			slices.Sort(x)
			slices.Sort(y)
			if !slices.Equal(x, y) {
				return false
			}
		case !reflect.DeepEqual(v, b[name]):
			return false
		}
	}
	return true
}
