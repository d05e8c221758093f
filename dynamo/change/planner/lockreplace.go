package planner

import (
	"context"
	"errors"
	"fmt"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Replace plans to replace a wrong lock by the right lock of an account's value. The two locks spell one value
// differently, and the layout does not normalise these spellings to one. One transaction is enough if the wrong lock
// names the account and every account was read. Otherwise the plan deletes the wrong lock by mark, after a read of
// every item. A person has to type the value if no person configured the layout: the application may treat the two
// spellings as one value, and then the lock is right. The value has to be typed, too, if writers move values, or if the
// wrong lock may belong to an unfinished sign-up. Replace returns a *plan.Refusal if an account claims the wrong lock,
// if that lock names another account, or if the right lock exists.
func Replace(
	ctx context.Context, t *dynamo.Table, wrong *verdict.Relation, account attr.Key, value string,
) (*plan.Plan, error) {
	return Replacement{Value: value}.Plan(ctx, t, wrong, account)
}

// Replacement has the options to replace a wrong lock.
type Replacement struct {
	Value string // the account's value, which the right lock keeps
	// AnyOwner allows the wrong lock to name another account, if that account does not hold the lock's value.
	AnyOwner bool
	Reread   find.RereadOptions
}

// Plan plans the replacement of a wrong lock by the right one: see Replace.
func (r Replacement) Plan(
	ctx context.Context, t *dynamo.Table, wrong *verdict.Relation, account attr.Key,
) (*plan.Plan, error) {
	kind, a, _, err := readAccount(ctx, t, account)
	if err != nil {
		return nil, err
	}
	claim, err := misspeltClaim(t, kind, a, wrong, r.Value)
	if err != nil {
		return nil, err
	}
	right := &verdict.Relation{
		Constraint: claim.Constraint,
		Value:      claim.Value,
		Lock:       schema.Lock{Table: wrong.Lock.Table, Key: claim.Key},
	}
	r.Reread.Accounts = []attr.Key{account}
	fresh, whole, err := find.Reread(ctx, t, r.Reread, right, wrong)
	if err != nil {
		return nil, err
	}
	right, wrong = fresh[0], fresh[1]
	if err := checkUnchanged(right, a); err != nil {
		return nil, err
	}
	named := wrong.Lock.Owner != "" && t.Names(wrong.Constraint, wrong.Lock, a)
	others := wrong.Lock.Owner != "" && !named
	if err := whyNotReplaced(claim, right, wrong); err != nil {
		return nil, err
	}
	if others && !r.AnyOwner {
		return nil, plan.Refuse(plan.Held, "the lock %s names %s, not %s", wrong.Lock.Key, wrong.Lock.Owner, a.Key)
	}
	d := newDraft(t, plan.KindReplace, wrong.Lock.Table)
	d.describeReplacement(right, wrong)
	if others { // a lock of another account is no example for the new lock
		d.Sentence += fmt.Sprintf(" The wrong lock names %s, which does not hold the value.", wrong.Lock.Owner)
		err = d.putFromPattern(a, claim)
		typeIfUnsure(d, right)
	} else {
		text, _ := claim.Constraint.Text(wrong.Value)
		d.put(right.Lock.Table, right.Lock.Key, d.renew(wrong.Lock.Item,
			layout.Claim{Constraint: claim.Constraint, Raw: text, Value: wrong.Value, Key: wrong.Lock.Key}, claim))
	}
	if err != nil {
		return nil, err
	}
	d.check(d.ownAccountUnchanged(kind, a, claim.Constraint), t.Name, a.Key)
	holds := unchangedWords(kind, a, "still holds "+displayAttribute(a, claim.Constraint.Attribute))
	d.onlyIf = []string{"there is still no right lock", holds}
	// One transaction is enough if the lock names the account and every account was read. Otherwise the lock may be
	// right after all, and only a read of every item decides.
	if named && whole && !claim.Constraint.BreaksGainRule() && !claim.Constraint.MultiTransaction &&
		claim.Constraint.Reserved.For == 0 {
		d.onlyIf = append(d.onlyIf, "the wrong lock has not changed since "+phrase.Clock(d.At))
		d.delete(wrong.Lock)
		return d.plan()
	}
	return d.finishByMark(wrong, account)
}

// describeReplacement sets the wording of the plan, and the text that a person has to type.
func (d *draft) describeReplacement(right, wrong *verdict.Relation) {
	d.setSubject(right)
	d.undo = "replaces the right lock with the wrong lock again"
	d.Title, d.Button = "Replace a lock", "Replace the lock"
	d.Sentence = fmt.Sprintf(
		"%s holds the %s \"%s\", but the lock has \"%s\". The right lock replaces this lock. No account is changed.",
		d.Account, d.Constraint, right.Shown(), wrong.Shown(),
	)
	d.Done = fmt.Sprintf("the %s \"%s\" of %s has its lock, and \"%s\" has no lock", d.Constraint, right.Shown(), d.Account,
		wrong.Shown())
	if !d.t.Layout.Configured {
		d.noteLayoutDoubt(wrong.Value)
	}
	if wrong.Unlikely != "" {
		d.Sentence += " Careful: the wrong lock may belong to an unfinished sign-up: " + wrong.Unlikely + "."
	}
	if !d.t.Layout.Configured || right.Constraint.Moves || wrong.Unlikely != "" {
		d.Typed = d.Subject()
	}
}

// whyNotReplaced returns a *plan.Refusal if the right lock must not replace the wrong one.
func whyNotReplaced(claim layout.Claim, right, wrong *verdict.Relation) error {
	switch {
	case right.Lock.Exists && !wrong.Lock.Exists:
		return plan.Refuse(plan.InOrder, "the right lock %s exists, and the other lock is gone", right.Lock.Key)
	case right.Lock.Other != nil:
		return OtherRefusal(right)
	case right.Lock.Exists:
		return plan.Refuse(plan.Changed, "the right lock %s exists: release the other lock", right.Lock.Key)
	case len(right.Claimants) > 1:
		return plan.Refuse(plan.Duplicate, "%d accounts hold the %s \"%s\", %s: a person must decide who keeps it", right.ClaimantCount(),
			claim.Constraint.Name, claim.Value, listAccounts(right.Claimants))
	case !wrong.Lock.Exists:
		return plan.Refuse(plan.Absent, "there is no lock %s", wrong.Lock.Key)
	case len(wrong.Claimants) > 0:
		return plan.Refuse(plan.Held, "%s holds the %s \"%s\": its lock stays", listAccounts(wrong.Claimants),
			wrong.Constraint.Name, wrong.Value)
	case wrong.Pending:
		return reservedRefusal(wrong)
	}
	return ownerFormRefusal(wrong)
}

// misspeltClaim returns the account's claim whose value differs from the lock's value, but equals it after folding.
func misspeltClaim(
	t *dynamo.Table, kind *layout.Account, a *schema.Account, wrong *verdict.Relation, value string,
) (layout.Claim, error) {
	for _, claim := range t.ClaimsBy(kind, a.Item) {
		switch {
		case claim.Err != nil || claim.Constraint != wrong.Constraint || !SameText(value, claim.Value) ||
			layout.Fold(claim.Raw) != claim.Constraint.Spelling(wrong.Value) ||
			claim.Constraint.FoldKey(claim.Key) != claim.Constraint.FoldKey(wrong.Lock.Key):
		case claim.IsLock(wrong.Lock.Key):
			return claim, plan.Refuse(plan.InOrder, "%s uses the lock %s: it is the right lock", a.Key, wrong.Lock.Key)
		default:
			return claim, nil
		}
	}
	return layout.Claim{}, plan.Refuse(plan.Changed, "%s no longer holds the %s \"%s\", so \"%s\" is not a spelling of its value", a.Key,
		wrong.Constraint.Name, value, wrong.Value)
}

// finishByMark plans to delete the wrong lock by mark. The transaction that deletes the lock also makes the draft's
// other writes.
func (d *draft) finishByMark(wrong *verdict.Relation, respelt attr.Key) (*plan.Plan, error) {
	checkOtherForms(d)
	d.Live.Release = &plan.LockRelease{Rel: wrong, Marked: true, Respelt: []attr.Key{respelt}}
	byMark(d.Plan, d)
	d.AddLine(plan.LabelUndo, d.undo)
	return bind(d.Plan, d.t)
}

// replaceSpelt plans to replace a lock that has the claim's value in another spelling: the account's own spelling,
// or a similar one. It returns nil if no such lock exists, or if another account claims or owns the lock.
func replaceSpelt(ctx context.Context, d *draft, claim layout.Claim, a *schema.Account) (*plan.Plan, error) {
	_, scope, _ := claim.Constraint.ParseLock(d.t.LockSchema(claim.Constraint), claim.Key)
	for _, v := range append([]string{claim.Raw}, d.alike...) {
		wrong, err := d.t.LockOf(ctx, claim.Constraint.Name, v, scope)
		if err != nil || wrong.Lock.Key.Equal(claim.Key) {
			continue // this spelling has no lock of its own
		}
		p, err := Replace(ctx, d.t, wrong, a.Key, claim.Value)
		if _, refused := errors.AsType[*plan.Refusal](err); !refused {
			return p, err
		}
	}
	return nil, nil
}
