package layout_test

import (
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// Impossible settings of a derived key are errors. Its template must use other attributes of the item.
func TestDerivedKeysThatCannotBeMeant(t *testing.T) {
	for says, d := range map[string]config.Derived{
		"attribute is missing: name the key attribute that is made from other attributes": {Template: "USER#{email}"},
		"template is missing: the form of the key, as in USER#{email}":                    {Attribute: "GSI1PK"},
		"names no attribute":                {Attribute: "GSI1PK", Template: "USER"},
		"only other attributes of the item": {Attribute: "GSI1PK", Template: "USER#{GSI1PK}"},
		"only keys of locks":                {Attribute: "GSI1PK", Template: "{len:email}#{email}"},
		"bad key template":                  {Attribute: "GSI1PK", Template: "{a}{b}"},
	} {
		_, err := config.Layout{Name: "ours", Accounts: []config.Account{{PK: "USER#{id}", Derived: []config.Derived{d}}}}.Build()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, which does not say %q", err, says)
		}
	}
}

// Build refuses the settings of locks in a rule without locks.
func TestRulesWithoutLocks(t *testing.T) {
	build := func(change func(*config.Constraint)) (*layout.Layout, error) {
		c := config.Constraint{Attribute: "email", Unique: true, Normalise: []string{"trim", "lower"}, Index: "byEmail"}
		change(&c)
		return config.Layout{Name: "ours", Accounts: []config.Account{{PK: "USER#{id}", Constraints: []config.Constraint{c}}}}.Build()
	}
	for says, change := range map[string]func(*config.Constraint){
		"pk is about locks":               func(c *config.Constraint) { c.PK = "MAIL#{v}" },
		"sk is about locks":               func(c *config.Constraint) { c.SK = "LOCK" },
		"table is about locks":            func(c *config.Constraint) { c.Table = "locks" },
		"is is about locks":               func(c *config.Constraint) { c.Is = &config.Discriminator{Attribute: "type", Value: "lock"} },
		"owner is about locks":            func(c *config.Constraint) { c.Owner = "owner" },
		"moves is about locks":            func(c *config.Constraint) { c.Moves = true },
		"two_steps is about locks":        func(c *config.Constraint) { c.MultiTransaction = true },
		"also is about locks":             func(c *config.Constraint) { c.Also = []config.LockKey{{PK: "MAIL#{v}"}} },
		"owner_form is about locks":       func(c *config.Constraint) { c.OwnerForm = "user#{id}" },
		"lapses is about locks":           func(c *config.Constraint) { c.Lapses = true },
		"is the attribute of the value":   func(c *config.Constraint) { c.Scope = []string{"tenant", "email"} },
		"named twice":                     func(c *config.Constraint) { c.Scope = []string{"tenant", "tenant"} },
		"is not the name of an attribute": func(c *config.Constraint) { c.Scope = []string{"{tenant}"} },
		"shared is about locks":           func(c *config.Constraint) { c.Shared = true },
		"normalise: without locks, values are only compared: remove each normaliser that encodes, such as sha256 or base64": func(c *config.Constraint) { c.Normalise = []string{"sha256"} },
		"unknown normaliser": func(c *config.Constraint) { c.Normalise = []string{"lowercase"} },
		"in place of the value. If there are no locks, set unique = true": func(c *config.Constraint) { c.Unique = false },
	} {
		if _, err := build(change); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, which does not say %q", err, says)
		}
	}
	l, err := build(func(*config.Constraint) {})
	if err != nil {
		t.Fatal(err)
	}
	other, _ := build(func(c *config.Constraint) { c.Normalise = nil })
	if len(l.Constraints()) > 0 || l.UnlockedNamed("email") == nil || !l.UnlockedNamed("email").Lockless() || config.Hash(l) == config.Hash(other) {
		t.Errorf("%+v", l)
	}
	item := attr.Item{"email": attr.Value{Kind: attr.SS, Set: []string{" Ada", "ada", "B", " "}}}
	if got := l.UnlockedNamed("email").AppendValues(nil, item); !slices.Equal(got, []string{"ada", "b"}) {
		t.Errorf("the values are %q", got)
	}
}
