package layout

import (
	"errors"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/mistake"
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
	if !c.OwnedByKey() {
		return ""
	}
	_, vars, _ := c.ParseLock(attr.Schema{RangeName: k.Range.Name}, k)
	return vars[identity]
}

// OwnedByKey reports whether locks name their accounts in their keys alone.
func (c *Constraint) OwnedByKey() bool {
	return c.Owner == "" && (c.PK.Uses(identity) || c.SK.Uses(identity))
}

// OwnerForm is how a lock writes its owner: "user#{id}". The zero OwnerForm is empty: locks write
// the id or the whole partition key.
type OwnerForm struct{ Template }

// ID returns what an owner that a lock names says of the account: its id or, without a form, its
// whole partition key. It reports false if the owner is empty or has another form: then nobody
// knows whom the lock names.
func (f OwnerForm) ID(owner string) (string, bool) {
	if f.Empty() || owner == "" {
		return owner, owner != ""
	}
	var all bindings
	if !f.parse(owner, &all) {
		return "", false
	}
	return all.get(identity), true
}

// ownerForm reads how a lock writes its owner.
func (cc ConstraintConfig) ownerForm() (OwnerForm, error) {
	if cc.OwnerForm == "" {
		return OwnerForm{}, nil
	}
	if cc.Owner == "" {
		return OwnerForm{}, mistake.Errorf("owner_form",
			"owner_form: owner is missing, the attribute of the lock that names its account")
	}
	form, err := ParseTemplate(cc.OwnerForm)
	if err == nil && (form.computed || len(form.Variables()) != 1 || !form.Uses(identity)) {
		err = errors.New("write {id} once, where the account's id stands, and no other variable: user#{id}")
	}
	return OwnerForm{form}, within("owner_form", "owner_form", err)
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

// OwnerLike is what a lock of c says to name an account: as owner_form has it, else its whole
// partition key where like, the owner that another lock names, is one, else its id.
func (a *Account) OwnerLike(c *Constraint, like, id string, k attr.Key) string {
	if !c.OwnerForm.Empty() {
		var vars bindings
		vars.add(identity, id)
		text, _ := c.OwnerForm.render(&vars, "")
		return text
	}
	if a.PK.fits(like) {
		return k.Hash.Value.Text
	}
	return id
}
