package dynamo

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Search returns a search for items that hold the values of locks.
func (t *Table) Search(rels ...*verdict.Relation) *holders.Search {
	return t.SearchFor(slices.Values(rels))
}

// SearchFor returns the same search as Search. It takes an iterator, because there may be too many relations
// for a slice.
func (t *Table) SearchFor(rels iter.Seq[*verdict.Relation]) *holders.Search {
	held := map[*layout.Constraint]*layout.LockTraits{}
	for _, c := range t.Layout.Constraints() {
		held[c] = t.Fit.Of(c).Held
	}
	return holders.NewSearch(t.View, held, t.conn.SawUpdateRegion, rels)
}

// Relations pairs the values of an account with their locks, without reading the locks. It leaves out values
// for which no lock key can be made, and lists each lock once.
func (t *Table) Relations(kind *layout.Account, a *schema.Account) []*verdict.Relation {
	var rels []*verdict.Relation
	seen := map[string]bool{}
	for _, claim := range t.ClaimsBy(kind, a.Item) {
		lock := schema.Lock{Table: t.LockTable(claim.Constraint), Key: claim.Key}
		if id := schema.LockID(lock.Table, lock.Key); claim.Err == nil && !seen[id] {
			seen[id] = true
			rels = append(rels, &verdict.Relation{Constraint: claim.Constraint, Value: claim.Value, Account: a, Lock: lock})
		}
	}
	return rels
}

// Facts returns the facts for the verdict on a relation: the readings of the relation, and the fit of its
// constraint to the table. owner is the account that the lock names. It is nil if that account does not exist
// or was not read. others has the known facts about all other accounts.
func (t *Table) Facts(r *verdict.Relation, owner *schema.Account, others verdict.Others) verdict.Facts {
	if r.Constraint.Lockless() {
		return verdict.Facts{
			Value: r.Value, Lockless: true, Claimants: r.Claimants, Sharing: len(r.Claimants), Others: others,
			Apart: r.Apart, Busy: r.Busy, Fit: t.Fit.Of(r.Constraint), Regions: t.Regions(),
		}
	}
	e := verdict.Facts{
		Value: r.Value, Lock: r.Lock, Claimants: r.Claimants, Owner: owner, Impossible: r.Impossible, Others: others,
		Other: r.Lock.WhyOther(r.Constraint),
		Apart: r.Apart, Busy: r.Busy, Handed: r.Handed, Malformed: r.Malformed,
		// If the owner's key cannot be made, the owner is unknown.
		OwnerKnown: r.Lock.Owner != "" && len(t.OwnerKeys(r.Constraint, r.Lock)) > 0,
		Fit:        t.Fit.Of(r.Constraint), Regions: t.Regions(), TablesUnsaid: !t.TablesNamed(r.Constraint),
		Reserved: r.Constraint.Reserved, Now: time.Now(), Lapses: r.Constraint.Lapses, UnknownText: r.UnknownText(),
	}
	if !t.Fit.isJudged() {
		e.Awaits = verdict.WhyFit
	}
	if c := r.Constraint; r.Lock.Exists && r.Lock.Item != nil && c.Reserved.For == 0 {
		e.Unlikely = e.Fit.Held.Provisional(r.Lock.Item, r.Value, func(name string) bool {
			return t.PlainAttribute(c, r.Lock.Table, name)
		}, e.Now)
	}
	if e.OwnerKnown && t.Answers.NowhereElse(r.Constraint) {
		e.NowhereElse = e.Fit.OwnerTold() && (owner != nil || e.Fit.OwnersExist(schema.LockID(r.Lock.Table, r.Lock.Key)))
	}
	if len(r.Claimants) > 0 {
		e.NamesClaimant, e.ClaimantFit = t.Names(r.Constraint, r.Lock, &r.Claimants[0]), t.claimantFit(r)
	}
	if _, ok := r.Constraint.OwnerForm.ID(r.Lock.Owner); !ok && r.Lock.Owner != "" {
		e.OwnerOdd = fmt.Sprintf("the owner %s in the lock does not match owner_form, so the lock's account is unknown",
			phrase.Quote(r.Lock.Owner))
	}
	e.OwnerUnreadable = owner != nil && t.Obscure(owner.Item, r.Constraint, r.Value)
	return e
}

// claimantFit returns the fit of the first claimant's own constraint, if this is not the constraint of r; else
// nil. Two kinds of accounts may keep their locks under the same keys, each by its own constraint. Perhaps only
// the locks of one kind name their accounts. So the verdict needs the fits of both constraints.
func (t *Table) claimantFit(r *verdict.Relation) *layout.Fit {
	for _, kind := range t.Layout.Accounts {
		if kind.Model != r.Claimants[0].Model || slices.Contains(kind.Constraints, r.Constraint) {
			continue
		}
		for _, con := range kind.Constraints {
			if t.SharesKeys(con, r.Constraint) {
				fit := t.Fit.Of(con)
				return &fit
			}
		}
	}
	return nil
}

// Changed returns the facts for a relation that changed between two readings. Its verdict is then unknown.
func (t *Table) Changed(r *verdict.Relation) verdict.Facts {
	e := t.Facts(r, nil, verdict.OthersAbsent)
	e.Changed = true
	return e
}
