package check

import (
	"context"
	"fmt"
	"slices"

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

// fewExist is the share, in percent, of the locks that accounts call for below which
// a constraint is doubted.
const fewExist = 20

// excerpt is some items of the accounts' table, from all over it.
type excerpt struct {
	items    int64
	accounts []attr.Item
	locks    []int // by rule
	others   int   // that are neither of them, and no counter
	whole    bool  // nothing of the table is left
}

// trial is what a sample of accounts says of a constraint.
type trial struct {
	calls int // locks that they call for
	locks int // that exist
	owned int // of these, that name somebody
	right int // of these, that name the account
}

// preflight tries the layout on a sample of accounts and their locks, before the
// whole table is read. It answers an error where the layout does not fit; what else
// speaks against it is told before anything is read.
func (c *checker) preflight(ctx context.Context) error {
	if len(c.rules) == 0 || !c.ofLocks() || c.o.exportOnly() {
		return nil
	}
	c.enter(stage{what: "trying the layout"})
	defer c.leave()
	s, err := c.sample(ctx)
	if err != nil {
		return err
	}
	trials := make([]trial, len(c.rules))
	if err := c.try(ctx, s.accounts, trials); c.denied(err) {
		c.remark("whether the layout %s fits was not tried on a sample: the permission dynamodb:BatchGetItem is missing", c.t.Layout.Name)
		return nil
	} else if err != nil {
		return err
	}
	if err := c.unfit(s, trials); err != nil {
		return err
	}
	c.doubts(s, trials)
	c.say()
	return nil
}

// sample reads items until there are accounts enough: round after round where they
// are rare.
func (c *checker) sample(ctx context.Context) (excerpt, error) {
	t, from := c.t, *c.sources[0]
	from.ask(t)
	s, seen := excerpt{locks: make([]int, len(c.rules))}, map[string]bool{}
	for round := range roundsOf(t.Description) {
		var err error
		s.whole, err = c.witness.Sample(ctx, round, from.names, func(item attr.Item) (enough bool) {
			key, _ := t.Schema.KeyOf(item)
			if id := key.ID(); !seen[id] {
				seen[id] = true
				s.items++
				switch role := t.Layout.Classify(t.Name, t.Name, t.Schema, item); {
				case role.Account != nil && role.Constraint == nil:
					s.accounts = append(s.accounts, item)
				case role.Constraint != nil:
					s.locks[c.ruleOf[role.Constraint].at]++
				case role.Counter == nil:
					s.others++
				}
			}
			return len(s.accounts) >= sampledAccounts
		})
		if err != nil || s.whole || len(s.accounts) >= fewAccounts {
			return s, err
		}
	}
	return s, nil
}

// roundsOf is how many rounds a sample of the table may take. All of them together
// read an eighth of it at most, but for the first; where it has not been counted
// nobody knows.
func roundsOf(d dynamo.Description) int {
	rounds := dynamo.SampleRounds
	for d.Items > 0 && rounds > 1 && dynamo.Sampled(rounds) > d.Items/8 {
		rounds--
	}
	return rounds
}

// unfit answers an error where the sample fits the layout in nothing.
func (c *checker) unfit(s excerpt, trials []trial) error {
	sum, locks := trial{}, 0
	for n, r := range c.rules {
		one := trials[n]
		sum.calls, sum.locks, locks = sum.calls+one.calls, sum.locks+one.locks, locks+s.locks[n]
		if r.first.owned && one.owned < one.locks {
			c.unowned(r)
		}
		if one.owned >= fewAccounts && one.right == 0 {
			return c.misfit(fmt.Sprintf("%s of the %s locks of a sample name somebody in %q, and none names its account", dynamo.Group(fmt.Sprint(one.owned)), r.Name, r.Owner))
		}
	}
	switch {
	case sum.calls >= fewAccounts && sum.locks == 0 && (locks+s.others > 0 || len(c.sources) > 1): // else they are gone
		return c.misfit(fmt.Sprintf("of the %d locks that %s call for, none exists", sum.calls, sampled(len(s.accounts), "account")))
	case len(s.accounts) >= fewAccounts && sum.calls == 0 && locks >= fewAccounts:
		return c.misfit(fmt.Sprintf("none of %s calls for a lock, and a sample has %s", sampled(len(s.accounts), "account"), many(locks, "lock")))
	case len(s.accounts) == 0 && c.accountless(s, locks):
		return c.misfit(fmt.Sprintf("a sample of %s has %s and no account", many(int(s.items), "item"), many(locks, "lock")))
	}
	return nil
}

// accountless reports whether so many locks without an account say that accounts are
// something else. Where a person has described them more is asked for, and nothing
// said of a small table, nor of accounts that stand together under few partition
// keys: a sample may pass them by.
func (c *checker) accountless(s excerpt, locks int) bool {
	if !c.t.Layout.Configured {
		return locks >= fewAccounts
	}
	spread := !slices.ContainsFunc(c.t.Layout.Accounts, func(a *layout.Account) bool { return !a.PK.Uses("id") })
	return spread && !s.whole && locks >= sampledAccounts
}

// doubts says what speaks against the layout, or against one of its constraints,
// where the rest fits.
func (c *checker) doubts(s excerpt, trials []trial) {
	if len(s.accounts) == 0 && !s.whole && s.items >= sampledAccounts {
		locks := 0
		for _, n := range s.locks {
			locks += n
		}
		c.warn("a sample of %s has %s and no account: the layout %s may be wrong about accounts", many(int(s.items), "item"), many(locks, "lock"), c.t.Layout.Name)
		return
	}
	calls := make([]int, len(c.rules)) // for one place, by whichever constraint
	for n, r := range c.rules {
		calls[r.first.at] += trials[n].calls
	}
	if len(s.accounts) >= fewAccounts && !slices.ContainsFunc(calls, func(n int) bool { return n > 0 }) {
		c.warn("none of %s calls for a lock: the layout %s may be wrong about what they hold", sampled(len(s.accounts), "account"), c.t.Layout.Name)
		return
	}
	for n, r := range c.rules {
		one, locks := trials[n], s.locks[r.first.at]
		switch {
		case one.calls >= fewAccounts && 100*one.locks < fewExist*one.calls:
			exist := "none exists"
			if one.locks > 0 {
				exist = fmt.Sprintf("only %d exist", one.locks)
			}
			if locks > 0 {
				exist += fmt.Sprintf(", though a sample has %s of them", dynamo.Group(fmt.Sprint(locks)))
			}
			c.warn("of the %d %s locks that sampled accounts call for, %s: the layout may be wrong about them", one.calls, r.Name, exist)
		case r == r.first && calls[n] == 0 && len(s.accounts) >= fewAccounts && locks >= fewAccounts:
			c.warn("none of %s holds anything in %q, and a sample has %s of that: the layout may be wrong about %s", sampled(len(s.accounts), "account"), r.Attribute, many(locks, "lock"), r.Name)
		}
	}
}

// sampled writes "12 sampled accounts".
func sampled(n int, what string) string { return many(n, "sampled "+what) }

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
				// An owner whose key takes more than the lock says tells nothing.
				if len(c.t.OwnerKinds(rel)) == 1 && len(c.t.OwnerKeys(rel)) > 0 {
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
	c.warn("not every %s lock names an account: locks that name the wrong one are not looked for", r.Name)
}

// misfit is the error of a layout that does not fit, or nil and a remark where the
// layout is to be trusted all the same.
func (c *checker) misfit(why string) error {
	if c.o.TrustLayout {
		c.warn("%s: the layout %s is trusted all the same", why, c.t.Layout.Name)
		return nil
	}
	return &dynamo.Error{
		Kind: dynamo.NoLayout, Op: "checking " + c.t.Name, Why: fmt.Sprintf("the layout %s does not seem to fit: %s", c.t.Layout.Name, why),
		Do: "see it with: tallylock layout --table " + c.t.Name + "; name another with --layout, or describe the table under [[layout]] in the config; where the layout is right and the table is not, add --trust-layout to `tallylock check`",
	}
}

// warn is remark, of what is known before the tables are read.
func (c *checker) warn(format string, args ...any) {
	c.remark(format, args...)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.early = append(c.early, fmt.Sprintf(format, args...))
}

// remark notes something that people should know besides the findings.
func (c *checker) remark(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if note := fmt.Sprintf(format, args...); !slices.Contains(c.summary.Notes, note) {
		c.summary.Notes = append(c.summary.Notes, note)
	}
}

// lacks notes something that keeps the check from being complete.
func (c *checker) lacks(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.summary.Why != "" {
		c.summary.Why += "; "
	}
	c.summary.Why += fmt.Sprintf(format, args...)
}
