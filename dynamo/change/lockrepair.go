package change

import (
	"context"
	"errors"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
)

// Repairs returns the verbs that every repair of a value and its lock sends. It returns a
// *Refusal if nothing repairs them.
func Repairs(r *dynamo.Relation) ([]client.Verb, error) {
	switch {
	case r.Verdict != dynamo.InUse:
	case r.Constraint.Lockless():
		return nil, refuse(InOrder, "no locks keep the %s unique: there is nothing to mend", r.Constraint.Name)
	default:
		return nil, refuse(InOrder, "locks of the %s may lapse while their accounts stay: there is nothing to mend",
			r.Constraint.Name)
	}
	lock := r.Lock
	if r.Spelt != nil && r.Verdict == dynamo.Missing {
		lock = r.Spelt.Lock // the one in its place
	}
	if r.Verdict != dynamo.Unknown || r.Spelt != nil {
		if verbs := MendVerbs(check.KindOf(r), lock.Owner); len(verbs) > 0 {
			return verbs, nil
		}
	}
	//exhaustive:enforce
	switch r.Verdict {
	case dynamo.Held:
		return nil, refuse(InOrder, "it is in order")
	case dynamo.Reserved:
		return nil, refuse(InOrder, "it is reserved until %s: its account may still come", r.UntilWords())
	case dynamo.Free:
		return nil, refuse(InOrder, "the value is free: there is nothing to mend")
	case dynamo.Duplicate:
		return nil, refuse(ByHand, "people decide who keeps \"%s\"", r.Value)
	case dynamo.Malformed:
		return nil, refuse(ByHand, "what wrote it has to be mended; the lock itself can be released")
	case dynamo.InUse, dynamo.Unknown, dynamo.Missing, dynamo.Foreign, dynamo.Orphaned, dynamo.Stale:
	}
	return nil, refuse(ByHand, "it is not known yet what is wrong with it")
}

// PlanRepair plans to repair a value and its lock: a lock of another spelling than its
// account's is replaced, a missing one put, a foreign one given to who holds the value, and
// one that nobody claims released. It returns a *Refusal if there is nothing to do, or
// nothing can be done.
func PlanRepair(ctx context.Context, t *dynamo.Table, r *dynamo.Relation) (*Plan, error) {
	if _, err := Repairs(r); err != nil {
		return nil, err
	}
	if r.Spelt != nil {
		wrong, value := r, r.Spelt
		if r.Verdict == dynamo.Missing {
			wrong, value = value, wrong
		}
		p, err := PlanReplace(ctx, t, wrong, value.Holder().Key, value.Value)
		if _, refused := errors.AsType[*Refusal](err); !refused {
			requestRepair(p, t, check.UnnormalisedLock, value, wrong.Lock)
			return p, err
		} // the other spelling is somebody's own
	}
	switch r.Verdict {
	case dynamo.Missing:
		p, err := planMissing(ctx, t, r, &ttlAttributes{}, find.RereadOptions{})
		requestRepair(p, t, check.MissingLock, r, r.Lock)
		return p, err
	case dynamo.Foreign:
		p, err := PlanGive(ctx, t, r)
		requestRepair(p, t, check.ForeignLock, r, r.Lock)
		return p, err
	}
	return PlanRelease(ctx, t, r, false)
}

// replaceSpelt plans to replace a lock of the same value in another spelling: the account's,
// or a similar one. It returns nil if there is none, or another account claims or owns it.
func replaceSpelt(ctx context.Context, d *draft, claim layout.Claim, a *dynamo.Account) (*Plan, error) {
	_, scope, _ := claim.Constraint.ParseLock(d.t.LockSchema(claim.Constraint), claim.Key)
	for _, v := range append([]string{claim.Raw}, d.alike...) {
		wrong, err := d.t.LockOf(ctx, claim.Constraint.Name, v, scope)
		if err != nil || wrong.Lock.Key.Equal(claim.Key) {
			continue // no lock can be made of that spelling
		}
		p, err := PlanReplace(ctx, d.t, wrong, a.Key, claim.Value)
		if _, refused := errors.AsType[*Refusal](err); !refused {
			return p, err
		}
	}
	return nil, nil
}
