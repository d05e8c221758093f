package planner

import (
	"context"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// readAccount reads an account, and returns its claims as relations without reading their locks. It returns a
// *plan.Refusal if the account does not exist.
func readAccount(
	ctx context.Context, t *dynamo.Table, key attr.Key,
) (*layout.Account, *schema.Account, []*verdict.Relation, error) {
	kind, a, err := find.AccountAt(ctx, t, key)
	if err != nil {
		return nil, nil, nil, err
	}
	if a == nil {
		return nil, nil, nil, plan.Refuse(plan.Absent, "there is no account %s", key)
	}
	return kind, a, t.Relations(kind, a), nil
}

// inAllForms returns a relation for each key form of each lock: an account may have locks of several forms.
func inAllForms(rels []*verdict.Relation) (all []*verdict.Relation) {
	for _, rel := range rels {
		for _, key := range rel.Constraint.Forms(rel.Lock.Key) {
			form := *rel
			form.Lock.Key = key
			all = append(all, &form)
		}
	}
	return all
}

// differentLocks removes duplicates: it keeps the first of all relations with the same lock.
func differentLocks(fresh []*verdict.Relation) (different []*verdict.Relation) {
	for _, now := range fresh {
		if !slices.ContainsFunc(different, func(have *verdict.Relation) bool {
			return have.Lock.Table == now.Lock.Table && have.Lock.Key.Equal(now.Lock.Key)
		}) {
			different = append(different, now)
		}
	}
	return different
}

// checkUnchanged returns a *plan.Refusal if the account changed while its plan was made. The account was read first,
// and the claimants of the relation later.
func checkUnchanged(now *verdict.Relation, a *schema.Account) error {
	for _, c := range now.Claimants {
		if c.Key.Equal(a.Key) && c.Item.Equal(a.Item) {
			return nil
		}
	}
	return plan.Refuse(plan.Moving, "%s changed while it was read: read this account again", a.Key)
}

// rereadRelation reads a relation again, together with the account and the claimants that the relation had before.
func rereadRelation(
	ctx context.Context, t *dynamo.Table, rel *verdict.Relation, o find.RereadOptions,
) (now *verdict.Relation, whole bool, err error) {
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
	fresh, whole, err := find.Reread(ctx, t, o, rel)
	if err != nil {
		return nil, false, err
	}
	return fresh[0], whole, nil
}

// soleClaimant returns the one account that now holds the value. It returns a *plan.Refusal if several accounts or
// none hold the value. It also refuses if the person meant another account.
func soleClaimant(now, meant *verdict.Relation) (*schema.Account, error) {
	switch n := now.ClaimantCount(); {
	case n > 1:
		return nil, plan.Refuse(plan.Duplicate, "%d accounts hold the %s \"%s\", %s: a person must decide who keeps it", n,
			now.Constraint.Name, now.Value, listAccounts(now.Claimants))
	case n == 0 && meant.Account != nil:
		return nil, plan.Refuse(plan.Changed, "%s no longer holds the %s \"%s\"", meant.Account.Key, now.Constraint.Name, now.Value)
	case n == 0:
		return nil, plan.Refuse(plan.Absent, "no account was found that holds the %s \"%s\"", now.Constraint.Name, now.Value)
	}
	a := &now.Claimants[0]
	if meant.Account != nil && !meant.Account.Key.Equal(a.Key) {
		return nil, plan.Refuse(plan.Changed, "%s no longer holds the %s \"%s\", but %s does", meant.Account.Key, now.Constraint.Name,
			now.Value, a.Key)
	}
	return a, nil
}

// listAccounts names the accounts, at most three of them.
func listAccounts(accounts []schema.Account) string {
	var names []string
	for _, a := range accounts[:min(len(accounts), 3)] {
		names = append(names, a.Key.Hash.Value.Display())
	}
	if len(accounts) > 3 {
		return strings.Join(names, ", ") + " among them"
	}
	return strings.Join(names, " and ")
}

// claimOf returns the kind of an account, and its claim on the lock of a relation.
func claimOf(t *dynamo.Table, rel *verdict.Relation, a *schema.Account) (*layout.Account, layout.Claim, error) {
	if kind := t.Layout.KindOf(t.Schema, a.Item); kind != nil {
		for _, claim := range t.ClaimsBy(kind, a.Item) {
			if t.LockTable(claim.Constraint) == rel.Lock.Table && claim.IsLock(rel.Lock.Key) {
				return kind, claim, nil
			}
		}
	}
	return nil, layout.Claim{}, plan.Refuse(plan.Changed, "%s no longer uses the lock %s", a.Key, rel.Lock.Key)
}

// SameText reports whether text equals v, or equals v after a trip through JSON, which replaces invalid UTF-8.
func SameText(text, v string) bool { return text == v || text == string([]rune(v)) }
