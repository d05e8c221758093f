package change

import (
	"context"
	"errors"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// Repairs are the writes that put right what is wrong with a value and its lock. It
// answers a *Refusal where nothing does.
func Repairs(r *dynamo.Relation) ([]client.Verb, error) {
	if r.Constraint.Lockless() && r.Verdict == dynamo.InUse {
		return nil, refusal(InOrder, "no locks keep the %s unique: there is nothing to mend", r.Constraint.Name)
	}
	if r.Spelt != nil {
		return []client.Verb{client.Put, client.Delete, client.Check}, nil
	}
	//exhaustive:enforce
	switch r.Verdict {
	case dynamo.Missing:
		return []client.Verb{client.Put, client.Check}, nil
	case dynamo.Foreign:
		return []client.Verb{client.Update, client.Check}, nil
	case dynamo.Orphaned, dynamo.Stale:
		return []client.Verb{client.Update, client.Delete}, nil
	case dynamo.Held:
		return nil, refusal(InOrder, "it is in order")
	case dynamo.Reserved:
		return nil, refusal(InOrder, "it is reserved until %s: its account may still come", r.UntilWords())
	case dynamo.Free:
		return nil, refusal(InOrder, "the value is free: there is nothing to mend")
	case dynamo.Duplicate:
		return nil, refusal(ByHand, "people decide who keeps \"%s\"", r.Value)
	case dynamo.Malformed:
		return nil, refusal(ByHand, "what wrote it has to be mended; the lock itself can be released")
	case dynamo.InUse, dynamo.Unknown:
	}
	return nil, refusal(ByHand, "it is not known yet what is wrong with it")
}

// PlanRepair plans what puts a value and its lock right: a lock in another spelling than
// its account's is replaced, a missing one put, a foreign one given to who holds the
// value, and what nobody claims released. It answers a *Refusal where nothing is to be
// done, or can be.
func PlanRepair(ctx context.Context, t *dynamo.Table, r *dynamo.Relation) (*Plan, error) {
	if _, err := Repairs(r); err != nil {
		return nil, err
	}
	if r.Spelt != nil {
		wrong, value := r, r.Spelt
		if r.Verdict == dynamo.Missing {
			wrong, value = value, wrong
		}
		p, err := PlanReplace(ctx, t, wrong, value.Holder().Key)
		if _, refused := errors.AsType[*Refusal](err); !refused {
			asFinding(p, t, check.UnnormalisedLock, wrong, value.Holder())
			return p, err
		} // the other spelling is somebody's own
	}
	switch r.Verdict {
	case dynamo.Missing:
		p, err := planMissing(ctx, t, r, ttl, dynamo.RereadOptions{})
		asFinding(p, t, check.MissingLock, r, r.Holder())
		return p, err
	case dynamo.Foreign:
		p, err := PlanGive(ctx, t, r)
		asFinding(p, t, check.ForeignLock, r, r.Holder())
		return p, err
	}
	return PlanRelease(ctx, t, r)
}

// replaceSpelt plans to replace the lock of a value that is there in another spelling: as
// the account has it, or in one that reads alike. It answers nil where there is none, or
// somebody else is behind it.
func replaceSpelt(ctx context.Context, d *draft, claim layout.Claim, a *dynamo.Account) (*Plan, error) {
	_, scope, _ := claim.Constraint.ParseLock(d.t.SchemaOf(claim.Constraint.LockTable(d.t.Name)), claim.Key)
	for _, v := range append([]string{claim.Raw}, d.alike...) {
		wrong, err := d.t.LockOf(ctx, claim.Constraint.Name, v, scope)
		if err != nil || wrong.Lock.Key.Equal(claim.Key) {
			continue // no lock can be made of that spelling
		}
		p, err := PlanReplace(ctx, d.t, wrong, a.Key)
		if _, refused := errors.AsType[*Refusal](err); !refused {
			return p, err
		}
	}
	return nil, nil
}
