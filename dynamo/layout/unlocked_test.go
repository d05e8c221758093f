package layout_test

import (
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// What a derived key is made of has to be other attributes.
func TestDerivedKeysThatCannotBeMeant(t *testing.T) {
	for says, d := range map[string]layout.DerivedConfig{
		"attribute, the key":  {Template: "USER#{email}"},
		"template, what":      {Attribute: "GSI1PK"},
		"names no attribute":  {Attribute: "GSI1PK", Template: "USER"},
		"of other attributes": {Attribute: "GSI1PK", Template: "USER#{GSI1PK}"},
		"of locks alone":      {Attribute: "GSI1PK", Template: "{len:email}#{email}"},
		"bad key template":    {Attribute: "GSI1PK", Template: "{a}{b}"},
	} {
		_, err := layout.Config{Name: "ours", Accounts: []layout.AccountConfig{{PK: "USER#{id}", Derived: []layout.DerivedConfig{d}}}}.Build()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, which does not say %q", err, says)
		}
	}
}

// A rule without locks has nothing of a lock: what only locks have is refused beside it.
func TestRulesWithoutLocks(t *testing.T) {
	build := func(change func(*layout.ConstraintConfig)) (*layout.Layout, error) {
		c := layout.ConstraintConfig{Attribute: "email", Unique: true, Normalise: []string{"trim", "lower"}, Index: "byEmail"}
		change(&c)
		return layout.Config{Name: "ours", Accounts: []layout.AccountConfig{{PK: "USER#{id}", Constraints: []layout.ConstraintConfig{c}}}}.Build()
	}
	for says, change := range map[string]func(*layout.ConstraintConfig){
		"pk is of locks":         func(c *layout.ConstraintConfig) { c.PK = "MAIL#{v}" },
		"sk is of locks":         func(c *layout.ConstraintConfig) { c.SK = "LOCK" },
		"table is of locks":      func(c *layout.ConstraintConfig) { c.Table = "locks" },
		"is is of locks":         func(c *layout.ConstraintConfig) { c.Is = &layout.DiscriminatorConfig{"type", "lock"} },
		"owner is of locks":      func(c *layout.ConstraintConfig) { c.Owner = "owner" },
		"moves is of locks":      func(c *layout.ConstraintConfig) { c.Moves = true },
		"two_steps is of locks":  func(c *layout.ConstraintConfig) { c.TwoSteps = true },
		"also is of locks":       func(c *layout.ConstraintConfig) { c.Also = []layout.LockKeyConfig{{PK: "MAIL#{v}"}} },
		"owner_form is of locks": func(c *layout.ConstraintConfig) { c.OwnerForm = "user#{id}" },
		"lapses is of locks":     func(c *layout.ConstraintConfig) { c.Lapses = true },
		"own attribute":          func(c *layout.ConstraintConfig) { c.Scope = []string{"tenant", "email"} },
		"named twice":            func(c *layout.ConstraintConfig) { c.Scope = []string{"tenant", "tenant"} },
		"is not an attribute":    func(c *layout.ConstraintConfig) { c.Scope = []string{"{tenant}"} },
		"shared is of locks":     func(c *layout.ConstraintConfig) { c.Shared = true },
		"what encodes them":      func(c *layout.ConstraintConfig) { c.Normalise = []string{"sha256"} },
		"unknown normaliser":     func(c *layout.ConstraintConfig) { c.Normalise = []string{"lowercase"} },
		"unique = true where":    func(c *layout.ConstraintConfig) { c.Unique = false },
	} {
		if _, err := build(change); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, which does not say %q", err, says)
		}
	}
	l, err := build(func(*layout.ConstraintConfig) {})
	if err != nil {
		t.Fatal(err)
	}
	other, _ := build(func(c *layout.ConstraintConfig) { c.Normalise = nil })
	if len(l.Constraints()) > 0 || l.UnlockedNamed("email") == nil || !l.UnlockedNamed("email").Lockless() || layout.Hash(l) == layout.Hash(other) {
		t.Errorf("%+v", l)
	}
	item := attr.Item{"email": attr.Value{Kind: attr.SS, Set: []string{" Ada", "ada", "B", " "}}}
	if got := l.UnlockedNamed("email").AppendValues(nil, item); !slices.Equal(got, []string{"ada", "b"}) {
		t.Errorf("the values are %q", got)
	}
}
