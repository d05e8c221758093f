package change_test

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// The keys of locks in the versioned table. Its accounts have a version and a scope, and its locks name their owner.
const (
	adaMail   = "T#acme#EMAIL#ada@x.io"
	freshMail = "T#acme#EMAIL#new@x.io"
)

func user(id, email string) item {
	return more(strs("PK", "USER#"+id, "SK", "USER", "tenant", "acme", "email", email, "nick", "nick of "+id), item{"rev": num("7")})
}

func ownedMail(email, id string) item {
	return strs("PK", "T#acme#EMAIL#"+email, "SK", "LOCK", "userId", id, "kind", "lock")
}

func ownedNick(nick, id string) item {
	return strs("PK", "NICK#"+nick, "SK", "LOCK", "userId", id, "kind", "lock")
}

// versioned makes the table with six accounts and all their locks.
func versioned(t *testing.T) (*fixture, *dynamo.Table) {
	t.Helper()
	f := start(t)
	f.create("odd")
	for _, who := range []person{
		{"ada", "ada@x.io"}, {"bob", "bob@x.io"}, {"carol", "carol@x.io"}, {"dan", "dan@x.io"}, {"eve", "eve@x.io"}, {"fay", "fay@x.io"},
	} {
		f.put("odd", user(who.id, who.email))
		f.put("odd", ownedMail(who.email, who.id))
		f.put("odd", ownedNick("nick of "+who.id, who.id))
	}
	return f, f.versioned()
}

// versioned opens the table.
func (f *fixture) versioned(options ...func(*dynamo.Options)) *dynamo.Table {
	return f.open("odd", append(options, func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "ours", Tables: []string{"odd"}, Accounts: []config.Account{{
			PK: "USER#{id}", SK: "USER", Version: "rev", Constraints: []config.Constraint{
				{Attribute: "email", PK: "T#{tenant}#EMAIL#{v}", SK: "LOCK", Owner: "userId"},
				{Attribute: "nick", PK: "NICK#{v}", SK: "LOCK", Owner: "userId"},
			},
		}}}}
	})...)
}

// dump returns all items of a table, by their keys.
func (f *fixture) dump(table string) map[string]map[string]string {
	f.t.Helper()
	all := map[string]map[string]string{}
	out, err := f.App().Scan(f.t.Context(), &dynamodb.ScanInput{TableName: aws.String(table)})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, i := range out.Items {
		all[text(i["PK"])+"/"+text(i["SK"])] = texts(i)
	}
	return all
}

func texts(i item) map[string]string {
	plain := map[string]string{}
	for name, v := range i {
		plain[name] = text(v)
	}
	return plain
}

// planned is a change of the versioned table, with the facts that it depends on.
type planned struct {
	name  string
	begin func(*fixture) // makes the damage that the change repairs
	plan  func(*testing.T, *fixture, *dynamo.Table) (*plan.Plan, error)
	facts map[string]func(*fixture) // each makes one fact untrue; its name is the text of the refusal
}

func set(i item, name, v string) func(*fixture) {
	return func(f *fixture) { f.put("odd", more(i, strs(name, v))) }
}

func unset(i item, name string) func(*fixture) {
	return func(f *fixture) {
		i := maps.Clone(i)
		delete(i, name)
		f.put("odd", i)
	}
}

func gone(i item) func(*fixture) {
	return func(f *fixture) { f.delete("odd", at(i)) }
}

// at returns the key of an item.
func at(i item) item { return item{"PK": i["PK"], "SK": i["SK"]} }

func there(i item) func(*fixture) { return func(f *fixture) { f.put("odd", i) } }

