package change

import (
	"context"
	"fmt"

	"tallylock/dynamo"
)

// planMissing plans to put the missing lock of an account's value, with the attributes of the
// application's own locks as far as they can be known. It returns a *Refusal if the lock
// exists, or not exactly one account is found to hold the value. A lock of another spelling
// that nobody else claims is replaced: a second lock would leave it to nobody. One of another
// form has the value typed.
func planMissing(
	ctx context.Context, t *dynamo.Table, rel *dynamo.Relation, ttl *ttlAttributes, o dynamo.RereadOptions,
) (*Plan, error) {
	now, whole, err := rereadRelation(ctx, t, rel, o)
	if err != nil {
		return nil, err
	}
	if now.Lock.Exists {
		return nil, refuse(Changed, "the lock %s is there", now.Lock.Key)
	}
	if now.Constraint.Lapses {
		return nil, refuse(InOrder, "locks of the %s may lapse while their accounts stay: none is missing",
			now.Constraint.Name)
	}
	a, err := soleClaimant(now, rel)
	if err != nil {
		return nil, err
	}
	d := newDraft(t, KindRecreate, now.Lock.Table)
	d.setSubject(now)
	d.undo = "releases it when nobody holds the value"
	d.Title, d.Button = "Put a missing lock", "Put the lock"
	d.Sentence = fmt.Sprintf(
		"Puts the lock of the %s \"%s\", which %s holds. Nobody else can take it afterwards. The account is not changed.",
		d.Constraint, d.Value, d.Account,
	)
	d.Done = fmt.Sprintf("the %s \"%s\" of %s has its lock", d.Constraint, d.Value, d.Account)
	kind, claim, err := claimOf(t, now, a)
	if err != nil {
		return nil, err
	}
	p, err := learnPattern(ctx, t, now.Constraint)
	if err != nil {
		return nil, err
	}
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
	d.noteUnread(whole, fmt.Sprintf("whether another account holds \"%s\", too", d.Value))
	if err := d.noteSimilar(ctx, now.Constraint, claim.Raw); err != nil {
		return nil, err
	}
	if p, err := replaceSpelt(ctx, d, claim, a); p != nil || err != nil {
		return p, err
	}
	if err := typeIfUnsure(ctx, d, o, rel, now); err != nil {
		return nil, err
	}
	return d.plan()
}

// typeIfUnsure has the value typed where it may have a lock after all, or nothing shows what its
// lock has to say. met are the value as it was judged before, and as it is now.
func typeIfUnsure(ctx context.Context, d *draft, o dynamo.RereadOptions, met ...*dynamo.Relation) error {
	for _, rel := range met {
		if rel.OtherForm != nil {
			d.forms = append(d.forms, rel.OtherForm)
		}
	}
	if err := typeOtherForms(ctx, d, o); err != nil {
		return err
	}
	if !d.t.Layout.Configured && len(d.alike) > 0 {
		d.Typed = d.Value
		d.noteLayoutDoubt(d.alike[0])
	}
	con := met[0].Constraint
	if doubt := ownerDoubt(d.t.Fit.Of(con), con); doubt != "" {
		d.Typed = d.Value
		d.addLine("note", doubt)
	}
	return nil
}

// typeOtherForms has the value typed where nobody is found to call for the lock of another form
// of it: the application may keep the value there, and once it has a lock of its own nothing
// speaks for the other one any more.
func typeOtherForms(ctx context.Context, d *draft, o dynamo.RereadOptions) error {
	if len(d.forms) == 0 {
		return nil
	}
	others, _, err := d.t.Reread(ctx, dynamo.RereadOptions{OneClaimant: true, Points: o.Points}, d.forms...)
	if err != nil {
		return err
	}
	noted := map[string]bool{}
	for _, other := range others {
		if id := other.Lock.Key.ID(); other.Lock.Exists && len(other.Claimants) == 0 && !noted[id] {
			noted[id] = true
			d.Typed = d.Value
			why := "no account is known to use %s, which may keep \"%s\" in another form: look what the application makes of it"
			d.addLine("note", fmt.Sprintf(why, other.Lock.Key, d.Value))
		}
	}
	return nil
}
