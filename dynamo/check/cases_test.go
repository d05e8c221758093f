package check_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
)

// user is an account of the tables that these tests make.
func user(id, email string, more ...doc) doc {
	item := doc{"PK": str("USER#" + id), "SK": str("PROFILE"), "email": str(email)}
	for _, m := range more {
		maps.Copy(item, m)
	}
	return item
}

func mail(v string, more ...doc) doc {
	item := doc{"PK": str("MAIL#" + v), "SK": str("LOCK")}
	for _, m := range more {
		maps.Copy(item, m)
	}
	return item
}

// users returns the layout for the accounts of user and the locks of mail.
func users(change ...func(*config.Constraint)) config.Layout {
	c := config.Constraint{Attribute: "email", PK: "MAIL#{v}", SK: "LOCK"}
	for _, f := range change {
		f(&c)
	}
	return config.Layout{Accounts: []config.Account{{PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{c}}}}
}

func lower(c *config.Constraint) { c.Normalise = []string{"lower"} }
func owned(c *config.Constraint) { c.Owner = "owner" }

func owner(id string) doc { return doc{"owner": str(id)} }

// Two spellings that the layout folds are one value. Other spellings are different values.
func TestSpellings(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("pair", "PK:S", "SK:S", user("1", "Ada"), user("2", "ada"), mail("Ada"), mail("ada"))
	found, _ := f.run(f.described("pair", users()), setting.Options{})
	f.want(found)
	found, _ = f.run(f.described("pair", users(lower)), setting.Options{})
	f.want(found, "duplicate-value ada", "orphaned-lock Ada?") // account 1 holds exactly Ada

	f.create("meet", "PK:S", "SK:S", user("1", "Ada"), mail("ada"), user("2", "Bob"), mail("Bob"))
	table := f.described("meet", users())
	found, _ = f.run(table, setting.Options{})
	f.want(found, "unnormalised-value Ada")
	one := found[0]
	if one.Lock["PK"].Text != "MAIL#ada" || len(one.Accounts) != 1 || one.Accounts[0]["PK"].Text != "USER#1" || !one.SuspectLayout {
		t.Errorf("%+v", one)
	}
	found, _ = f.run(table, setting.Options{Confirm: setting.ConfirmReads})
	f.want(found, "unnormalised-value Ada?")
	found, _ = f.run(f.described("meet", users(lower)), setting.Options{})
	f.want(found, "unnormalised-value bob")
}

// An account claims a lock once, even if several of its values fold to the same key. Different values of one account
// have a lock each.
func TestSetsOfValues(t *testing.T) {
	t.Parallel()
	f := start(t)
	set := func(v ...string) doc {
		return doc{"email": &types.AttributeValueMemberSS{Value: v}}
	}
	f.create("sets", "PK:S", "SK:S",
		user("1", "", set("a", "A")), mail("a"),
		user("2", "", set("b", "c")), mail("b"),
		user("3", "", set("d", "e")), user("4", "", set("e", "f")), mail("d"), mail("e"), mail("f"), mail("g"))
	found, _ := f.run(f.described("sets", users(lower)), setting.Options{})
	f.want(found, "missing-lock c", "duplicate-value e", "orphaned-lock g")
}

// If two constraints keep their values in one place, one lock serves both.
func TestOneLockForTwoConstraints(t *testing.T) {
	f := start(t)
	l := users()
	same := l.Accounts[0].Constraints[0]
	same.Attribute = "username"
	l.Accounts[0].Constraints = append(l.Accounts[0].Constraints, same)
	f.create("shared", "PK:S", "SK:S",
		user("1", "ada", doc{"username": str("ada")}), mail("ada"),
		user("2", "bob", doc{"username": str("x")}), user("3", "c", doc{"username": str("bob")}), mail("bob"), mail("x"), mail("c"))
	found, _ := f.run(f.described("shared", l), setting.Options{})
	f.want(found, "duplicate-value bob")
}

