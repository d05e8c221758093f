package dynamo

import (
	"fmt"
	"slices"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Matcher relates the items of a table to each other by the table's layout alone:
// which account a lock names, and which locks an account claims. It reads nothing.
type Matcher struct{ t *Table }

// account reads an account item, where the layout says that it is one.
func (m Matcher) account(item attr.Item) (*layout.Account, *Account) {
	if item == nil {
		return nil, nil
	}
	for _, a := range m.t.Layout.Accounts {
		if id, ok := a.Matches(m.t.Schema, item); ok {
			k, _ := m.t.Schema.KeyOf(item)
			return a, &Account{Model: a.Model, ID: id, Key: k, Item: item}
		}
	}
	return nil, nil
}

// claims reports whether an account item claims the lock, by whichever of its
// constraints: two may keep their values in one place.
func (m Matcher) claims(item attr.Item, lock Lock) bool { return m.calls(m.claimsOf(item), lock) }

// claimsOf are the claims of an account item; none if it is no account.
func (m Matcher) claimsOf(item attr.Item) []layout.Claim {
	kind, a := m.account(item)
	if a == nil {
		return nil
	}
	return kind.Claims(m.t.Name, m.t.SchemaOf, item)
}

// calls reports whether one of the claims is that of the lock.
func (m Matcher) calls(claims []layout.Claim, lock Lock) bool {
	return slices.ContainsFunc(claims, func(claim layout.Claim) bool {
		return claim.Constraint.LockTable(m.t.Name) == lock.Table && claim.Calls(lock.Key)
	})
}

// ownerKeys lists the keys that the account named by a lock could have.
func (m Matcher) ownerKeys(c *layout.Constraint, lock Lock) []attr.Key {
	owner, ok := c.OwnerForm.ID(lock.Owner)
	if !ok {
		return nil
	}
	_, vars, _ := c.ParseLock(m.t.SchemaOf(lock.Table), lock.Key)
	var keys []attr.Key
	for _, a := range layout.Named(m.t.Layout.Holders(m.t.Name, c), owner) {
		for _, k := range a.Keys(m.t.Schema, owner, vars) {
			if !slices.ContainsFunc(keys, k.Equal) {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

// names reports whether the lock names this account as its owner. Kinds of accounts may
// keep their values in one place, and a lock need not say which kind its account is.
func (m Matcher) names(c *layout.Constraint, lock Lock, a *Account) bool {
	if owner, ok := c.OwnerForm.ID(lock.Owner); ok && (owner == a.ID || owner == a.Key.Hash.Value.Text) {
		return true
	}
	for _, k := range m.ownerKeys(c, lock) {
		if k.Equal(a.Key) {
			return true
		}
	}
	return false
}

// Obscure reports whether an item is an account whose value of the relation's
// constraint cannot be read, and may be the one that the lock keeps: nothing may
// be concluded from such an account.
func (m Matcher) Obscure(item attr.Item, rel *Relation) bool {
	kind, a := m.account(item)
	return a != nil && obscure(kind, item, rel, kind.Claims(m.t.Name, m.t.SchemaOf, item))
}

// OwnerKinds are the kinds of accounts that the lock may mean by its owner.
func (m Matcher) OwnerKinds(rel *Relation) []*layout.Account {
	owner, _ := rel.Constraint.OwnerForm.ID(rel.Lock.Owner)
	return layout.Named(m.t.Layout.Holders(m.t.Name, rel.Constraint), owner)
}

// OwnerKeys lists the keys that the account which the lock names could have.
func (m Matcher) OwnerKeys(rel *Relation) []attr.Key {
	return m.ownerKeys(rel.Constraint, rel.Lock)
}

// Relations are the locks that an account claims, as relations that are not
// read yet. Values that can have no lock are left out.
func (m Matcher) Relations(kind *layout.Account, a *Account) []*Relation {
	var rels []*Relation
	seen := map[string]bool{}
	for _, claim := range kind.Claims(m.t.Name, m.t.SchemaOf, a.Item) {
		lock := Lock{Table: claim.Constraint.LockTable(m.t.Name), Key: claim.Key}
		if id := lockID(lock.Table, lock.Key); claim.Err == nil && !seen[id] {
			seen[id] = true
			rels = append(rels, &Relation{Constraint: claim.Constraint, Value: claim.Value, Account: a, Lock: lock})
		}
	}
	return rels
}

// Names reports whether a lock names this account as its owner.
func (m Matcher) Names(rel *Relation, a *Account) bool { return m.names(rel.Constraint, rel.Lock, a) }

// JudgeFromScan judges a relation from what a scan has met of it, one item at a time:
// its lock, the accounts that claim it, and the one that it names, nil where that
// was not met. What it met is of the time at. It reads nothing, and is never more than
// Provisional.
func (m Matcher) JudgeFromScan(rel *Relation, accounts []Account, owner *Account, at time.Time) *Relation {
	fresh := *rel
	fresh.Claimants = slices.Clone(accounts)
	if len(accounts) > 0 {
		fresh.Account = &fresh.Claimants[0]
	}
	e := m.evidence(&fresh, owner, OthersAbsent)
	e.Scanned, e.Now = true, at
	fresh.conclude(e)
	return &fresh
}

// evidence is what a relation says, together with what the table knows of its layout.
// owner is the account that the lock names, if it exists and was read.
func (m Matcher) evidence(r *Relation, owner *Account, others Others) Evidence {
	e := Evidence{
		Value: r.Value, Lock: r.Lock, Claimants: r.Claimants, Owner: owner, Impossible: r.err, Others: others,
		Apart: r.apart, Busy: r.busy, Changed: r.handed, Malformed: r.Malformed,
		// An owner whose key cannot be made says nothing: who it is is not known.
		OwnerKnown: r.Lock.Owner != "" && len(m.ownerKeys(r.Constraint, r.Lock)) > 0,
		Fit:        m.t.Fit.Of(r.Constraint), Unjudged: !m.t.Fit.isJudged(), Regions: m.t.Regions(),
		Reserved: r.Constraint.Reserved, Now: time.Now(), Lapses: r.Constraint.Lapses,
	}
	e.TablesUnsaid = !m.t.TablesSaid(r.Constraint)
	if c := r.Constraint; r.Lock.Exists && r.Lock.Item != nil && c.Reserved.For == 0 {
		e.Unlikely = e.Fit.Held.Provisional(r.Lock.Item, r.Value, func(name string) bool {
			return plainLockAttribute(m.t, c, r.Lock.Table, name)
		}, e.Now)
	}
	if e.OwnerKnown && m.t.NowhereElse(r.Constraint) {
		e.NowhereElse = e.Fit.OwnerTold() && (owner != nil || e.Fit.OwnersExist(lockID(r.Lock.Table, r.Lock.Key)))
	}
	if len(r.Claimants) > 0 {
		e.NamesClaimant, e.ClaimantFit = m.names(r.Constraint, r.Lock, &r.Claimants[0]), m.claimantFit(r)
	}
	if _, ok := r.Constraint.OwnerForm.ID(r.Lock.Owner); !ok && r.Lock.Owner != "" {
		e.OwnerOdd = fmt.Sprintf("its owner %s is not written as owner_form says, so nobody knows whom it names",
			phrase.Quote(r.Lock.Owner))
	}
	e.OwnerUnreadable = owner != nil && m.Obscure(owner.Item, r)
	return e
}

// claimantFit is the fit of the constraint that the first claimant of a lock has, where it
// is of another kind of account: whether its locks name accounts, those of others do not say.
func (m Matcher) claimantFit(r *Relation) *layout.Fit {
	for _, kind := range m.t.Layout.Accounts {
		if kind.Model != r.Claimants[0].Model || slices.Contains(kind.Constraints, r.Constraint) {
			continue
		}
		for _, con := range kind.Constraints {
			if con.SamePlace(m.t.Name, r.Constraint) {
				fit := m.t.Fit.Of(con)
				return &fit
			}
		}
	}
	return nil
}

// changed is the evidence of a relation whose readings do not fit together.
func (m Matcher) changed(r *Relation) Evidence {
	e := m.evidence(r, nil, OthersAbsent)
	e.Changed = true
	return e
}

// obscure reports whether an account has a value of the relation's constraint that cannot be
// read as the layout has it, and may be the one that the lock keeps.
func obscure(kind *layout.Account, item attr.Item, rel *Relation, claims []layout.Claim) bool {
	for _, con := range kind.Constraints {
		if con != rel.Constraint {
			continue
		}
		for _, text := range layout.Unread(item.At(con.Attribute)) {
			if con.Encodes() || con.Normalised(text) == rel.Value || layout.Fold(text) == layout.Fold(rel.Value) {
				return true
			}
		}
	}
	for _, claim := range claims {
		if claim.Constraint == rel.Constraint && claim.Err != nil && (claim.Value == rel.Value || claim.Raw == rel.Value) {
			return true
		}
	}
	return false
}
