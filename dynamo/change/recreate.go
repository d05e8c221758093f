package change

import (
	"context"
	"fmt"

	"tallylock/dynamo"
)

// planMissing plans to put the missing lock of an account's value, with what an
// application's own lock would have as far as that can be known. It answers a *Refusal
// where the lock is there, or not exactly one account is found to hold the value. A lock
// that is there in another spelling, and that nobody else claims, is replaced: beside a
// second one it would be left to nobody.
func planMissing(ctx context.Context, t *dynamo.Table, rel *dynamo.Relation, ttl lifetimes, o dynamo.RereadOptions) (*Plan, error) {
	now, whole, err := examine(ctx, t, rel, o)
	if err != nil {
		return nil, err
	}
	if now.Lock.Exists {
		return nil, refusal(Changed, "the lock %s is there", now.Lock.Key)
	}
	a, err := sole(now, rel)
	if err != nil {
		return nil, err
	}
	d := newDraft(t, KindRecreate, now.Lock.Table)
	d.about(now)
	d.undo = "releases it, once nobody holds the value any more"
	d.Title, d.Button = "Put a missing lock", "Put the lock"
	d.Sentence = fmt.Sprintf("Puts the lock of the %s \"%s\", which %s holds. Nobody else can take it afterwards. The account is not changed.", d.Constraint, d.Value, d.Account)
	d.Done = fmt.Sprintf("the %s \"%s\" of %s has its lock", d.Constraint, d.Value, d.Account)
	kind, claim, err := claimOf(t, now, a)
	if err != nil {
		return nil, err
	}
	p, err := learn(ctx, t, now.Constraint)
	if err != nil {
		return nil, err
	}
	item, err := p.lock(t, kind, claim, a)
	if err != nil {
		return nil, err
	}
	still := d.own(kind, a, now.Constraint)
	if item, err = p.expiring(ctx, t, now.Lock.Table, item, a, still, ttl); err != nil {
		return nil, err
	}
	d.put(now.Lock.Table, now.Lock.Key, item)
	d.check(still, t.Name, a.Key)
	d.without(p)
	d.onlyIf = []string{"there is still no lock", unchanged(kind, a, "still holds "+other(a, now.Constraint.Attribute))}
	d.unread(whole, fmt.Sprintf("whether another account holds \"%s\", too", d.Value))
	if err := d.near(ctx, now.Constraint, claim.Raw); err != nil {
		return nil, err
	}
	if p, err := replaceSpelt(ctx, d, claim, a); p != nil || err != nil {
		return p, err
	}
	if !t.Layout.Configured && len(d.alike) > 0 {
		d.Typed = d.Value
		d.doubt(d.alike[0])
	}
	return d.plan()
}
