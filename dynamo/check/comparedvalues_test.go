package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout/config"
)

// authUsers is the layout of Auth.js. An index key is made of the e-mail, and no lock keeps the e-mail unique.
func authUsers() config.Layout {
	return config.Layout{Accounts: []config.Account{{
		Model: "user", PK: "USER#{id}", SK: "USER#{id}",
		Constraints: []config.Constraint{{Attribute: "email", Unique: true}},
		Derived: []config.Derived{
			{Attribute: "GSI1PK", Template: "USER#{email}"}, {Attribute: "GSI1SK", Template: "USER#{email}"},
		},
	}}}
}

// If two index keys of an item went stale together, one finding names both.
func TestDriftedKeysOfOneItemAreOneFinding(t *testing.T) {
	t.Parallel()
	f := start(t)
	user := func(id, email, pk, sk string) doc {
		return doc{
			"PK": str("USER#" + id), "SK": str("USER#" + id), "email": str(email),
			"GSI1PK": str("USER#" + pk), "GSI1SK": str("USER#" + sk),
		}
	}
	f.create("auth", "PK:S", "SK:S",
		user("1", "ada@x.io", "ada@x.io", "ada@x.io"), user("2", "twice@x.io", "twice@x.io", "twice@x.io"),
		user("3", "twice@x.io", "twice@x.io", "twice@x.io"), user("4", "new@x.io", "old@x.io", "old@x.io"),
		user("5", "e@x.io", "old@x.io", "older@x.io"), user("6", "f@x.io", "f@x.io", "old@x.io"))
	table := f.described("auth", authUsers())
	for _, confirm := range []setting.Confirm{setting.ConfirmFull, setting.ConfirmNone} {
		found, _ := f.run(table, setting.Options{Confirm: confirm})
		var lines []string
		for _, one := range found {
			who := []string{}
			for _, a := range one.Accounts {
				who = append(who, a["PK"].Text)
			}
			lines = append(lines, string(one.Kind)+" "+one.Attribute+"["+strings.Join(one.Attributes, " ")+"] "+strings.Join(who, " "))
			if one.Confirmed != (confirm == setting.ConfirmFull) {
				t.Errorf("confirmed: %v, with %s", one.Confirmed, confirm)
			}
			if len(one.Attributes) == 2 && !strings.HasPrefix(one.Detail,
				`The GSI1PK and GSI1SK of USER#4 are "USER#old@x.io", but the value made from its email is "USER#new@x.io".`) {
				t.Error(one.Detail)
			}
		}
		slices.Sort(lines)
		want := []string{
			"drifted-key GSI1PK[GSI1PK GSI1SK] USER#4", "drifted-key GSI1PK[] USER#5", "drifted-key GSI1SK[] USER#5",
			"drifted-key GSI1SK[] USER#6", "duplicate-value [] USER#2 USER#3",
		}
		if !slices.Equal(lines, want) {
			t.Errorf("found\n%q, want\n%q", lines, want)
		}
	}
}

// A value is unique in its scope: the same value in another scope is no duplicate. An account without an attribute of
// the scope is not compared.
func TestAValueIsUniqueInItsScope(t *testing.T) {
	t.Parallel()
	f := start(t)
	entry := func(id, email, event string) doc {
		d := doc{"id": str(id), "email": str(email)}
		if event != "" {
			d["event"] = str(event)
		}
		return d
	}
	f.create("entries", "id:S", "",
		entry("1", "ada@x.io", "spring"), entry("2", "ada@x.io", "autumn"), entry("3", "Ada@x.io", "autumn"),
		entry("4", "bob@x.io", ""), entry("5", "bob@x.io", ""), entry("6", "a", "b\x00a"), entry("7", "b\x00a", "a"))
	rule := config.Constraint{Attribute: "email", Unique: true, Scope: []string{"event"}, Normalise: []string{"lower"}}
	table := f.described("entries", config.Layout{Accounts: []config.Account{{PK: "{id}", Constraints: []config.Constraint{rule}}}})
	found, _ := f.run(table, setting.Options{})
	f.want(found, "duplicate-value ada@x.io")
	if len(found) == 1 && (len(found[0].Accounts) != 2 || !strings.Contains(found[0].Detail, "unique in its event")) {
		t.Errorf("%+v", found[0])
	}
}

// A lock whose key has the account's id keeps nothing unique: each account has its own.
func TestLocksWithTheAccountsIDKeepNothingUnique(t *testing.T) {
	t.Parallel()
	f := start(t)
	player := func(id, name string) doc {
		return doc{"PK": str("USER#" + id), "SK": str("PROFILE"), "username": str(name)}
	}
	lock := func(id, name string) doc { return doc{"PK": str("USERNAME#" + name), "SK": str("USER#" + id)} }
	f.create("players", "PK:S", "SK:S",
		player("a", "player0"), lock("a", "player0"), player("b", "player0"), lock("b", "player0"),
		player("c", "carol"), lock("c", "carol"), player("d", "dave"), lock("e", "eve"),
		player("g", "player0"))
	rule := config.Constraint{Attribute: "username", PK: "USERNAME#{v}", SK: "USER#{id}"}
	table := f.described("players", config.Layout{Accounts: []config.Account{{PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{rule}}}})
	found, _ := f.run(table, setting.Options{})
	f.want(found, "duplicate-value player0", "missing-lock dave", "missing-lock player0", "orphaned-lock eve")
	for _, one := range found {
		if one.Kind == finding.DuplicateValue && (len(one.Accounts) != 3 || !one.Confirmed) {
			t.Errorf("%+v", one)
		}
	}
	found, _ = f.run(table, setting.Options{Only: []finding.Kind{finding.DuplicateValue}})
	f.want(found, "duplicate-value player0")
}

