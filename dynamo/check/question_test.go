package check_test

import (
	"encoding/json"
	"strings"
	"testing"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// A finding that waits for a person has a question: whether an item holds the value, or which other tables put locks
// into the table of this lock.
func TestFindingsHaveTheirQuestions(t *testing.T) {
	f := start(t)
	f.create("shop", "PK:S", "SK:S", user("1", "a@x.io"), mail("a@x.io"), mail("gone@x.io"), mail("buyer@x.io"),
		doc{"PK": str("ORDER#17"), "SK": str("META"), "buyer": str("buyer@x.io")})
	found, _ := f.run(f.described("shop", users()), setting.Options{})
	f.want(found, "orphaned-lock gone@x.io", "orphaned-lock buyer@x.io?")
	for _, one := range found {
		text, err := json.Marshal(one)
		var again finding.Finding
		if err != nil || json.Unmarshal(text, &again) != nil {
			t.Fatal(err)
		}
		if one.Confirmed {
			if again.Question != nil {
				t.Errorf("%s", text)
			}
			continue
		}
		want := finding.Question{Table: "shop", Constraint: "email", Items: "ORDER#*/META", Attribute: "buyer"}
		if again.Question == nil || *again.Question != want {
			t.Errorf("%s", text)
		}
	}
	f.create("people", "PK:S", "SK:S", user("1", "a"))
	f.create("mails", "PK:S", "SK:S", mail("a"), mail("c"))
	table := f.described("people", users(func(c *config.Constraint) { c.Table = "mails" }))
	_, email := table.Layout.Constraint("email")
	email.AlsoIn = nil // nobody has answered
	found, _ = f.run(table, setting.Options{})
	if f.want(found, "orphaned-lock c?"); len(found) == 1 {
		text, err := json.Marshal(found[0])
		var said struct {
			Question any `json:"question"`
		}
		if err != nil || json.Unmarshal(text, &said) != nil || said.Question != "tables" {
			t.Errorf("%s, %v", text, err)
		}
	}
	email.AlsoIn = []string{}
	found, _ = f.run(table, setting.Options{})
	f.want(found, "orphaned-lock c")
}

// If the config answers about a shape of items that the table does not have, a note says so. An answer about existing
// items makes no note.
func TestAnAnswerAboutNoItemIsNoted(t *testing.T) {
	f := start(t)
	f.create("shop", "PK:S", "SK:S", user("1", "a@x.io"), mail("a@x.io"),
		doc{"PK": str("ORDER#17"), "SK": str("META"), "buyer": str("buyer@x.io")})
	table := f.described("shop", users(func(c *config.Constraint) {
		c.NoHolders = []layout.Place{
			{Table: "shop", Items: "ORDER#*/META", Attribute: "buyer"}, {Table: "shop", Items: "ODRER#*/META", Attribute: "buyer"},
		}
	}))
	found, sum := f.run(table, setting.Options{})
	f.want(found)
	if len(sum.Notes) != 1 || !strings.Contains(sum.Notes[0], "ODRER#*/META items of shop, but there are no such items") {
		t.Errorf("%q", sum.Notes)
	}
}

// An account may have several values in one text, with a lock for each of them. Then the whole text needs no lock. The
// check asks about these locks and about the whole text.
func TestAListInTheConstraintsOwnAttributeIsAskedAbout(t *testing.T) {
	f := start(t)
	f.create("lists", "PK:S", "SK:S", user("1", "ada"), mail("ada"), user("2", "bert, carl"), mail("bert"), mail("carl"),
		user("3", "dora; emil"), user("4", "the_alan"), mail("the_alan"), mail("alan"))
	table := f.described("lists", users())
	found, _ := f.run(table, setting.Options{})
	f.want(found, "orphaned-lock bert?", "orphaned-lock carl?", "missing-lock bert, carl?",
		"missing-lock dora; emil", "orphaned-lock alan")
	_, email := table.Layout.Constraint("email")
	place := layout.Place{Table: "lists", Items: "USER#*/PROFILE", Attribute: "email"}
	email.Answers.Set([]layout.Holder{{Place: place}}, nil, false)
	found, _ = f.run(table, setting.Options{})
	f.want(found, "missing-lock dora; emil", "orphaned-lock alan")
	email.Answers.Set(nil, []layout.Place{place}, false)
	found, _ = f.run(table, setting.Options{})
	f.want(found, "orphaned-lock bert", "orphaned-lock carl", "missing-lock bert, carl",
		"missing-lock dora; emil", "orphaned-lock alan")
}

// The owner in a lock is not in the form of owner_form, and another item holds the lock's value. The check asks about
// the item, and uses the answer.
func TestALockWithAnOddOwnerIsAskedAbout(t *testing.T) {
	f := start(t)
	f.create("odd", "PK:S", "SK:S", mail("gone", owner("odd-9")), doc{"PK": str("ORDER#1"), "SK": str("META"), "buyer": str("gone")},
		user("u", "a"), mail("a", owner("user#u")), user("w", "b"), mail("b", owner("user#w")))
	table := f.described("odd", users(owned, func(c *config.Constraint) { c.OwnerForm = "user#{id}" }))
	found, _ := f.run(table, setting.Options{})
	f.want(found, "orphaned-lock gone?")
	place := layout.Place{Table: "odd", Items: "ORDER#*/META", Attribute: "buyer"}
	want := finding.Question{Table: place.Table, Constraint: "email", Items: place.Items, Attribute: place.Attribute}
	for _, one := range found {
		if one.Question == nil || *one.Question != want ||
			!strings.Contains(one.Detail, "ORDER#1 / META holds the value in buyer. Does such an item count as a holder?") {
			t.Errorf("%s %+v", one.Detail, one.Question)
		}
	}
	_, email := table.Layout.Constraint("email")
	email.Answers.Set([]layout.Holder{{Place: place}}, nil, false)
	found, _ = f.run(table, setting.Options{})
	f.want(found)
	email.Answers.Set(nil, []layout.Place{place}, false)
	found, _ = f.run(table, setting.Options{})
	f.want(found, "orphaned-lock gone?")
}

// A lock with a digest may be the lock of any account without one. The check still asks about another form of the
// account's value, and uses the answer.
func TestAnotherFormIsAskedAboutBesideADigest(t *testing.T) {
	f := start(t)
	f.create("lists", "PK:S", "SK:S", user("1", "ada"), mail("ada"), user("2", "bert, carl"), mail("bert"), mail("carl"),
		user("4", "dora"), mail("dora"), mail("deadbeef12"))
	table := f.described("lists", users())
	found, _ := f.run(table, setting.Options{})
	f.want(found, "orphaned-lock bert?", "orphaned-lock carl?", "missing-lock bert, carl?", "orphaned-lock deadbeef12?")
	place := layout.Place{Table: "lists", Items: "USER#*/PROFILE", Attribute: "email"}
	for _, one := range found {
		digest := one.Kind == finding.MissingLock || one.Value == "deadbeef12"
		if asks := one.Question != nil; asks != (one.Value != "deadbeef12") || one.Digests != digest {
			t.Errorf("%s %s: digests %v, %+v", one.Kind, one.Value, one.Digests, one.Question)
		}
	}
	_, email := table.Layout.Constraint("email")
	email.Answers.Set([]layout.Holder{{Place: place}}, nil, false)
	found, _ = f.run(table, setting.Options{})
	f.want(found, "orphaned-lock deadbeef12?")
}
