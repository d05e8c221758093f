package layout_test

import (
	"reflect"
	"tallylock/dynamo/layout"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// A layout that is written as a config and read again is the same layout.
func TestALayoutReadsBackAsItself(t *testing.T) {
	full := layout.Config{
		Name: "odd 'name' \"quoted\"", Tables: []string{"t"}, WrittenIn: "eu-west-1", Ignore: []string{"slug", "COUNTER"},
		Accounts: []layout.AccountConfig{{
			Model: "member", PK: "MEM#{id}", SK: "PROFILE", Is: &layout.DiscriminatorConfig{"type", "member"}, Version: "rev",
			Derived: []layout.DerivedConfig{{Attribute: "GSI1PK", Template: "{tenant}#{contact.email}", Normalise: []string{"lower"}}, {Attribute: "GSI1SK", Template: "{{{rev}"}},
			Constraints: []layout.ConstraintConfig{
				{Name: "vat", Attribute: "company.vat", Unique: true, Normalise: []string{"trim", "upper"}, Index: "by-vat", Scope: []string{"country", "company.kind"}},
				{Name: "mail", Attribute: "contact.email", PK: "UNIQ#{{x}}#{v}", SK: "{pk}", Normalise: []string{"trim", "lower"}, Owner: "memberId", OwnerForm: "member#{id}", Also: []layout.LockKeyConfig{{PK: "MAIL#{v}", SK: "LOCK"}, {PK: "L#{v}", SK: "{pk}"}}, Lapses: true, Index: "by-mail", Moves: true, TwoSteps: true, Shared: true, ReservedFor: "48h", ReservedSince: "claim.at"},
				{Attribute: "phone", PK: "{sha256:User#{{{v}}", SK: "{len:pk}#{pk}", Normalise: []string{"nfc", "base64url", "dynamoflow"}},
				{Attribute: "nick", PK: "s{len:a{v}}:a{v}#"},
				{Attribute: "handle", Table: "locks", PK: "T#{tenant}#{v}", Is: &layout.DiscriminatorConfig{"kind", "\x1b\n"}},
			},
		}},
		Counters: []layout.CounterConfig{
			{Name: "orders", PK: "0", Attribute: "order_number", IDs: []layout.IDsConfig{
				{Table: "orders", PK: "ORDER#{number}", SK: "{pk}", Is: &layout.DiscriminatorConfig{"type", "order"}}, {Attribute: "invoice.no", Text: "INV-{number}"},
			}},
			{PK: "{partition}", Attribute: "n", Semantics: "next", Start: "100", Step: "9", Offset: "99999999999999999999"},
			{Name: "daily", PK: "D", Attribute: "n", Resets: "daily", IDs: []layout.IDsConfig{{Attribute: "no"}}},
		},
	}
	want, err := full.Build()
	if err != nil {
		t.Fatal(err)
	}
	text := layout.Of(want, "t").TOML()
	var file struct {
		Layouts []layout.Config `toml:"layout"`
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
