package check_test

import (
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout/config"
)

// remove deletes items by their keys.
func (f *fixture) remove(table string, keys ...doc) {
	f.t.Helper()
	for _, key := range keys {
		if _, err := f.App().DeleteItem(f.t.Context(), &dynamodb.DeleteItemInput{TableName: &table, Key: key}); err != nil {
			f.t.Fatal(err)
		}
	}
}

// between returns a callback for progress that calls change once, between the two readings of the accounts. done
// reports whether it has called change.
func between(change func()) (each func(progress.State), done func() bool) {
	did := false
	return func(now progress.State) {
		if now.Stage == progress.Waiting && !did {
			did = true
			change()
		}
	}, func() bool { return did }
}

// A lock that exists during the first reading and is gone at the second stays in the baseline as missing. The same
// holds for the other findings about locks.
func TestABaselineKeepsLocksThatBreakBetweenTheReadings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { locksThatBreak(start(t)) })
}

func locksThatBreak(f *fixture) {
	t := f.t
	owned := func(id, email string) []doc { return []doc{user(id, email), mail(email, owner(id))} }
	items := []doc{user("missing", "missing"), mail("orphaned", owner("nobody")), mail("another", owner("nobody"))}
	items = append(items, owned("fine", "fine")...)
	items = append(items, user("foreign", "foreign"), mail("foreign", owner("fine")))
	f.create("broken", "PK:S", "SK:S", items...)
	table := f.described("broken", users(func(c *config.Constraint) { c.Owner = "owner" }))
	known, _ := f.run(table, setting.Options{})
	if len(known) != 4 {
		t.Fatalf("%v", said(known))
	}
	broken := []doc{mail("missing", owner("missing")), user("nobody", "orphaned"), mail("foreign", owner("foreign"))}
	f.put("broken", broken...)
	each, did := between(func() {
		f.remove("broken", doc{"PK": str("MAIL#missing"), "SK": str("LOCK")}, doc{"PK": str("USER#nobody"), "SK": str("PROFILE")})
		f.put("broken", mail("foreign", owner("fine")))
	})
	if _, updated := f.update(table, known, setting.Options{}, each); !did() || updated.Removed != 0 || updated.Kept != 4 {
		t.Errorf("%+v", updated)
	}
}

// A value or an id that only the second reading finds twice stays in the baseline.
func TestABaselineKeepsDuplicatesOfTheSecondReading(t *testing.T) {
	t.Parallel()
	f := start(t)
	l := users()
	l.Accounts[0].Constraints = append(l.Accounts[0].Constraints, lockless("phone"))
	l.Counters = []config.Counter{{Name: "invoice", PK: "COUNTER", SK: "INVOICE", Attribute: "at", IDs: []config.IDs{{Attribute: "no"}}}}
	phone := func(id, phone, no string) doc { return user(id, id, doc{"phone": str(phone), "no": num(no)}) }
	f.create("twice", "PK:S", "SK:S", phone("a", "1", "7"), mail("a"), phone("b", "1", "7"), mail("b"), mail("orphaned"),
		doc{"PK": str("COUNTER"), "SK": str("INVOICE"), "at": num("9")})
	table := f.described("twice", l)
	known, _ := f.run(table, setting.Options{})
	f.want(known, "orphaned-lock orphaned", "duplicate-value 1", "duplicate-id invoice")
	f.put("twice", phone("b", "2", "8"))
	each, did := between(func() { f.put("twice", phone("b", "1", "7")) })
	if _, updated := f.update(table, known, setting.Options{}, each); !did() || updated.Removed != 0 || updated.Kept != 3 {
		t.Errorf("%+v", updated)
	}
}

// A finding about a counter or a derived key stays in the baseline if the config changes or drops the description of
// this counter or key.
func TestABaselineOfAnotherDescription(t *testing.T) {
	t.Parallel()
	f := start(t)
	item := func(n string) doc {
		return user(n, n, doc{"no": num(n), "other": num(n), "GSI1PK": str("EMAIL#old")})
	}
	f.create("counted", "PK:S", "SK:S", item("7"), mail("7"),
		doc{"PK": str("COUNTER"), "SK": str("A"), "at": num("1")}, doc{"PK": str("COUNTER"), "SK": str("B"), "at": num("1")})
	counter := func(name, attribute string) config.Counter {
		return config.Counter{Name: name, PK: "COUNTER", SK: name, Attribute: "at", IDs: []config.IDs{{Attribute: attribute}}}
	}
	described := func(counters []config.Counter, derived ...config.Derived) *dynamo.Table {
		l := users()
		l.Counters, l.Accounts[0].Derived = counters, derived
		return f.described("counted", l)
	}
	key := config.Derived{Attribute: "GSI1PK", Template: "EMAIL#{email}"}
	both := []config.Counter{counter("A", "no"), counter("B", "other")}
	known, _ := f.run(described(both, key), setting.Options{Confirm: setting.ConfirmReads})
	f.want(known, "counter-behind A", "counter-behind B", "drifted-key ")
	key.Template = "MAIL#{email}"
	for name, table := range map[string]*dynamo.Table{
		"one counter less":         described(both[:1], config.Derived{Attribute: "GSI1PK", Template: "EMAIL#{email}"}),
		"ids in another place":     described([]config.Counter{counter("A", "no"), counter("B", "nothing")}, config.Derived{Attribute: "GSI1PK", Template: "EMAIL#{email}"}),
		"another key":              described(both, key),
		"no key, but one of SK":    described(both, config.Derived{Attribute: "GSI1SK", Template: "EMAIL#{email}"}),
		"only the name is changed": described([]config.Counter{both[0], {Name: "C", PK: "COUNTER", SK: "B", Attribute: "at", IDs: both[1].IDs}}),
	} {
		b := kept(t, known...)
		if why := b.Foreign(table.Name, table.ID, config.Hashes(table.Layout)); why == "" {
			t.Errorf("%s: the check may update the baseline", name)
		}
	}
	b := kept(t, known...)
	same := described(both, config.Derived{Attribute: "GSI1PK", Template: "EMAIL#{email}"})
	if why := b.Foreign(same.Name, same.ID, config.Hashes(same.Layout)); why != "" {
		t.Error(why)
	}
	for n := range known {
		known[n].Layout = "" // as an older version wrote findings
	}
	_, updated := f.update(described(both[:1]), known, setting.Options{Confirm: setting.ConfirmReads}, nil)
	if updated.Removed != 0 || updated.Kept != 3 || updated.Unchecked != 2 {
		t.Errorf("%+v", updated)
	}
}
