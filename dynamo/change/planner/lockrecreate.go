package planner

import (
	"context"
	"fmt"

	"tallylock/dynamo"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/find"
	"tallylock/dynamo/verdict"
)

// PutMissing plans to put the missing lock of an account's value, with the attributes that the locks of other accounts
// share. It returns a *plan.Refusal if the lock exists, if locks of the constraint may expire before their accounts, or
// if not exactly one account holds the value. If a lock of another spelling exists and nobody else claims it,
// PutMissing plans to replace that lock: otherwise that lock would be orphaned.
func PutMissing(
	ctx context.Context, t *dynamo.Table, rel *verdict.Relation, ttl *TTLAttributes, o find.RereadOptions,
) (*plan.Plan, error) {
	now, whole, err := rereadRelation(ctx, t, rel, o)
	if err != nil {
		return nil, err
	}
	if now.Lock.Exists {
		return nil, plan.Refuse(plan.Changed, "the lock %s exists", now.Lock.Key)
	}
	if now.Lock.Other != nil {
		return nil, OtherRefusal(now)
	}
	if now.Constraint.Lapses {
		return nil, plan.Refuse(plan.InOrder, "locks of the %s may expire while their accounts stay, so no lock is missing",
			now.Constraint.Name)
	}
	a, err := soleClaimant(now, rel)
	if err != nil {
		return nil, err
	}
	d := newDraft(t, plan.KindRecreate, now.Lock.Table)
	d.setSubject(now)
	d.undo = "releases the lock, after the account has given up the value"
	d.Title, d.Button = "Put a missing lock", "Put the lock"
	d.Sentence = fmt.Sprintf(
		"Puts the lock of the %s \"%s\", which %s holds. Then nobody else can take the value. The account is not changed.",
		d.Constraint, now.Shown(), d.Account,
	)
	d.Done = fmt.Sprintf("the %s \"%s\" of %s has its lock", d.Constraint, now.Shown(), d.Account)
	kind, claim, err := claimOf(t, now, a)
	if err != nil {
		return nil, err
	}
	p := learnPattern(t, now.Constraint)
	item, err := p.lock(t, kind, claim, a)
	if err != nil {
		return nil, err
	}
	still := d.ownAccountUnchanged(kind, a, now.Constraint)
	if item, err = p.expiring(ctx, t, now.Lock.Table, item, a, still, ttl); err != nil {
		return nil, err
	}
	d.put(now.Lock.Table, claim.Key, item)
	d.check(still, t.Name, a.Key)
	d.noteLeftOut(p)
	holds := unchangedWords(kind, a, "still holds "+displayAttribute(a, now.Constraint.Attribute))
	d.onlyIf = []string{"there is still no lock", holds}
	d.noteUnread(whole, fmt.Sprintf("another account that holds \"%s\", too", now.Shown()))
	if err := d.noteSimilar(ctx, now.Constraint, claim.Raw); err != nil {
		return nil, err
	}
	if p, err := replaceSpelt(ctx, d, claim, a); p != nil || err != nil {
		return p, err
	}
	typeIfUnsure(d, now)
	return d.plan()
}

// typeIfUnsure requires a person to type the value if ownerDoubt returns a warning: the layout's owner attribute may
// then be wrong.
func typeIfUnsure(d *draft, rel *verdict.Relation) {
	con := rel.Constraint
	if doubt := ownerDoubt(d.t.Fit.Of(con), con); doubt != "" {
		d.Typed = d.Subject()
		d.AddLine("note", doubt)
	}
}
