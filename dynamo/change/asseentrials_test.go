package change_test

import (
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
)

// accountTrials has further changes of values, and deletions of accounts.
func accountTrials() []trial {
	ada, bob := user("ada", "ada@x.io"), user("bob", "bob@x.io")
	rests := map[string][]string{"USER#ada": {"email", "tenant", "rev"}, "USER#bob": {"email", "tenant"}}
	toNew := func(f *fixture, table *dynamo.Table) (*plan.Plan, error) {
		return planner.ChangeValue(f.t.Context(), table, f.valueOf(table, "ada", "email"), "new@x.io")
	}
	deletion := trial{
		name: "delete, of an account whose lock names another", begin: there(ownedMail("ada@x.io", "bob")),
		rests: map[string][]string{"USER#ada": {"email", "tenant", "rev", "nick"}},
		plan: func(f *fixture, table *dynamo.Table) (*plan.Plan, error) {
			return planner.DeleteAccount(f.t.Context(), table, f.valueOf(table, "ada", "email").Account.Key)
		},
	}
	undone := deletion
	undone.name, undone.undo = "undo of "+deletion.name, true
	from := func(v, to string) func(f *fixture, table *dynamo.Table) (*plan.Plan, error) {
		return func(f *fixture, table *dynamo.Table) (*plan.Plan, error) {
			return planner.ChangeValue(f.t.Context(), table, f.value(table, "email", v), to)
		}
	}
	forms := func(t *testing.T) (*fixture, *dynamo.Table) {
		f, table := twoForms(t, func(c *config.Constraint) { c.Owner = "by" })
		f.put("odd", row("UNIQ#c", "LOCK", "by", "c"))
		return f, table
	}
	byEmail := func(id string) map[string][]string { return map[string][]string{"ACCT#" + id: {"email"}} }
	return []trial{
		deletion, undone,
		{name: "value, of two accounts", begin: set(bob, "email", "ada@x.io"), plan: toNew, rests: rests},
		{name: "value, without a version", begin: unset(ada, "rev"), plan: toNew, rests: rests},
		{name: "value, with two locks", world: forms, plan: from("c", "new"), rests: byEmail("c")},
		{name: "value, without its two locks", world: forms, plan: from("d", "new"), rests: byEmail("d")},
		{name: "value, with two new locks", world: twoRules, plan: from("Ada@x.io", "new@x.io"), rests: byEmail("1")},
		{name: "value, with a lock that stays", world: twoRules, plan: from("Ada@x.io", "ADA@x.io"), rests: byEmail("1")},
	}
}

// twoRules makes a table with two locks for each e-mail. The key of one lock has the e-mail as typed. The key of the
// other lock has it in lower case, and an attribute keeps the spelling.
func twoRules(t *testing.T) (*fixture, *dynamo.Table) {
	f := start(t)
	f.create("odd")
	for id, email := range map[string]string{"1": "Ada@x.io", "2": "Bob@x.io"} {
		f.put("odd", row("ACCT#"+id, "PROFILE", "email", email))
		f.put("odd", more(emailLock(email), strs("userId", id)))
		f.put("odd", row("FOLDED#"+strings.ToLower(email), "LOCK", "userId", id, "spelling", email))
	}
	return f, f.open("odd", configured(
		config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "userId"},
		config.Constraint{
			Name: "folded", Attribute: "email", PK: "FOLDED#{v}", SK: "LOCK", Owner: "userId", Normalise: []string{"lower"},
		},
	))
}

// confirmed makes the versioned table, with two more attributes in its locks.
func confirmed(options ...func(*dynamo.Options)) func(*testing.T) (*fixture, *dynamo.Table) {
	return func(t *testing.T) (*fixture, *dynamo.Table) {
		f, _ := versioned(t)
		for _, i := range f.items(place{"odd", ""}) {
			if text(i["SK"]) == "LOCK" {
				f.put("odd", more(i, strs("confirmedAt", "noon", "source", "web")))
			}
		}
		return f, f.versioned(options...)
	}
}

// markTrials has releases and replacements of locks, by mark or in one transaction.
func markTrials() (all []trial) {
	large := func(o *dynamo.Options) { o.AutoReadUnits = 0.001 }
	release := func(f *fixture, table *dynamo.Table) (*plan.Plan, error) { return f.plan(table, "nick", "spare") }
	spare := strs("PK", "NICK#spare", "SK", "LOCK", "note", "x")
	lacks := []string{"userId", "confirmedAt", "kind", "source"}
	replace := func(f *fixture, table *dynamo.Table) (*plan.Plan, error) {
		rel, err := table.LockOf(f.t.Context(), "email", "ada@x.io", map[string]string{"tenant": "acme"})
		if err != nil {
			return nil, err
		}
		return planner.Replace(f.t.Context(), table, rel, f.valueOf(table, "ada", "email").Account.Key, "Ada@x.io")
	}
	misspelt := func(owner ...string) func(*fixture) {
		return func(f *fixture) {
			f.put("odd", user("ada", "Ada@x.io"))
			f.put("odd", row(adaMail, "LOCK", owner...))
		}
	}
	rests := map[string][]string{"USER#ada": {"email", "tenant", "rev"}, "USER#bob": {"nick"}}
	for name, tr := range map[string]trial{
		"release":                    {begin: there(spare), plan: release, lacks: lacks},
		"release of a bare lock":     {begin: there(at(spare)), plan: release, lacks: lacks},
		"release of a marked lock":   {begin: set(spare, "tallylock_release", "old"), plan: release, lacks: lacks},
		"release in a large table":   {begin: set(spare, "userId", "ghost"), world: confirmed(large), plan: release, lacks: lacks[1:]},
		"replace":                    {begin: misspelt(), plan: replace, lacks: lacks},
		"replace in a large table":   {begin: misspelt("userId", "ada"), world: confirmed(large), plan: replace, lacks: lacks[1:]},
		"release, the owner is gone": {begin: set(spare, "userId", "ghost"), plan: release, lacks: lacks[1:]},
		"release, of another owner":  {begin: set(spare, "userId", "bob"), plan: release, lacks: lacks[1:]},
		"replace at once":            {begin: misspelt("userId", "ada"), plan: replace, lacks: nil},
	} {
		if tr.rests = rests; tr.world == nil {
			tr.world = confirmed()
		}
		steps := []journal.StepName{journal.StepMark, journal.StepDelete, journal.StepUnmark}
		if strings.HasPrefix(name, "release, ") || name == "replace at once" {
			steps = []journal.StepName{""}
		}
		for _, tr.step = range steps {
			tr.name = strings.TrimSpace(name + " " + string(tr.step))
			if tr.step == journal.StepUnmark { // an account takes the value, so the lock stays
				taken := user("zoe", "ada@x.io")
				if strings.HasPrefix(name, "release") {
					taken["nick"] = str("spare")
				}
				tr.early = there(taken)
			}
			all = append(all, tr)
		}
	}
	return all
}

