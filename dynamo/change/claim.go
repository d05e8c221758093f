package change

import (
	"context"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
)

// examine reads a relation again, together with the accounts that it names.
func examine(ctx context.Context, t *dynamo.Table, rel *dynamo.Relation, o dynamo.RereadOptions) (now *dynamo.Relation, whole bool, err error) {
	keys := slices.Clone(o.Accounts)
	if rel.Account != nil {
		keys = append(keys, rel.Account.Key)
	}
	for _, c := range rel.Claimants {
		if !slices.ContainsFunc(keys, c.Key.Equal) {
			keys = append(keys, c.Key)
		}
	}
	o.Accounts = keys
	fresh, whole, err := t.Reread(ctx, o, rel)
	if err != nil {
		return nil, false, err
	}
	return fresh[0], whole, nil
}

// sole is the one account that holds the value now: the one that was meant, where
// one was.
func sole(now, meant *dynamo.Relation) (*dynamo.Account, error) {
	switch n := len(now.Claimants); {
	case n > 1:
		return nil, refusal(Duplicate, "%d accounts hold the %s \"%s\", %s: people decide who keeps it", n, now.Constraint.Name, now.Value, who(now.Claimants))
	case n == 0 && meant.Account != nil:
		return nil, refusal(Changed, "%s no longer holds the %s \"%s\"", meant.Account.Key, now.Constraint.Name, now.Value)
	case n == 0:
		return nil, refusal(Absent, "no account was found that holds the %s \"%s\"", now.Constraint.Name, now.Value)
	}
	a := &now.Claimants[0]
	if meant.Account != nil && !meant.Account.Key.Equal(a.Key) {
		return nil, refusal(Changed, "%s no longer holds the %s \"%s\", and %s does", meant.Account.Key, now.Constraint.Name, now.Value, a.Key)
	}
	return a, nil
}

// who lists some accounts.
func who(accounts []dynamo.Account) string {
	var names []string
	for _, a := range accounts[:min(len(accounts), 3)] {
		names = append(names, a.Key.Hash.Value.Display())
	}
	if len(accounts) > 3 {
		return strings.Join(names, ", ") + " among them"
	}
	return strings.Join(names, " and ")
}

// claimOf finds the claim by which an account claims a lock.
func claimOf(t *dynamo.Table, rel *dynamo.Relation, a *dynamo.Account) (*layout.Account, layout.Claim, error) {
	if kind := t.Layout.KindOf(t.Schema, a.Item); kind != nil {
		for _, claim := range kind.Claims(t.Name, t.SchemaOf, a.Item) {
			if claim.Err == nil && claim.Constraint.LockTable(t.Name) == rel.Lock.Table && claim.Key.Equal(rel.Lock.Key) {
				return kind, claim, nil
			}
		}
	}
	return nil, layout.Claim{}, refusal(Changed, "%s no longer uses the lock %s", a.Key, rel.Lock.Key)
}
