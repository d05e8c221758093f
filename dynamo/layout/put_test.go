package layout_test

import (
	"slices"
	"testing"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// An accepted constraint replaces its special cases among the guesses, but no guess for another attribute or for other
// items.
func TestAnAcceptedConstraintReplacesItsSpecialCases(t *testing.T) {
	account := func(pk string, constraints ...config.Constraint) config.Account {
		return config.Account{PK: pk, SK: "USER#{id}", Constraints: constraints}
	}
	rule := func(name, attribute, pk string) config.Constraint {
		return config.Constraint{Name: name, Attribute: attribute, PK: pk, SK: "LOCK"}
	}
	build := func(accounts ...config.Account) *layout.Layout {
		l, err := config.Layout{Name: "ours", Accounts: accounts}.Build()
		if err != nil {
			t.Fatal(err)
		}
		l.SetState(layout.Guessed)
		return l
	}
	l := build(
		account("TENANT#acme", rule("handle-2", "handle", "acme#HANDLE#{v}")),
		account("TENANT#globex", rule("handle-3", "handle", "globex#HANDLE#{v}"), rule("mail", "mail", "globex#MAIL#{v}")),
		account("TENANT#{tenant}", rule("tenant", "tenant", "{v}#HANDLE#chloe0")),
		config.Account{
			PK: "TENANT#{tenant}", SK: "USER#{id}", Is: &config.Discriminator{Attribute: "kind", Value: "bot"},
			Constraints: []config.Constraint{rule("bot", "handle", "{tenant}#HANDLE#BOT#{v}")},
		},
	)
	special := build(account("TENANT#acme", rule("badge", "badge", "acme#BADGE#{v}")))
	general := build(account("TENANT#{tenant}",
		rule("handle", "handle", "{tenant}#HANDLE#{v}"), rule("badges", "badge", "{tenant}#BADGE#{v}")))
	l.Put(special, general)
	var names []string
	for _, a := range l.Accounts {
		for _, c := range a.Constraints {
			names = append(names, c.Name)
		}
	}
	if want := []string{"badge", "mail", "tenant", "handle", "badges", "bot"}; !slices.Equal(names, want) {
		t.Errorf("the constraints are %q, want %q", names, want)
	}
}