// expiryTrials has changes of expiry dates, their undos, and locks that are put with an expiry date.
func expiryTrials() (all []trial) {
	world := func(t *testing.T) (*fixture, *dynamo.Table) {
		f, table := versioned(t)
		if err := sdk.Expire(t.Context(), f.App(), "odd", "ttl"); err != nil {
			t.Fatal(err)
		}
		return f, table
	}
	expires := there(more(user("ada", "ada@x.io"), item{"ttl": num("33333333333")}))
	lock := ownedMail("ada@x.io", "ada")
	lockOnly := there(more(lock, item{"ttl": num("33333333333")}))
	expire := func(f *fixture, table *dynamo.Table) (*plan.Plan, error) {
		return f.planExpire(table, f.valueOf(table, "ada", "email").Account.Key)
	}
	rel := func(f *fixture, table *dynamo.Table) *verdict.Relation { return f.value(table, "email", "ada@x.io") }
	put := func(f *fixture, table *dynamo.Table) (*plan.Plan, error) {
		return mend.Repair(f.t.Context(), table, rel(f, table))
	}
	mail := map[string][]string{"USER#ada": {"email", "tenant", "rev", "ttl"}}
	both := map[string][]string{"USER#ada": {"email", "nick", "tenant", "rev", "ttl"}}
	date := map[string][]string{
		"USER#ada": {"email", "tenant", "ttl"}, adaMail: {"ttl"}, "NICK#nick of ada": {"ttl"},
	}
	nick := map[string][]string{"USER#ada": {"nick", "rev", "ttl"}}
	ttl := []string{"ttl"}
	bare := func(f *fixture) {
		expires(f)
		f.put("odd", strs("PK", "NICK#nick of ada", "SK", "LOCK"))
	}
	bareOnly := func(f *fixture) { // the lock of the e-mail has its expiry date
		bare(f)
		lockOnly(f)
	}
	return []trial{
		{name: "expire", world: world, begin: expires, plan: expire, rests: both, lacks: ttl},
		{name: "expire, with a bare lock", world: world, begin: bare, plan: expire, rests: both, lacks: ttl},
		{name: "expire a bare lock", world: world, begin: bareOnly, plan: expire, rests: nick, lacks: ttl},
		{name: "undo of expire", world: world, begin: expires, plan: expire, undo: true, rests: date},
		{name: "expire no more", world: world, begin: lockOnly, plan: expire, rests: mail},
		{name: "undo of expire no more", world: world, begin: lockOnly, plan: expire, undo: true, rests: date},
		{name: "put, expiring", world: world, begin: func(f *fixture) { expires(f); gone(lock)(f) }, plan: put, rests: mail},
		{name: "put, in a table with expiry dates", world: world, begin: gone(lock), plan: put, rests: mail},
	}
}

// counterTrials has changes of two counters: one whose key is its number, and one that is missing in an existing item.
func counterTrials() (all []trial) {
	const table = "NextIdTable"
	world := func(t *testing.T) (*fixture, *dynamo.Table) { return start(t), nil }
	for name, change := range map[string]func(*fixture) (*plan.Plan, error){
		"bump": func(f *fixture) (*plan.Plan, error) {
			return planner.Bump(f.t.Context(), f.counter(table, table), number("1"))
		},
		"reserve": func(f *fixture) (*plan.Plan, error) {
			return planner.Reserve(f.t.Context(), f.counter(table, table), number("5"))
		},
		"raise": func(f *fixture) (*plan.Plan, error) {
			return planner.Raise(f.t.Context(), f.counter(table, table), number("2000000"))
		},
		"lower": func(f *fixture) (*plan.Plan, error) {
			return planner.Lower(f.t.Context(), f.counter(table, table), number("5"))
		},
	} {
		all = append(all, trial{
			name: name + " of a key", in: table, world: world,
			plan: func(f *fixture, _ *dynamo.Table) (*plan.Plan, error) { return change(f) },
		})
	}
	orders := func(t *testing.T) (*fixture, *dynamo.Table) {
		f, c := withOrders(t, "last")
		f.put("orders", strs("PK", "COUNTER", "note", "x"))
		return f, c.Open()
	}
	return append(all, trial{
		name: "create in an item", in: "orders", world: orders, rests: map[string][]string{"COUNTER": {"n"}},
		plan: func(f *fixture, table *dynamo.Table) (*plan.Plan, error) {
			counters, _, err := counter.Read(f.t.Context(), table)
			if err != nil {
				return nil, err
			}
			return planner.Create(f.t.Context(), counters[0], nil)
		},
	})
}
