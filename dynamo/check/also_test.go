package check_test

import (
	"strings"
	"testing"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout/config"
)

// A value may have a lock in either of two forms, and one lock is enough. A lock of either form without an account is
// orphaned. An account with neither lock lacks one. Two accounts with one value are duplicates, with or without locks.
func TestLocksOfTwoForms(t *testing.T) {
	t.Parallel()
	f := start(t)
	second := func(v string, more ...doc) doc { return with(doc{"PK": str("EMAIL#" + v), "SK": str("E")}, more...) }
	f.create("forms", "PK:S", "SK:S",
		user("1", "a"), mail("a"), user("2", "b"), second("b"), user("3", "c"), mail("c"), second("c"), // the first form, the second, both
		user("4", "none"), mail("left"), second("gone"),
		user("5", "two"), user("6", "two"), mail("two"), second("two"),
		user("7", "one"), user("8", "one"), second("one"), user("9", "no"), user("10", "no"),
		user("11", "Case"), second("case"), mail("both"), second("both"))
	also := func(c *config.Constraint) { c.Also = []config.LockKey{{PK: "EMAIL#{v}", SK: "E"}} }
	table := f.described("forms", users(also))
	for mode, marks := range map[setting.Confirm][2]string{setting.ConfirmFull: {"", ""}, setting.ConfirmReads: {"?", ""}, setting.ConfirmNone: {"?", "?"}} {
		found, sum := f.run(table, setting.Options{Confirm: mode})
		f.want(found, "missing-lock none"+marks[1], "orphaned-lock left"+marks[0], "orphaned-lock gone"+marks[0], "orphaned-lock both"+marks[0],
			"duplicate-value two"+marks[1], "duplicate-value one"+marks[1], "duplicate-value no"+marks[1], "unnormalised-value Case"+marks[0])
		for _, one := range found {
			want := map[string]string{
				"none": "MAIL#none", "left": "MAIL#left", "gone": "EMAIL#gone", "Case": "EMAIL#case",
			}[one.Value]
			if one.Value == "both" && mode == setting.ConfirmFull && !strings.Contains(one.Detail, "The value has another lock, too: EMAIL#both / E.") {
				t.Errorf("it does not name the other lock: %s", one.Detail)
			}
			if one.Kind != finding.DuplicateValue && want != "" && one.Lock["PK"].Text != want {
				t.Errorf("%s: the lock of %s is %v", mode, one.Value, one.Lock)
			}
		}
		if !sum.Complete || sum.Locks != 12 {
			t.Errorf("%+v", sum)
		}
	}
}

// SQL leaves all locks of a constraint with two forms to the check. A check of these candidates finds what a check of the
// table finds.
func TestLocksOfTwoFormsBySQL(t *testing.T) {
	t.Parallel()
	f := start(t)
	second := func(v string) doc { return doc{"PK": str("EMAIL#" + v), "SK": str("E")} }
	f.create("forms", "PK:S", "SK:S", user("1", "a"), mail("a"), user("2", "b"), second("b"), user("3", "none"), second("gone"), second(""), mail("left"))
	found, _ := f.run(f.described("forms", users(func(c *config.Constraint) { c.Also = []config.LockKey{{PK: "EMAIL#{v}", SK: "E"}} })), setting.Options{})
	f.want(found, "missing-lock none", "orphaned-lock gone", "orphaned-lock left", "malformed-lock ")
}

// The check compares the owner and the TTL of the lock that exists, in either form.
func TestOwnersOfLocksOfTwoForms(t *testing.T) {
	t.Parallel()
	f := start(t)
	second := func(v string, more ...doc) doc { return with(doc{"PK": str("EMAIL#" + v), "SK": str("E")}, more...) }
	f.create("formed", "PK:S", "SK:S",
		user("1", "a"), mail("a", owner("1")), user("2", "b"), second("b", owner("2")), user("3", "c"), second("c", owner("1")),
		user("4", "d", lasts), second("d", owner("4")), user("5", "e", lasts), second("e", lasts, owner("5")),
		second("stale", owner("2")), second("gone", owner("x")), user("6", "f"), mail("f", owner("6")), second("f", owner("6")))
	f.expires("formed")
	also := func(c *config.Constraint) {
		c.Owner, c.Also = "owner", []config.LockKey{{PK: "EMAIL#{v}", SK: "E"}}
	}
	for mode, mark := range map[setting.Confirm]string{setting.ConfirmFull: "", setting.ConfirmReads: "", setting.ConfirmNone: "?"} {
		found, _ := f.run(f.described("formed", users(also)), setting.Options{Confirm: mode})
		f.want(found, "foreign-lock c"+mark, "expiring-account d"+mark, "stale-lock stale"+mark, "orphaned-lock gone"+mark)
	}
}

// Two kinds of accounts, and two attributes of one account, may keep their values in one place. Only one account may
// hold a value there. If it holds the value in both attributes, one lock is enough.
func TestValuesOfOnePlaceAreComparedTogether(t *testing.T) {
	t.Parallel()
	f := start(t)
	bot := func(id, mail string) doc { return doc{"PK": str("BOT#" + id), "SK": str("PROFILE"), "mail": str(mail)} }
	other := func(v string) doc { return doc{"other": str(v)} }
	f.create("shared", "PK:S", "SK:S",
		user("1", "a"), mail("a"), bot("2", "a"), doc{"PK": str("EMAIL#a"), "SK": str("E")},
		user("3", "b", other("b")), mail("b"), user("4", "c", other("d")), mail("c"), mail("d"), user("5", "d"),
		doc{"PK": str("EMAIL#d"), "SK": str("E")})
	con := config.Constraint{
		Attribute: "email", PK: "MAIL#{v}", SK: "LOCK", Also: []config.LockKey{{PK: "EMAIL#{v}", SK: "E"}}, Shared: true,
	}
	second, third := con, con
	second.Attribute, third.Attribute = "other", "mail"
	found, _ := f.run(f.described("shared", config.Layout{Accounts: []config.Account{
		{Model: "user", PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{con, second}},
		{Model: "bot", PK: "BOT#{id}", SK: "PROFILE", Constraints: []config.Constraint{third}},
	}}), setting.Options{})
	f.want(found, "duplicate-value a", "duplicate-value d")
}
