package layout_test

import (
	"reflect"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"tallylock/dynamo/layout/config"
)

// A layout that is written as a config and read again is the same layout.
func TestALayoutReadsBackAsItself(t *testing.T) {
	full := config.Layout{
		Name: "odd 'name' \"quoted\"", Tables: []string{"t"}, WrittenIn: "eu-west-1", Ignore: []string{"slug", "COUNTER"},
		Accounts: []config.Account{{
			Model: "member", PK: "MEM#{id}", SK: "PROFILE", Is: &config.Discriminator{Attribute: "type", Value: "member"}, Version: "rev",
			Derived: []config.Derived{{Attribute: "GSI1PK", Template: "{tenant}#{contact.email}", Normalise: []string{"lower"}}, {Attribute: "GSI1SK", Template: "{{{rev}"}},
			Constraints: []config.Constraint{
				{Name: "vat", Attribute: "company.vat", Unique: true, Normalise: []string{"trim", "upper"}, Index: "by-vat", Scope: []string{"country", "company.kind"}},
				{Name: "mail", Attribute: "contact.email", PK: "UNIQ#{{x}}#{v}", SK: "{pk}", Normalise: []string{"trim", "lower"}, Owner: "memberId", OwnerForm: "member#{id}", Also: []config.LockKey{{PK: "MAIL#{v}", SK: "LOCK"}, {PK: "L#{v}", SK: "{pk}"}}, Lapses: true, Index: "by-mail", Moves: true, MultiTransaction: true, Shared: true, ReservedFor: "48h", ReservedSince: "claim.at"},
				{Attribute: "phone", PK: "{sha256:User#{{{v}}", SK: "{len:pk}#{pk}", Normalise: []string{"nfc", "base64url", "dynamoflow"}},
				{Attribute: "nick", PK: "s{len:a{v}}:a{v}#"},
				{Attribute: "handle", Table: "locks", PK: "T#{tenant}#{v}", Is: &config.Discriminator{Attribute: "kind", Value: "\x1b\n"}},
			},
		}},
		Counters: []config.Counter{
			{Name: "orders", PK: "0", Attribute: "order_number", IDs: []config.IDs{
				{Table: "orders", PK: "ORDER#{number}", SK: "{pk}", Is: &config.Discriminator{Attribute: "type", Value: "order"}}, {Attribute: "invoice.no", Text: "INV-{number}"},
			}},
			{PK: "{partition}", Attribute: "n", Semantics: "next", Start: "100", Step: "9", Offset: "99999999999999999999"},
			{Name: "daily", PK: "D", Attribute: "n", Resets: "daily", IDs: []config.IDs{{Attribute: "no"}}},
		},
	}
	want, err := full.Build()
	if err != nil {
		t.Fatal(err)
	}
	text := config.Of(want, "t").TOML()
	var file struct {
		Layouts []config.Layout `toml:"layout"`
	}
	if err := toml.Unmarshal(text, &file); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	got, err := file.Layouts[0].Build()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("it reads back as another layout:\n%s", text)
	}
}