func changes() []planned {
	ada, bob := user("ada", "ada@x.io"), user("bob", "bob@x.io")
	lock, nick := ownedMail("ada@x.io", "ada"), ownedNick("nick of ada", "ada")
	value := func(constraint, v string) func(*fixture, *dynamo.Table) *verdict.Relation {
		return func(f *fixture, t *dynamo.Table) *verdict.Relation { return f.value(t, constraint, v) }
	}
	mail := value("email", "ada@x.io")
	version := func(f *fixture) { f.put("odd", more(ada, item{"rev": num("8")})) }
	account := map[string]func(*fixture){
		"email is now else@x.io, and was ada@x.io": set(ada, "email", "else@x.io"),
		"tenant is now globex, and was acme":       set(ada, "tenant", "globex"),
		"rev is now 8, and was 7":                  version,
		"rev is gone":                              unset(ada, "rev"),
		"USER#ada / USER was deleted":              gone(ada),
	}
	and := func(more map[string]func(*fixture)) map[string]func(*fixture) {
		all := maps.Clone(account)
		maps.Copy(all, more)
		return all
	}
	foreign := ownedMail("ada@x.io", "bob")
	return []planned{
		{
			name: "recreate", begin: gone(lock),
			plan: func(t *testing.T, f *fixture, table *dynamo.Table) (*plan.Plan, error) {
				return mend.Repair(t.Context(), table, mail(f, table))
			},
			facts: and(map[string]func(*fixture){
				adaMail + " / LOCK was created after you looked": there(ownedMail("ada@x.io", "bob")),
			}),
		},
		{
			name: "give", begin: there(foreign),
			plan: func(t *testing.T, f *fixture, table *dynamo.Table) (*plan.Plan, error) {
				return planner.Give(t.Context(), table, mail(f, table))
			},
			facts: and(map[string]func(*fixture){
				"userId is now carol, and was bob":         set(foreign, "userId", "carol"),
				"kind is now lease, and was lock":          set(foreign, "kind", "lease"),
				adaMail + " / LOCK was deleted":            gone(foreign),
				"somebody has begun to release " + adaMail: set(foreign, schema.MarkAttribute, "x"),
				"email is now ada@x.io, and was bob@x.io":  set(bob, "email", "ada@x.io"),
				"USER#bob / USER was deleted":              gone(bob),
			}),
		},
		{
			name: "give, of an account that is gone", begin: func(f *fixture) { there(foreign)(f); gone(bob)(f) },
			plan: func(t *testing.T, f *fixture, table *dynamo.Table) (*plan.Plan, error) {
				return planner.Give(t.Context(), table, mail(f, table))
			},
			facts: and(map[string]func(*fixture){"USER#bob / USER was created again": there(bob)}),
		},
		{
			name: "value",
			plan: func(t *testing.T, f *fixture, table *dynamo.Table) (*plan.Plan, error) {
				return planner.ChangeValue(t.Context(), table, mail(f, table), "new@x.io")
			},
			facts: and(map[string]func(*fixture){
				freshMail + " / LOCK was created after you looked": there(ownedMail("new@x.io", "bob")),
				adaMail + " / LOCK was deleted":                    gone(lock),
				"userId is now bob, and was ada":                   set(lock, "userId", "bob"),
				"kind is gone":                                     unset(lock, "kind"),
				"somebody has begun to release " + adaMail:         set(lock, schema.MarkAttribute, "x"),
			}),
		},
		{
			name: "value, of an account whose lock is missing", begin: gone(lock),
			plan: func(t *testing.T, f *fixture, table *dynamo.Table) (*plan.Plan, error) {
				return planner.ChangeValue(t.Context(), table, mail(f, table), "new@x.io")
			},
			facts: map[string]func(*fixture){adaMail + " / LOCK was created again": there(lock)},
		},
		{
			name: "delete",
			plan: func(t *testing.T, f *fixture, table *dynamo.Table) (*plan.Plan, error) {
				return planner.DeleteAccount(t.Context(), table, mail(f, table).Account.Key)
			},
			facts: and(map[string]func(*fixture){
				"nick is now another, and was nick of ada":                            set(ada, "nick", "another"),
				adaMail + " / LOCK was deleted":                                       gone(lock),
				"NICK#nick of ada / LOCK was deleted":                                 gone(nick),
				"NICK#nick of ada / LOCK changed after you looked: userId is now bob": set(nick, "userId", "bob"),
			}),
		},
		{
			name: "delete, of an account with one value and no version", begin: func(f *fixture) {
				i := maps.Clone(ada)
				delete(i, "nick")
				delete(i, "rev")
				f.put("odd", i)
				gone(nick)(f)
			},
			plan: func(t *testing.T, f *fixture, table *dynamo.Table) (*plan.Plan, error) {
				return planner.DeleteAccount(t.Context(), table, mail(f, table).Account.Key)
			},
			facts: map[string]func(*fixture){
				"nick is now nick of ada, and was missing": func(f *fixture) { unset(ada, "rev")(f); there(nick)(f) },
				"rev is now 7, and was missing":            unset(ada, "nick"),
			},
		},
		{
			name: "delete, of an account whose value another holds, too", begin: set(bob, "email", "ada@x.io"),
			plan: func(t *testing.T, f *fixture, table *dynamo.Table) (*plan.Plan, error) {
				return planner.DeleteAccount(t.Context(), table, f.valueOf(table, "ada", "email").Account.Key)
			},
			facts: map[string]func(*fixture){
				"email is now bob@x.io, and was ada@x.io": there(bob),
				"USER#bob / USER was deleted":             gone(bob),
			},
		},
		{
			name: "value, of an account whose lock names another", begin: there(foreign),
			plan: func(t *testing.T, f *fixture, table *dynamo.Table) (*plan.Plan, error) {
				return planner.ChangeValue(t.Context(), table, mail(f, table), "new@x.io")
			},
			facts: map[string]func(*fixture){"userId is now ada, and was bob": there(lock)},
		},
		{
			name: "delete, of an account whose lock is missing", begin: gone(lock),
			plan: func(t *testing.T, f *fixture, table *dynamo.Table) (*plan.Plan, error) {
				return planner.DeleteAccount(t.Context(), table, mail(f, table).Account.Key)
			},
			facts: map[string]func(*fixture){adaMail + " / LOCK was created again": there(lock)},
		},
	}
}

