package layout

import (
	"tallylock/dynamo/attr"
)

// OwnerOf is what the lock says of its account: an id or a partition key. Empty
// where it names nobody.
func (c *Constraint) OwnerOf(lock attr.Fields) string {
	if c.Owner == "" {
		return ""
	}
	return lock.At(c.Owner).Text
}

// KeyOwner is the account's id where the lock's key says it and no attribute does; empty
// where it does not.
func (c *Constraint) KeyOwner(k attr.Key) string {
	var all bindings
	if !c.OwnedByKey() || !parseKey(attr.Schema{RangeName: k.Range.Name}, c.PK, c.SK, k, &all) {
		return ""
	}
	return all.get(identity)
}

// OwnedByKey reports whether locks name their accounts in their keys alone.
func (c *Constraint) OwnedByKey() bool {
	return c.Owner == "" && (c.PK.Uses(identity) || c.SK.Uses(identity))
}

// Named are those of some kinds of accounts that a lock may mean by its owner. One
// that is a whole partition key tells, but where such a key is an id alone: any text
// may be that.
func Named(kinds []*Account, owner string) []*Account {
	var whole []*Account
	for _, a := range kinds {
		if a.PK.literals() != "" && a.PK.fits(owner) {
			whole = append(whole, a)
		}
	}
	if len(whole) > 0 {
		return whole
	}
	return kinds
}

// OwnerLike is what a lock says to name an account: its whole partition key where
// like, the owner that another lock names, is one, else its id.
func (a *Account) OwnerLike(like, id string, k attr.Key) string {
	if a.PK.fits(like) {
		return k.Hash.Value.Text
	}
	return id
}
