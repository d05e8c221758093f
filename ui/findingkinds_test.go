package ui_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
)

type document = map[string]types.AttributeValue

// withEveryKind makes and opens a table with one finding of each kind.
func (s *setup) withEveryKind(t *testing.T) {
	t.Helper()
	app, table := s.demo.App(), aws.String("every")
	if _, err := app.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: table, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS}, {AttributeName: aws.String("SK"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}, {AttributeName: aws.String("SK"), KeyType: types.KeyTypeRange}},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := app.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName: table, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("ttl"), Enabled: aws.Bool(true)},
	}); err != nil {
		t.Fatal(err)
	}
	account := func(id, name, value string) document {
		return document{"PK": sdk.S("ACCT#" + id), "SK": sdk.S("PROFILE"), name: sdk.S(value)}
	}
	lock := func(kind, value string) document {
		return document{"PK": sdk.S("UNIQ#" + kind + "#" + value), "SK": sdk.S("LOCK")}
	}
	names := func(lock document, owner string) document { lock["owner"] = sdk.S(owner); return lock }
	expiring := account("7", "username", "expiring")
	expiring["ttl"] = sdk.N("4000000000")
	items := []document{
		lock("NAME", "orphaned"),
		account("2", "email", "new@x.test"), names(lock("EMAIL", "new@x.test"), "ACCT#2"), names(lock("EMAIL", "stale@x.test"), "ACCT#2"),
		account("3", "username", "missing"),
		account("4", "email", "foreign@x.test"), names(lock("EMAIL", "foreign@x.test"), "ACCT#gone"),
		account("5", "username", "twofold"), account("6", "username", "twofold"), lock("NAME", "twofold"),
		account("8", "username", "Misspelt"), lock("NAME", "misspelt"),
		lock("NAME", "undefined"),
		expiring, lock("NAME", "expiring"),
		{"PK": sdk.S("COUNT"), "SK": sdk.S("behind"), "n": sdk.N("7")},
		{"PK": sdk.S("behind#9"), "SK": sdk.S("ID")},
		{"PK": sdk.S("absent#3"), "SK": sdk.S("ID")},
		{"PK": sdk.S("COUNT"), "SK": sdk.S("text"), "n": sdk.S("seven")},
		{"PK": sdk.S("COUNT"), "SK": sdk.S("large"), "n": sdk.N("9007199254740995")},
		{"PK": sdk.S("COUNT"), "SK": sdk.S("offstep"), "n": sdk.N("12")},
		{"PK": sdk.S("COUNT"), "SK": sdk.S("twins"), "n": sdk.N("50")},
		{"PK": sdk.S("a"), "SK": sdk.S("x"), "twin": sdk.N("44")},
		{"PK": sdk.S("b"), "SK": sdk.S("x"), "twin": sdk.N("44")},
		{"PK": sdk.S("ACCT#9"), "SK": sdk.S("PROFILE"), "nick": sdk.S("ada"), "byNick": sdk.S("NICK#bob")},
	}
	for _, item := range items {
		if _, err := app.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: table, Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	counter := func(name, step string, ids ...config.IDs) config.Counter {
		return config.Counter{Name: name, PK: "COUNT", SK: name, Attribute: "n", Semantics: "last", Step: step, IDs: ids}
	}
	s.connect(t, func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{
			Name: "ours", Tables: []string{"every"},
			Accounts: []config.Account{{PK: "ACCT#{id}", SK: "PROFILE", Derived: []config.Derived{{Attribute: "byNick", Template: "NICK#{nick}"}}, Constraints: []config.Constraint{
				{Name: "email", Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "owner"},
				{Name: "username", Attribute: "username", PK: "UNIQ#NAME#{v}", SK: "LOCK"},
			}}},
			Counters: []config.Counter{
				counter("behind", "", config.IDs{PK: "behind#{number}", SK: "ID"}), counter("absent", "", config.IDs{PK: "absent#{number}", SK: "ID"}),
				counter("text", ""), counter("large", ""), counter("offstep", "5"), counter("twins", "", config.IDs{Attribute: "twin"}),
			},
		}}
	})
	s.options.Table = "every"
}

// For each kind of finding, the screen offers only the actions that are possible. If no repair is possible there, the
// key for it says what to do instead.
func TestEachKindOfFinding(t *testing.T) {
	s := onDemo(t)
	s.withEveryKind(t)
	s.w, s.h = 140, 60 // wide enough to show the actions beside the list
	term := s.run(t)
	term.see("ACCT#2")
	term.press("4")
	term.see("✓ Checked")
	for _, c := range []struct {
		kind           finding.Kind
		value          string
		mends, instead string // the title of the dialog, or the message if there is no dialog
	}{
		{finding.OrphanedLock, "orphaned", "Release a lock", ""},
		{finding.StaleLock, "stale@x.test", "Release a lock", ""},
		{finding.MissingLock, "missing", "Put a missing lock", ""},
		{finding.ForeignLock, "foreign@x.test", "Give a lock its owner", ""},
		{finding.DuplicateValue, "twofold", "", "Decide who keeps it, then change the others' value: e on accounts."},
		{finding.UnnormalisedLock, "Misspelt", "Replace a lock", ""},
		{finding.MalformedLock, "undefined", "", "Repair the program that wrote the lock; r releases the lock."},
		{finding.ExpiringAccount, "expiring", "Let locks expire with their account", ""},
		{finding.CounterBehind, "behind", "Raise a counter", ""},
		{finding.CounterMissing, "absent", "Create a counter", ""},
		{finding.CounterNotNumber, "text", "Turn it into a number", ""},
		{finding.CounterUnsafe, "large", "", "The counter's number is right: repair the programs that read it as a double."},
		{finding.CounterOffStep, "offstep", "Raise a counter", ""},
		{finding.DuplicateID, "44", "", "Decide which item keeps the id, then give the others new numbers."},
		{finding.DriftedKey, "NICK#bob", "", `The application must write the key "NICK#ada".`},
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			term.press("F" + string(c.kind) + "<enter>")
			frame := term.see("1 of 1, 15 findings in all", string(c.kind), "YOU CAN")
			if !strings.Contains(row(frame, "▸ └"), " "+c.value+" ") {
				t.Fatalf("the finding is not selected:\n%s", frame)
			}
			if offered := strings.Contains(frame, "m     mend it"); offered != (c.mends != "") {
				t.Errorf("mending is offered: %v:\n%s", offered, frame)
			}
			if released := strings.Contains(frame, "r     release the lock"); released != (c.kind == finding.MalformedLock) {
				t.Errorf("a release is offered: %v:\n%s", released, frame)
			}
			term.press("m")
			if c.mends != "" {
				term.see("─ "+c.mends+" ─", "reason")
				term.press("<esc>")
				term.see("Nothing was changed.")
			} else {
				term.see(c.instead)
			}
			term.press("<esc>")
			term.gone("findings in all")
		})
	}
	term.press("Fcounter-not<enter>m")
	term.see("Turn it into a number", "─ Turn it into a number ─", "│  The counter text holds \"seven\", which is not a number")
	term.press("7<tab>")
	term.see(`text holds "seven" (S). It gets the number 7.`, "the name to enable Set")
	term.press("<tab>text<tab>")
	term.see("▸ No, leave it")
	term.agree("Set it to 7")
	term.press("<enter>")
	frame := term.see("1, 1 mended", "text holds the number 7. Receipt R-")
	if !strings.Contains(row(frame, "▸ └"), "✓ mended") {
		t.Errorf("the row does not say what became of it:\n%s", frame)
	}
}