// A fact that a plan depends on changes before the plan is applied: the plan is refused, names this fact, and writes
// nothing.
func TestEachFactIsACondition(t *testing.T) {
	t.Parallel()
	for _, tc := range changes() {
		for want, meddle := range tc.facts {
			t.Run(tc.name+"/"+want, func(t *testing.T) {
				f, table := versioned(t)
				if tc.begin != nil {
					tc.begin(f)
				}
				p, err := tc.plan(t, f, table)
				if err != nil {
					t.Fatal(err)
				}
				meddle(f)
				before := f.dump("odd")
				r := f.changer.Apply(t.Context(), p, nil)
				if r.Outcome != journal.Refused || r.Err != nil || len(r.Reasons) == 0 {
					t.Fatalf("%s %v %v; want it refused", r.Outcome, r.Reasons, r.Err)
				}
				var said []string
				for _, reason := range r.Reasons {
					said = append(said, reason.Text)
				}
				if !strings.Contains(strings.Join(said, "\n"), want) {
					t.Errorf("it says %q", said)
				}
				if after := f.dump("odd"); !reflect.DeepEqual(after, before) {
					t.Errorf("the table is %v, and was %v", after, before)
				}
			})
		}
	}
}

// If no fact changes, each plan is applied, and makes exactly the change that it says.
func TestAPlanDoesWhatItSays(t *testing.T) {
	t.Parallel()
	ada := user("ada", "ada@x.io")
	want := map[string]map[string]item{
		"recreate":                         {adaMail: ownedMail("ada@x.io", "ada")},
		"give":                             {adaMail: ownedMail("ada@x.io", "ada")},
		"give, of an account that is gone": {adaMail: ownedMail("ada@x.io", "ada")},
		"value":                            {adaMail: nil, freshMail: ownedMail("new@x.io", "ada"), "USER#ada": more(ada, item{"rev": num("8"), "email": str("new@x.io")})},
		"value, of an account whose lock is missing": {freshMail: ownedMail("new@x.io", "ada"), "USER#ada": more(ada, item{"rev": num("8"), "email": str("new@x.io")})},
		"delete": {adaMail: nil, "NICK#nick of ada": nil, "USER#ada": nil},
		"delete, of an account with one value and no version":  {adaMail: nil, "USER#ada": nil},
		"delete, of an account whose lock is missing":          {"NICK#nick of ada": nil, "USER#ada": nil},
		"delete, of an account whose value another holds, too": {"NICK#nick of ada": nil, "USER#ada": nil},
		"value, of an account whose lock names another":        {freshMail: ownedMail("new@x.io", "ada"), "USER#ada": more(ada, item{"rev": num("8"), "email": str("new@x.io")})},
	}
	for _, tc := range changes() {
		t.Run(tc.name, func(t *testing.T) {
			f, table := versioned(t)
			if tc.begin != nil {
				tc.begin(f)
			}
			expect := f.dump("odd")
			p, err := tc.plan(t, f, table)
			r := f.apply(p, err)
			for pk, i := range want[tc.name] {
				if i != nil {
					expect[pk+"/"+text(i["SK"])] = texts(i)
					continue
				}
				delete(expect, pk+"/LOCK")
				delete(expect, pk+"/USER")
			}
			if after := f.dump("odd"); !reflect.DeepEqual(after, expect) {
				t.Errorf("the table is %v; want %v", after, expect)
			}
			if r.WriteUnits != p.Price.WriteUnits {
				t.Errorf("it consumed %g write units, and said %g", r.WriteUnits, p.Price.WriteUnits)
			}
			if len(p.Steps) != 1 || p.Steps[0].Token == "" || p.Title == "" || p.Sentence == "" || p.Button == "" || p.Done == "" || len(p.Lines) < 3 {
				t.Errorf("the plan lacks words: %+v", p)
			}
		})
	}
}

// Every change can be undone: the table is the same as before, except that the account has a higher version.
func TestEachRepairIsTakenBack(t *testing.T) {
	t.Parallel()
	for _, tc := range changes() {
		if tc.name == "recreate" {
			continue // the undo of this change is a release
		}
		t.Run(tc.name, func(t *testing.T) {
			f, table := versioned(t)
			if tc.begin != nil {
				tc.begin(f)
			}
			before := f.dump("odd")
			p, err := tc.plan(t, f, table)
			f.apply(p, err)
			records, err := f.changer.Journal.Records()
			if err != nil {
				t.Fatal(err)
			}
			back, err := planner.Undo(t.Context(), table.Connection(), records[len(records)-1])
			f.apply(back, err)
			after := f.dump("odd")
			if rev := before["USER#ada/USER"]["rev"]; rev != "" {
				after["USER#ada/USER"]["rev"] = rev
			}
			if !reflect.DeepEqual(after, before) {
				t.Errorf("the table is %v, and was %v", after, before)
			}
		})
	}
}
