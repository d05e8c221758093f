package layout_test

import "tallylock/dynamo/layout"

func buildAccount(a layout.AccountConfig) (*layout.Account, error) {
	l, err := layout.Config{Name: "mine", Accounts: []layout.AccountConfig{a}}.Build()
	if err != nil {
		return nil, err
	}
	return l.Accounts[0], nil
}

func buildConstraint(c layout.ConstraintConfig) (*layout.Constraint, error) {
	a, err := buildAccount(layout.AccountConfig{PK: "ACCT#{id}", SK: "PROFILE", Constraints: []layout.ConstraintConfig{c}})
	if err != nil {
		return nil, err
	}
	return a.Constraints[0], nil
}

func buildCounter(c layout.CounterConfig) (*layout.Counter, error) {
	l, err := layout.Config{Name: "mine", Counters: []layout.CounterConfig{c}}.Build()
	if err != nil {
		return nil, err
	}
	return l.Counters[0], nil
}
