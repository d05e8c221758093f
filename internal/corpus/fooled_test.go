package corpus_test

import (
	"slices"
	"testing"

	"tallylock/dynamo/layout/config"
)

// If one line of a described layout is wrong, the judge notices it.
func TestJudgeIsNotFooled(t *testing.T) {
	for name, change := range map[string]func(*config.Account){
		"electrodb constraint":                 func(a *config.Account) { a.Constraints[0].Normalise = nil },
		"few capitals, kept":                   func(a *config.Account) { a.Constraints[0].Normalise = []string{"lower"} },
		"few capitals, folded":                 func(a *config.Account) { a.Constraints[0].Normalise = nil },
		"uniq":                                 func(a *config.Account) { a.Constraints[0].Owner = "" },
		"an owner that is mostly right":        func(a *config.Account) { a.Constraints[0].Owner = "createdBy" },
		"an attribute that is mostly the same": func(a *config.Account) { a.Constraints[0].Attribute = "contactEmail" },
		"guests have no locks":                 func(a *config.Account) { a.Is = nil },
		"two items under one lock key":         func(a *config.Account) { a.Constraints[0].SK = "VERIFICATION" },
		"three words":                          func(a *config.Account) { a.Constraints = a.Constraints[:2] },
		"scope before the value":               func(a *config.Account) { a.Constraints[0].PK = "TENANT#acme#EMAIL#{v}" },
		"own table, kinds":                     func(a *config.Account) { a.Constraints[0].PK = "USERNAME" },
		"claims and orders":                    func(a *config.Account) { a.PK, a.SK = "ORDER#{id}", "ORDER" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := familyOf(t, name).build()
			account := described[name]
			account.Constraints = slices.Clone(account.Constraints)
			change(&account)
			c := config.Layout{Name: "ours", Tables: []string{w.tables[0].name()}, Accounts: []config.Account{account}}
			if j := w.judge(t, w.engine(t), c); j.result() == right {
				t.Errorf("taken for right:\n%s", j.toml)
			} else {
				t.Log(j.result(), slices.Concat(j.misled, j.lacking)[0])
			}
		})
	}
}

// familyOf finds a family by its name.
func familyOf(t *testing.T, name string) family {
	t.Helper()
	for _, g := range recognised {
		for _, f := range g.families {
			if f.name == name {
				return f
			}
		}
	}
	t.Fatalf("there is no family %q", name)
	return family{}
}