// A counter that a schedule resets has no highest id, so the check compares it with no id.
func TestACounterThatResetsIsNotBehind(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("tickets", "id:S", "",
		doc{"id": str("COUNTER"), "n": num("2")}, doc{"id": str("T1"), "no": num("1")}, doc{"id": str("T2"), "no": num("7")},
		doc{"id": str("T3"), "no": num("7")})
	counter := config.Counter{Name: "tickets", PK: "COUNTER", Attribute: "n", IDs: []config.IDs{{Attribute: "no"}}}
	found, _ := f.run(f.described("tickets", config.Layout{Counters: []config.Counter{counter}}), setting.Options{})
	f.want(found, "counter-behind tickets", "duplicate-id tickets")
	counter.Resets = "daily"
	found, _ = f.run(f.described("tickets", config.Layout{Counters: []config.Counter{counter}}), setting.Options{})
	f.want(found)
	f.create("broken", "id:S", "", doc{"id": str("COUNTER"), "n": str("two")})
	found, _ = f.run(f.described("broken", config.Layout{Counters: []config.Counter{counter}}), setting.Options{})
	f.want(found, "counter-not-a-number tickets")
}

// owner_form says how a lock writes its owner. An owner in another form is unknown, and any account may own the lock.
func TestOwnerForm(t *testing.T) {
	t.Parallel()
	f := start(t)
	form := func(c *config.Constraint) { c.Owner, c.OwnerForm = "owner", "user#{id}" }
	f.create("formed", "PK:S", "SK:S",
		user("a", "a"), mail("a", owner("user#a")), user("b", "b"), mail("b", owner("user#b")),
		user("c", "c"), mail("c", owner("user#c")), user("d", "d"), mail("d", owner("user#d")),
		user("e", "e"), mail("e", owner("user#e")), user("f", "f"), mail("f", owner("user#f")),
		user("g", "new"), mail("new", owner("user#g")), mail("old", owner("user#g")), // stale
		user("h", "h"), mail("h", owner("user#a")), // foreign
		mail("gone", owner("user#x")), mail("raw", owner("a")), mail("other", owner("admin#7")),
		user("i", "i"), mail("i", owner("a")))
	table := f.described("formed", users(form))
	found, _ := f.run(table, setting.Options{})
	f.want(found, "stale-lock old", "foreign-lock h", "orphaned-lock gone", "orphaned-lock raw?", "orphaned-lock other?")
	for _, one := range found {
		if one.Value == "raw" && !strings.Contains(one.Detail, `the owner "a" in the lock does not match owner_form`) {
			t.Error(one.Detail)
		}
	}
}

// Locks that may lapse expire while their accounts stay. The check then reports no missing lock, and does not compare
// TTLs. A lock without an account is still orphaned.
func TestLocksMayLapse(t *testing.T) {
	t.Parallel()
	f := start(t)
	lapses := func(c *config.Constraint) { c.Lapses = true }
	f.create("lapsing", "PK:S", "SK:S",
		user("1", "a"), mail("a", lasts), user("2", "b"), mail("b"), user("3", "c"), user("4", "d", lasts), mail("d"),
		user("5", "e"), user("6", "e"), mail("gone", lasts), user("7", "f"), mail("f", lasts))
	f.expires("lapsing")
	for mode, mark := range map[setting.Confirm]string{setting.ConfirmFull: "", setting.ConfirmReads: "?", setting.ConfirmNone: "?"} {
		twice := "duplicate-value e"
		if mode == setting.ConfirmNone {
			twice += "?"
		}
		found, sum := f.run(f.described("lapsing", users(lapses)), setting.Options{Confirm: mode})
		f.want(found, "orphaned-lock gone"+mark, twice)
		if !sum.Complete {
			t.Errorf("%+v", sum)
		}
	}
	found, _ := f.run(f.described("lapsing", users()), setting.Options{})
	f.want(found, "orphaned-lock gone", "duplicate-value e", "missing-lock c", "expiring-account a", "expiring-account d", "expiring-account f")
}

// Most locks of a constraint may have lapsed, and the accounts of the other locks may be deleted. This does not
// contradict the layout. The findings stay unconfirmed, since the check has read no held lock.
func TestLocksThatAllLapsedContradictNothing(t *testing.T) {
	t.Parallel()
	f := start(t)
	var items []doc
	var want []string
	for n := range 12 {
		items = append(items, user(fmt.Sprint(n), fmt.Sprint("u", n)))
		if n < 6 {
			items = append(items, mail(fmt.Sprint("old", n)))
			want = append(want, fmt.Sprint("orphaned-lock old", n, "?"))
		}
	}
	f.create("lapsed", "PK:S", "SK:S", items...)
	found, sum := f.run(f.described("lapsed", users(func(c *config.Constraint) { c.Lapses = true })), setting.Options{})
	f.want(found, want...)
	if !sum.Complete {
		t.Errorf("%+v", sum)
	}
}