// The layouts have locks in a table of their own, keys that are numbers, keys with a scope, and two kinds of accounts.
func TestLayouts(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("people", "id:S", "",
		doc{"id": str("U1"), "kind": str("user"), "phone": num("100"), "tenant": str("t1"), "nick": str("ada")},
		doc{"id": str("U2"), "kind": str("user"), "phone": num("200"), "tenant": str("t2"), "nick": str("ada")},
		doc{"id": str("U3"), "kind": str("user"), "phone": num("300"), "tenant": str("t2"), "nick": str("ada")},
		doc{"id": str("B1"), "kind": str("bot"), "phone": num("400")},
		doc{"id": str("X1"), "kind": str("else"), "phone": num("999")})
	f.create("phones", "phone:N", "", doc{"phone": num("100.0")}, doc{"phone": num("200")}, doc{"phone": num("500")}, doc{"phone": num("400")})
	f.create("nicks", "k:S", "", doc{"k": str("t1/ada")}, doc{"k": str("t2/ada")}, doc{"k": str("t3/ada")})
	phone := func(name string) config.Constraint {
		return config.Constraint{Name: name, Attribute: "phone", Table: "phones", PK: "{v}"}
	}
	table := f.described("people", config.Layout{Accounts: []config.Account{
		{Model: "user", PK: "{id}", Is: &config.Discriminator{Attribute: "kind", Value: "user"}, Constraints: []config.Constraint{phone("phone"), {Attribute: "nick", Table: "nicks", PK: "{tenant}/{v}"}}},
		{Model: "bot", PK: "{id}", Is: &config.Discriminator{Attribute: "kind", Value: "bot"}, Constraints: []config.Constraint{phone("bot-phone")}},
	}})
	for _, confirm := range []setting.Confirm{setting.ConfirmFull, setting.ConfirmReads} {
		mark := ""
		if confirm == setting.ConfirmReads {
			mark = "?"
		}
		found, sum := f.run(table, setting.Options{Confirm: confirm})
		f.want(found, "missing-lock 300", "orphaned-lock 500"+mark, "duplicate-value ada", "orphaned-lock ada?") // accounts of other scopes hold ada
		if sum.Items != 12 || sum.Accounts != 4 || sum.Locks != 7 {
			t.Errorf("%+v", sum)
		}
		for _, one := range found {
			if one.Kind == finding.OrphanedLock && one.Value == "500" && (one.LockTable != "phones" || one.Lock["phone"].Text != "500") {
				t.Errorf("%+v", one)
			}
		}
	}
}

// The check compares the owners of locks. If some of the locks name no owner, it stops comparing owners.
func TestOwners(t *testing.T) {
	t.Parallel()
	f := start(t)
	items := []doc{
		user("a", "a"), mail("a", owner("a")), user("b", "b"), mail("b", owner("USER#b")), // owners by id and by key
		user("c", "c"), mail("c", owner("a")), // foreign
		mail("d", owner("a")), mail("e", owner("nobody")), // stale, orphaned
	}
	f.create("owned", "PK:S", "SK:S", items...)
	for confirm, mark := range map[setting.Confirm]string{setting.ConfirmFull: "", setting.ConfirmReads: "", setting.ConfirmNone: "?"} {
		found, _ := f.run(f.described("owned", users(owned)), setting.Options{Confirm: confirm})
		f.want(found, "foreign-lock c"+mark, "stale-lock d"+mark, "orphaned-lock e"+mark)
		for _, one := range found {
			if one.Kind == finding.StaleLock && (one.Detail != `The lock on "d" names a, but that account holds "a".` || len(one.Accounts) != 1 || one.Accounts[0]["PK"].Text != "USER#a") {
				t.Errorf("%s: %+v", confirm, one)
			}
		}
	}
	f.put("owned", user("f", "f"), mail("f"), mail("g"))
	found, sum := f.run(f.described("owned", users(owned)), setting.Options{})
	f.want(found, "stale-lock d", "orphaned-lock e", "orphaned-lock g")
	if len(sum.Notes) != 1 || !strings.Contains(sum.Notes[0], "not every email lock names an account") {
		t.Errorf("the notes are %q", sum.Notes)
	}
}

// The check also finds keys that are too long for the sketch to return.
func TestLongKeys(t *testing.T) {
	t.Parallel()
	f := start(t)
	long := func(n int) string { return strings.Repeat("long", 100) + fmt.Sprint(n) }
	f.create("long", "PK:S", "SK:S", user("1", long(1)), mail(long(1)), user("2", long(2)), mail(long(3)), user("4", long(4)), user("5", long(4)), mail(long(4)))
	for _, confirm := range []setting.Confirm{setting.ConfirmFull, setting.ConfirmReads, setting.ConfirmNone} {
		mark := map[setting.Confirm]string{setting.ConfirmNone: "?"}[confirm]
		nobodys := mark
		if confirm == setting.ConfirmReads {
			nobodys = "?"
		}
		found, _ := f.run(f.described("long", users()), setting.Options{Confirm: confirm})
		f.want(found, "missing-lock "+long(2)+mark, "orphaned-lock "+long(3)+nobodys, "duplicate-value "+long(4)+mark)
	}
}

