package layout_test

import (
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

func buildAccount(a config.Account) (*layout.Account, error) {
	l, err := config.Layout{Name: "mine", Accounts: []config.Account{a}}.Build()
	if err != nil {
		return nil, err
	}
	return l.Accounts[0], nil
}

func buildConstraint(c config.Constraint) (*layout.Constraint, error) {
	a, err := buildAccount(config.Account{PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{c}})
	if err != nil {
		return nil, err
	}
	return a.Constraints[0], nil
}

func buildCounter(c config.Counter) (*layout.Counter, error) {
	l, err := config.Layout{Name: "mine", Counters: []config.Counter{c}}.Build()
	if err != nil {
		return nil, err
	}
	return l.Counters[0], nil
}
