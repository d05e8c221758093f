package layout_test

import (
	"testing"

	"tallylock/dynamo/layout"
)

// The hash that a change carries covers its constraint and its account. What else the table keeps
// may change between a change and its undo.
func TestAHashCoversOneConstraint(t *testing.T) {
	t.Parallel()
	build := func(edit func(*layout.Config)) *layout.Layout {
		c := layout.Config{Name: "people", Accounts: []layout.AccountConfig{{PK: "ACCT#{id}", Constraints: []layout.ConstraintConfig{
			{Name: "email", Attribute: "email", PK: "EMAIL#{v}"}, {Name: "handle", Attribute: "handle", PK: "HANDLE#{v}"},
		}}}, Counters: []layout.CounterConfig{{PK: "COUNTER", Attribute: "n", Semantics: "last"}}}
		edit(&c)
		l, err := c.Build()
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	was := build(func(*layout.Config) {})
	for name, of := range map[string]struct {
		edit  func(*layout.Config)
		email bool // the hash of email differs
		all   bool // so does that of the account
	}{
		"a counter's meaning": {func(c *layout.Config) { c.Counters[0].Semantics = "next" }, false, false},
		"no counter":          {func(c *layout.Config) { c.Counters = nil }, false, false},
		"another constraint":  {func(c *layout.Config) { c.Accounts[0].Constraints[1].PK = "NAME#{v}" }, false, true},
		"its lock's key":      {func(c *layout.Config) { c.Accounts[0].Constraints[0].PK = "MAIL#{v}" }, true, true},
		"its account's key":   {func(c *layout.Config) { c.Accounts[0].PK = "USER#{id}" }, true, true},
		"an answer": {func(c *layout.Config) {
			c.Accounts[0].Constraints[0].NoHolders = []layout.Place{{Table: "people", Items: "O#*", Attribute: "email"}}
		}, false, false},
	} {
		now := build(of.edit)
		if differs := layout.HashOf(was, "email") != layout.HashOf(now, "email"); differs != of.email {
			t.Errorf("%s: the hash of email differs: %t", name, differs)
		}
		if differs := layout.HashOf(was, "") != layout.HashOf(now, ""); differs != of.all {
			t.Errorf("%s: the hash of the accounts differs: %t", name, differs)
		}
	}
}