// If an account does not have the value in the form of the layout, it may still hold the value: the finding stays
// unconfirmed.
func TestDoubts(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("nested", "PK:S", "SK:S", user("1", "x", doc{"email": &types.AttributeValueMemberM{Value: doc{"work": str("ada")}}}), mail("ada"))
	found, _ := f.run(f.described("nested", users()), setting.Options{})
	f.want(found, "orphaned-lock ada?")
	if !strings.Contains(found[0].Detail, "USER#1 / PROFILE holds the value in email.work") {
		t.Error(found[0].Detail)
	}
	// The layout is guessed, and one account keeps its value in another attribute.
	f.create("guessed", "PK:S", "SK:S",
		doc{"PK": str("ACCT#1"), "SK": str("PROFILE"), "email": str("a")}, doc{"PK": str("UNIQ#EMAIL#a"), "SK": str("LOCK")},
		doc{"PK": str("ACCT#2"), "SK": str("PROFILE"), "mail": str("b")}, doc{"PK": str("UNIQ#EMAIL#b"), "SK": str("LOCK")})
	found, _ = f.run(f.open("guessed"), setting.Options{})
	f.want(found, "orphaned-lock b?")
}

// If very many locks are orphaned, the layout is probably wrong. The findings say so, and no note repeats it.
func TestTooManyOrphans(t *testing.T) {
	t.Parallel()
	f := start(t)
	items := []doc{}
	for n := range 30 {
		items = append(items, mail(fmt.Sprint(n)))
		if n < 20 {
			items = append(items, user(fmt.Sprint(n), fmt.Sprint(n)))
		}
	}
	f.create("many", "PK:S", "SK:S", items...)
	found, sum := f.run(f.described("many", users()), setting.Options{})
	if len(found) != 10 || !found[0].SuspectLayout || !strings.Contains(found[0].Detail, "10 of the 30 email locks") || len(sum.Notes) != 0 {
		t.Errorf("%d found, %+v, %+v", len(found), found[0], sum)
	}
	for n := range items { // the result is the same if the locks name accounts that hold other values
		if strings.HasPrefix(items[n]["PK"].(*types.AttributeValueMemberS).Value, "MAIL#") {
			items[n]["owner"] = str(fmt.Sprint(min(n/2, 19)))
		}
	}
	f.create("stale", "PK:S", "SK:S", items...)
	found, _ = f.run(f.described("stale", users(owned)), setting.Options{})
	if len(found) != 10 || found[0].Kind != finding.StaleLock || !found[0].SuspectLayout {
		t.Errorf("%d found, %+v", len(found), found[0])
	}
}

// The check finds accounts that expire without their locks, locks that expire without their accounts, and an account
// that exists after its expiry.
func TestExpiry(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("expiring", "PK:S", "SK:S",
		user("1", "a", doc{"ttl": num("4000000000")}), mail("a", doc{"ttl": num("4000000000")}),
		user("2", "b", doc{"ttl": num("4000000000")}), mail("b"),
		user("3", "c"), mail("c", doc{"ttl": num("4000000000")}),
		user("4", "d", doc{"ttl": num("1000000000")}),
		user("5", "e", doc{"ttl": str("never")}), mail("e"))
	table := f.described("expiring", users())
	found, _ := f.run(table, setting.Options{})
	f.want(found, "missing-lock d")
	f.expires("expiring")
	found, _ = f.run(table, setting.Options{})
	f.want(found, "missing-lock d", "expiring-account b", "expiring-account c")
	for _, one := range found {
		for value, says := range map[string]string{"d": "expired at 2001-09-09 01:46:40 UTC, but still exists", "b": "expires 2096-10-02", "c": "others can take the value"} {
			if one.Value == value && !strings.Contains(one.Detail, says) {
				t.Errorf("%q does not say %q", one.Detail, says)
			}
		}
	}
}

