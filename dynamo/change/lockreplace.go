package change

import (
	"context"
	"fmt"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// PlanReplace plans to replace a wrong lock by the right one of an account's value. The two
// differ in spelling only, beyond what the layout normalises. A wrong lock that names nobody
// is deleted like in a release: it is marked, and every account is looked at. If the layout
// was not configured by a person, the value has to be typed: the application may fold
// spellings that the layout keeps apart, and then the lock was right. It returns a *Refusal
// if an account claims the wrong lock, or the right one exists.
func PlanReplace(ctx context.Context, t *dynamo.Table, wrong *dynamo.Relation, account attr.Key) (*Plan, error) {
	return planReplaceWith(ctx, t, wrong, account, dynamo.RereadOptions{})
}

func planReplaceWith(
	ctx context.Context, t *dynamo.Table, wrong *dynamo.Relation, account attr.Key, o dynamo.RereadOptions,
) (*Plan, error) {
	kind, a, _, err := readAccount(ctx, t, account)
	if err != nil {
		return nil, err
	}
	claim, err := misspeltClaim(t, kind, a, wrong)
	if err != nil {
		return nil, err
	}
	right := &dynamo.Relation{
		Constraint: claim.Constraint,
		Value:      claim.Value,
		Lock:       dynamo.Lock{Table: wrong.Lock.Table, Key: claim.Key},
	}
	o.Accounts = []attr.Key{account}
	fresh, whole, err := t.Reread(ctx, o, right, wrong)
	if err != nil {
		return nil, err
	}
	right, wrong = fresh[0], fresh[1]
	if err := checkUnchanged(right, a); err != nil {
		return nil, err
	}
	named := wrong.Lock.Owner != "" && t.Match.Names(wrong, a)
	if err := whyNotReplaced(claim, right, wrong, a, named); err != nil {
		return nil, err
	}
	d := newDraft(t, KindReplace, wrong.Lock.Table)
	d.setSubject(right)
	d.undo = "puts the wrong lock back in the right one's place"
	d.Title, d.Button = "Replace a lock", "Replace the lock"
	d.Sentence = fmt.Sprintf(
		"%s holds the %s \"%s\", and the lock says \"%s\". The right lock takes its place. No account is changed.",
		d.Account, d.Constraint, d.Value, wrong.Value,
	)
	d.Done = fmt.Sprintf("the %s \"%s\" of %s has its lock, and \"%s\" has none", d.Constraint, d.Value, d.Account,
		wrong.Value)
	if !t.Layout.Configured {
		d.noteLayoutDoubt(wrong.Value)
	}
	if !t.Layout.Configured || claim.Constraint.Moves {
		d.Typed = d.Value
	}
	text, _ := claim.Constraint.Text(wrong.Value)
	item := d.renew(wrong.Lock.Item,
		layout.Claim{Constraint: claim.Constraint, Raw: text, Value: wrong.Value, Key: wrong.Lock.Key}, claim)
	d.put(right.Lock.Table, right.Lock.Key, item)
	d.check(d.ownAccountUnchanged(kind, a, claim.Constraint), t.Name, a.Key)
	holds := unchangedWords(kind, a, "still holds "+displayAttribute(a, claim.Constraint.Attribute))
	d.onlyIf = []string{"there is still no right lock", holds, "the wrong lock is unchanged since " + phrase.Clock(d.At)}
	// Where a person alone says that the layout fits, the lock may be right: the look asks.
	if named && whole && !claim.Constraint.BreaksGainRule() && !claim.Constraint.TwoSteps &&
		claim.Constraint.Reserved.For == 0 {
		d.delete(wrong.Lock)
		return d.plan()
	}
	return d.finishByMark(wrong, account)
}

// whyNotReplaced is a *Refusal where the wrong lock is not to be replaced by the right one; nil
// where it is. named is that it names the account.
func whyNotReplaced(claim layout.Claim, right, wrong *dynamo.Relation, a *dynamo.Account, named bool) error {
	switch {
	case right.Lock.Exists && !wrong.Lock.Exists:
		return refuse(InOrder, "the right lock %s is there, and the other one is gone", right.Lock.Key)
	case right.Lock.Exists:
		return refuse(Changed, "the right lock %s is there: the other one is for a release", right.Lock.Key)
	case len(right.Claimants) > 1:
		return refuse(Duplicate, "%d accounts hold the %s \"%s\", %s: people decide who keeps it", right.ClaimantCount(),
			claim.Constraint.Name, claim.Value, listAccounts(right.Claimants))
	case !wrong.Lock.Exists:
		return refuse(Absent, "there is no lock %s", wrong.Lock.Key)
	case len(wrong.Claimants) > 0:
		return refuse(Held, "%s holds the %s \"%s\": its lock stays", listAccounts(wrong.Claimants),
			wrong.Constraint.Name, wrong.Value)
	case wrong.Pending:
		return reservedRefusal(wrong)
	case wrong.Lock.Owner != "" && !named:
		return refuse(Held, "the lock %s names %s, and not %s", wrong.Lock.Key, wrong.Lock.Owner, a.Key)
	}
	return nil
}

// misspeltClaim finds the claim of an account that equals a lock's value only after folding.
func misspeltClaim(
	t *dynamo.Table, kind *layout.Account, a *dynamo.Account, wrong *dynamo.Relation,
) (layout.Claim, error) {
	var found []layout.Claim
	for _, claim := range kind.Claims(t.Name, t.SchemaOf, a.Item) {
		if claim.Err != nil || claim.Constraint != wrong.Constraint ||
			layout.Fold(claim.Raw) != claim.Constraint.Spelling(wrong.Value) ||
			claim.Constraint.FoldKey(claim.Key) != claim.Constraint.FoldKey(wrong.Lock.Key) {
			continue
		}
		if claim.Calls(wrong.Lock.Key) {
			return claim, refuse(InOrder, "%s uses the lock %s: it is the right one", a.Key, wrong.Lock.Key)
		}
		found = append(found, claim)
	}
	if len(found) != 1 {
		return layout.Claim{}, refuse(Changed, "%s holds no %s, or several, that \"%s\" could be a spelling of", a.Key,
			wrong.Constraint.Name, wrong.Value)
	}
	return found[0], nil
}

// finishByMark releases the wrong lock by mark and look. The rest of the plan is done in the
// transaction that deletes it.
func (d *draft) finishByMark(wrong *dynamo.Relation, respelt attr.Key) (*Plan, error) {
	checkOtherForms(d)
	rest, lines, price := d.writes, d.Lines, d.Price
	d.Lines = nil
	d.live.release = newRelease(d.t, wrong, true)
	d.live.release.respelt, d.live.release.extraWrites = []attr.Key{respelt}, rest
	byMark(d.Plan)
	d.Price.WriteUnits += price.WriteUnits
	d.Lines = append(slices.Concat(lines, d.Lines), Line{LabelUndo, d.undo})
	for n := range d.Lines {
		switch d.Lines[n].Label {
		case LabelOnlyIf:
			d.Lines[n].Text = joinConditions(d.onlyIf)
		case LabelPrice:
			d.Lines[n].Text = d.Price.String()
		}
	}
	return d.bind(d.t)
}
