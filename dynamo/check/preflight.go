package check

import (
	"context"
	"fmt"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// sampledAccounts is how many accounts are tried before a table is paid for, and
// fewAccounts how few of them say nothing.
const (
	sampledAccounts = 100
	fewAccounts     = 10
)

// trial is what a sample of accounts says of a constraint.
type trial struct {
	calls int // locks that they call for
	locks int // that exist
	owned int // of these, that name somebody
	right int // of these, that name the account
}

// preflight tries the layout on a sample of accounts and their locks, before the
// whole table is read. It answers an error where the layout does not fit.
func (c *checker) preflight(ctx context.Context) error {
	if len(c.rules) == 0 || !c.ofLocks() || c.o.exportOnly() {
		return nil
	}
	c.enter(stage{what: "trying the layout"})
	defer c.leave()
	t := c.t
	var accounts []attr.Item
	locks := 0
	err := c.witness.Sample(ctx, func(item attr.Item) (enough bool) {
		switch role := t.Layout.Classify(t.Name, t.Name, t.Schema, item); {
		case role.Account != nil:
			accounts = append(accounts, item)
		case role.Constraint != nil:
			locks++
		}
		return len(accounts) >= sampledAccounts
	})
	if err != nil {
		return err
	}
	trials := make([]trial, len(c.rules))
	if err := c.try(ctx, accounts, trials); c.denied(err) {
		c.remark("whether the layout %s fits was not tried on a sample: the permission dynamodb:BatchGetItem is missing", t.Layout.Name)
		return nil
	} else if err != nil {
		return err
	}
	sum := trial{}
	for n, r := range c.rules {
		one := trials[n]
		sum.calls, sum.locks = sum.calls+one.calls, sum.locks+one.locks
		if r.first.owned && one.owned < one.locks {
			c.unowned(r)
		}
		if one.owned >= fewAccounts && one.right == 0 {
			return c.misfit(fmt.Sprintf("%s of the %s locks of a sample name somebody in %q, and none names its account", dynamo.Group(fmt.Sprint(one.owned)), r.Name, r.Owner))
		}
	}
	switch {
	case len(accounts) >= fewAccounts && sum.calls > 0 && sum.locks == 0:
		return c.misfit(fmt.Sprintf("of the %d locks that %d sampled accounts call for, none exists", sum.calls, len(accounts)))
	case len(accounts) == 0 && locks >= fewAccounts && !t.Layout.Configured:
		return c.misfit(fmt.Sprintf("a sample of it has %d locks and no account", locks))
	}
	for n, r := range c.rules {
		if trials[n].calls >= fewAccounts && trials[n].locks == 0 {
			c.remark("of the %d %s locks that sampled accounts call for, none exists: the layout may be wrong about them", trials[n].calls, r.Name)
		}
	}
	return nil
}

// denied reports whether single items may not be read, in a check that does
// without them.
func (c *checker) denied(err error) bool {
	return c.o.Confirm == ConfirmNone && dynamo.KindOf(err) == dynamo.Denied
}

// try reads the locks that accounts call for.
func (c *checker) try(ctx context.Context, accounts []attr.Item, trials []trial) error {
	type call struct {
		claim   layout.Claim
		account dynamo.Account
	}
	calls := map[string][]call{}
	keys := map[string][]attr.Key{}
	for _, item := range accounts {
		for _, a := range c.t.Layout.Accounts {
			id, ok := a.Matches(c.t.Schema, item)
			if !ok {
				continue
			}
			key, _ := c.t.Schema.KeyOf(item)
			for _, claim := range a.Claims(c.t.Name, c.t.SchemaOf, item) {
				if claim.Err == nil {
					table := claim.Constraint.LockTable(c.t.Name)
					calls[table] = append(calls[table], call{claim, dynamo.Account{Model: a.Model, ID: id, Key: key}})
					keys[table] = append(keys[table], claim.Key)
				}
			}
			break
		}
	}
	for table, all := range calls {
		found, err := c.witness.Read(ctx, table, keys[table])
		if err != nil {
			return err
		}
		for _, one := range all {
			tried := &trials[c.ruleOf[one.claim.Constraint].at]
			tried.calls++
			item := found[one.claim.Key.ID()]
			if item == nil {
				continue
			}
			tried.locks++
			rel := &dynamo.Relation{Constraint: one.claim.Constraint, Value: one.claim.Value, Lock: dynamo.Lock{Table: table, Key: one.claim.Key}}
			if rel.Lock = dynamo.LockAt(rel, item); rel.Lock.Owner != "" {
				if len(c.t.OwnerKinds(rel)) == 1 {
					tried.owned++
				}
				if c.t.Names(rel, &one.account) {
					tried.right++
				}
			}
		}
	}
	return nil
}

// unowned says that not every lock of a constraint names an owner: then owners
// cannot be compared.
func (c *checker) unowned(r *rule) {
	r.first.owned = false
	c.remark("not every %s lock names an account: locks that name the wrong one are not looked for", r.Name)
}

// misfit is the error of a layout that does not fit.
func (c *checker) misfit(why string) error {
	return &dynamo.Error{
		Kind: dynamo.NoLayout, Op: "checking " + c.t.Name, Why: fmt.Sprintf("the layout %s does not seem to fit: %s", c.t.Layout.Name, why),
		Do: "see it with: tallylock layout --table " + c.t.Name + "; name another with --layout, or describe the table under [[layout]] in the config",
	}
}

// remark notes something that people should know besides the findings.
func (c *checker) remark(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.summary.Notes = append(c.summary.Notes, fmt.Sprintf(format, args...))
}