// A mark that a release left behind is listed, but is no finding.
func TestMarks(t *testing.T) {
	f := start(t)
	f.create("marked", "PK:S", "SK:S", user("1", "a"), mail("a", doc{schema.MarkAttribute: str("0123")}), mail("b", doc{schema.MarkAttribute: str("4567")}))
	found, sum := f.run(f.described("marked", users()), setting.Options{})
	f.want(found, "orphaned-lock b")
	if len(sum.Marks) != 2 || sum.Marks[0].Constraint != "email" || sum.Marks[0].Lock["SK"].Text != "LOCK" {
		t.Errorf("%+v", sum.Marks)
	}
}

// kept returns a baseline with these findings, in the format of check --output jsonl.
func kept(t *testing.T, found ...finding.Finding) *finding.Baseline {
	t.Helper()
	var lines strings.Builder
	for _, one := range found {
		data, err := json.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(data, '\n'))
	}
	lines.WriteString(`{"summary":{"table":"accounts"}}`)
	known, err := finding.ReadBaseline(strings.NewReader(lines.String()))
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// A baseline recognises a finding that was written and read again.
func TestBaseline(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts")
	found, _ := f.run(table, setting.Options{})
	again, sum := f.run(table, setting.Options{Known: kept(t, found[1:]...)})
	f.want(again, said(found[:1])...)
	if sum.Known != len(found)-1 || sum.Found() != 1 {
		t.Errorf("%+v", sum)
	}
	if _, err := finding.ReadBaseline(strings.NewReader("{\"summary\":{}}\nno")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Error(err)
	}
}

// A finding is new if the baseline has it only unconfirmed, and it is confirmed now. In the other direction it is not
// new.
func TestBaselineOfProvisionalFindings(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts")
	sure, _ := f.run(table, setting.Options{})
	unsure, _ := f.run(table, setting.Options{Confirm: setting.ConfirmNone})
	for _, c := range []struct {
		known []finding.Finding
		now   setting.Confirm
		want  []string
	}{
		{unsure, setting.ConfirmNone, nil},
		{unsure, setting.ConfirmFull, said(sure)},
		{sure, setting.ConfirmNone, nil},
		{append(slices.Clone(unsure), sure[1:]...), setting.ConfirmFull, said(sure[:1])},
	} {
		found, sum := f.run(table, setting.Options{Known: kept(t, c.known...), Confirm: c.now})
		f.want(found, c.want...)
		if sum.Known != len(sure)-len(c.want) {
			t.Errorf("%+v", sum)
		}
	}
}

// A table that was deleted and created again is another table, even if its name is the same: the baseline does not
// apply. Findings without the id of a table count for the checked table.
func TestBaselineOfAnotherTable(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("again", "PK:S", "SK:S", user("1", "a"))
	before, _ := f.run(f.described("again", users()), setting.Options{})
	if _, err := f.App().DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("again")}); err != nil {
		t.Fatal(err)
	}
	f.create("again", "PK:S", "SK:S", user("1", "a"))
	found, sum := f.run(f.described("again", users()), setting.Options{Known: kept(t, before...)})
	f.want(found, "missing-lock a")
	if sum.Known != 0 || len(sum.Notes) != 1 || !strings.Contains(sum.Notes[0], "the baseline has 1 finding of a different table that was also called again") {
		t.Errorf("%+v", sum)
	}
	before[0].TableID = ""
	found, sum = f.run(f.described("again", users()), setting.Options{Known: kept(t, before...)})
	if len(found) != 0 || sum.Known != 1 || len(sum.Notes) != 0 {
		t.Errorf("%v, %+v", said(found), sum)
	}
}

// The same value in two scopes is two values. An orphaned lock of one tenant is not another spelling of the value that
// another tenant's account holds.
func TestSpellingsOfScopes(t *testing.T) {
	f := start(t)
	of := func(tenant, v string) doc { return doc{"PK": str(tenant + "#" + v), "SK": str("LOCK")} }
	at := func(tenant, id, v string) doc {
		return user(id, v, doc{"PK": str("TENANT#" + tenant), "SK": str("USER#" + id)})
	}
	f.create("scopes", "PK:S", "SK:S", at("a", "1", "ada"), of("b", "ada"), at("a", "2", "Bob"), of("a", "bob"),
		at("a", "3", "c"), of("a", "c"))
	l := users(func(c *config.Constraint) { c.PK = "{tenant}#{v}" })
	l.Accounts[0].PK, l.Accounts[0].SK = "TENANT#{tenant}", "USER#{id}"
	found, _ := f.run(f.described("scopes", l), setting.Options{})
	f.want(found, "missing-lock ada?", "orphaned-lock ada?", "unnormalised-value Bob") // the scope may be wrong
}
