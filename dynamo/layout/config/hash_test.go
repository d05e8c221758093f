package config_test

import (
	"testing"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// The hash that a change records covers its constraint and its kind of account. Other parts of the layout may change
// between a change and its undo.
func TestAHashCoversOneConstraint(t *testing.T) {
	t.Parallel()
	build := func(edit func(*config.Layout)) *layout.Layout {
		c := config.Layout{Name: "people", Accounts: []config.Account{{PK: "ACCT#{id}", Constraints: []config.Constraint{
			{Name: "email", Attribute: "email", PK: "EMAIL#{v}"}, {Name: "handle", Attribute: "handle", PK: "HANDLE#{v}"},
		}}}, Counters: []config.Counter{{PK: "COUNTER", Attribute: "n", Semantics: "last"}}}
		edit(&c)
		l, err := c.Build()
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	was := build(func(*config.Layout) {})
	for name, of := range map[string]struct {
		edit  func(*config.Layout)
		email bool // the hash of the constraint email differs
		all   bool // the hash of all accounts differs
	}{
		"a counter's meaning": {func(c *config.Layout) { c.Counters[0].Semantics = "next" }, false, false},
		"no counter":          {func(c *config.Layout) { c.Counters = nil }, false, false},
		"another constraint":  {func(c *config.Layout) { c.Accounts[0].Constraints[1].PK = "NAME#{v}" }, false, true},
		"its lock's key":      {func(c *config.Layout) { c.Accounts[0].Constraints[0].PK = "MAIL#{v}" }, true, true},
		"its account's key":   {func(c *config.Layout) { c.Accounts[0].PK = "USER#{id}" }, true, true},
		"an answer": {func(c *config.Layout) {
			c.Accounts[0].Constraints[0].NoHolders = []layout.Place{{Table: "people", Items: "O#*", Attribute: "email"}}
		}, false, false},
	} {
		now := build(of.edit)
		if differs := config.HashOf(was, "email") != config.HashOf(now, "email"); differs != of.email {
			t.Errorf("%s: the hash of email differs: %t", name, differs)
		}
		if differs := config.HashOf(was, "") != config.HashOf(now, ""); differs != of.all {
			t.Errorf("%s: the hash of the accounts differs: %t", name, differs)
		}
	}
}
