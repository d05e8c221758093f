package mend

import (
	"context"
	"errors"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Repairs returns the verbs that every repair of r sends. It returns a *plan.Refusal if no repair of r exists.
func Repairs(r *verdict.Relation) ([]client.Verb, error) {
	switch {
	case r.Verdict == verdict.Missing && r.Lock.Other != nil:
		return nil, planner.OtherRefusal(r)
	case r.Verdict != verdict.InUse:
	case r.Constraint.Lockless():
		return nil, plan.Refuse(plan.InOrder, "no locks keep the %s unique, so there is nothing to repair", r.Constraint.Name)
	default:
		return nil, plan.Refuse(plan.InOrder, "locks of the %s may expire while their accounts stay, so there is nothing to repair",
			r.Constraint.Name)
	}
	lock := r.Lock
	if r.Variant != nil && r.Verdict == verdict.Missing {
		lock = r.Variant.Lock // the lock that exists in place of the missing one
	}
	if r.Verdict != verdict.Unknown || r.Variant != nil {
		if verbs := Verbs(finding.KindOf(r), lock.Owner); len(verbs) > 0 {
			return verbs, nil
		}
	}
	//exhaustive:enforce
	switch r.Verdict {
	case verdict.Held:
		return nil, plan.Refuse(plan.InOrder, "the lock is in order")
	case verdict.Reserved:
		return nil, plan.Refuse(plan.InOrder, "the value is reserved until %s: a sign-up may still create its account", r.UntilWords())
	case verdict.Free:
		return nil, plan.Refuse(plan.InOrder, "the value is free, so there is nothing to repair")
	case verdict.Duplicate:
		return nil, plan.Refuse(plan.ByHand, "a person must decide who keeps \"%s\"", r.Value)
	case verdict.Malformed:
		return nil, plan.Refuse(plan.ByHand, "repair the program that wrote this lock, then release the lock")
	case verdict.InUse, verdict.Unknown, verdict.Missing, verdict.Foreign, verdict.Orphaned, verdict.Stale:
	}
	return nil, plan.Refuse(plan.ByHand, "the problem is still unknown")
}

// Repair plans to repair a value and its lock. The repair depends on the verdict: Repair replaces a lock whose
// spelling differs from the account's, puts a missing lock, gives a foreign lock to the account that holds the value,
// or releases a lock that nobody claims. It returns a *plan.Refusal if nothing is wrong or no repair is possible.
func Repair(ctx context.Context, t *dynamo.Table, r *verdict.Relation) (*plan.Plan, error) {
	if _, err := Repairs(r); err != nil {
		return nil, err
	}
	if r.Variant != nil {
		wrong, value := r, r.Variant
		if r.Verdict == verdict.Missing {
			wrong, value = value, wrong
		}
		p, err := planner.Replace(ctx, t, wrong, value.Holder().Key, value.Value)
		if _, refused := errors.AsType[*plan.Refusal](err); !refused {
			requestRepair(p, t, finding.UnnormalisedLock, value, wrong.Lock)
			return p, err
		} // the other spelling belongs to another account
	}
	switch r.Verdict {
	case verdict.Missing:
		p, err := planner.PutMissing(ctx, t, r, &planner.TTLAttributes{}, find.RereadOptions{})
		requestRepair(p, t, finding.MissingLock, r, r.Lock)
		return p, err
	case verdict.Foreign:
		p, err := planner.Give(ctx, t, r)
		requestRepair(p, t, finding.ForeignLock, r, r.Lock)
		return p, err
	}
	return planner.Release(ctx, t, r, false)
}

// requestRepair sets the request of a plan: to mend a finding about a value and a lock. From this request, the repair
// can be planned again later.
func requestRepair(p *plan.Plan, t *dynamo.Table, kind finding.Kind, rel *verdict.Relation, lock schema.Lock) {
	holder := rel.Holder()
	if p == nil || holder == nil {
		return
	}
	p.Live.Request = plan.Request{Finding: &finding.Finding{
		Kind: kind, Table: t.Name, TableID: t.ID, Constraint: rel.Constraint.Name, Value: rel.Value,
		Lock: lock.Key.Item(), LockTable: lock.Table, Accounts: []attr.Item{holder.Key.Item()},
		Layout: config.HashOf(t.Layout, rel.Constraint.Name),
	}}
}
