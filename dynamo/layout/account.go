package layout

import (
	"slices"
	"strings"

	"tallylock/dynamo/attr"
)

// identity is the name of the variable for an account's id.
const identity = "id"

// Role is the role of an item in the layout: a lock, an account, a counter, or none of these (the zero
// Role). Constraint is set only for a lock.
type Role struct {
	Account    *Account
	Constraint *Constraint // the constraint, if the item is a lock
	Counter    *Counter
	// ID is the id of an account. Value is the value in the key of a lock.
	ID, Value string
	// Malformed: the item has the key of a lock, but the value in the key is nonsense, or a
	// variable of the key is empty.
	Malformed bool
}

// Classify returns the role of an item in the table named table. accounts is the name of the table
// of the accounts.
func (l *Layout) Classify(accounts, table string, s attr.Schema, item attr.Fields) Role {
	k, ok := s.KeyOf(item)
	if !ok {
		return Role{}
	}
	var lock Role
	for _, a := range l.Accounts {
		for _, c := range a.Constraints {
			if c.LockTable(accounts) != table || !c.Is.Holds(item) {
				continue
			}
			// Several constraints may have the same lock keys, and different owner attributes or owner
			// forms. The item belongs to the constraint whose owner attribute and form it has.
			v, ok := c.valueOf(s, k)
			if !ok {
				continue
			}
			_, names := c.OwnerForm.ID(c.OwnerOf(item))
			if lock.Constraint == nil || names {
				lock = Role{Account: a, Constraint: c, Value: v, Malformed: Nonsense(v)}
			}
			if names || c.Owner == "" {
				return lock
			}
		}
	}
	if lock.Constraint != nil {
		return lock
	}
	for _, c := range l.Counters {
		if table == accounts && c.Fixed(s) && c.matches(s, k, item) {
			return Role{Counter: c}
		}
	}
	if table == accounts {
		for _, a := range l.Accounts {
			if id, ok := a.matches(s, k, item); ok {
				return Role{Account: a, ID: id}
			}
		}
	}
	for _, c := range l.Counters {
		if table == accounts && c.matches(s, k, item) { // in other tables, items with ids may have the same attribute
			return Role{Counter: c}
		}
	}
	for _, a := range l.Accounts {
		for _, c := range a.Constraints {
			if c.LockTable(accounts) == table && c.Is.Holds(item) && c.resembles(s, k) {
				return Role{Constraint: c, Malformed: true}
			}
		}
	}
	return Role{}
}

// Matches reports whether an item is an account of this kind, and returns the account's id.
func (a *Account) Matches(s attr.Schema, item attr.Fields) (id string, ok bool) {
	k, ok := s.KeyOf(item)
	if !ok {
		return "", false
	}
	return a.matches(s, k, item)
}

func (a *Account) matches(s attr.Schema, k attr.Key, item attr.Fields) (id string, ok bool) {
	var vars bindings
	if !a.Is.Holds(item) || !parseKey(s, a.PK, a.SK, k, &vars) {
		return "", false
	}
	if id = vars.get(identity); id == "" {
		id = k.Hash.Value.Text
	}
	return id, true
}

// IDInPartition reports whether the partition key contains the account's id. Then all items of that
// partition belong to the account.
func (a *Account) IDInPartition() bool { return a.PK.Uses(identity) }

// Scope lists the variables of an account's key besides its id.
func (a *Account) Scope() []string {
	return slices.DeleteFunc(append(a.PK.Variables(), a.SK.Variables()...), func(name string) bool {
		return name == identity || name == hashKey
	})
}

// Variables returns the variables of an account's key. It reports false if the key is no account's.
func (a *Account) Variables(s attr.Schema, k attr.Key) (map[string]string, bool) {
	var vars bindings
	if !parseKey(s, a.PK, a.SK, k, &vars) {
		return nil, false
	}
	return vars.vars(), true
}

// Keys lists the possible keys of the account that a lock names. text is the owner in the lock: the
// account's id or its whole partition key. vars has the other variables of the key.
func (a *Account) Keys(s attr.Schema, text string, vars map[string]string) []attr.Key {
	var keys []attr.Key
	try := func(vars *bindings) {
		k, err := renderKey(s, a.PK, a.SK, vars)
		if err == nil && !slices.ContainsFunc(keys, k.Equal) {
			keys = append(keys, k)
		}
	}
	var whole bindings
	if a.PK.parse(text, &whole) {
		for name, v := range vars {
			if !whole.has(name) {
				whole.add(name, v)
			}
		}
		try(&whole)
		if a.PK.literals() != "" {
			return keys // text fits the partition key, so it is not an id
		}
	}
	byID := bindingsOf(vars)
	byID.set(identity, text)
	try(&byID)
	return keys
}

// KindOf returns the kind of account that item belongs to. It returns nil if the item is not an
// account.
func (l *Layout) KindOf(s attr.Schema, item attr.Fields) *Account {
	for _, a := range l.Accounts {
		if _, ok := a.Matches(s, item); ok {
			return a
		}
	}
	return nil
}

// Partition returns the partition key of the account that a lock names. text is the owner in the
// lock. If text fits the template of the partition key, Partition returns text. Otherwise it
// renders the partition key with text as the account's id.
func (a *Account) Partition(text string, vars map[string]string) (string, bool) {
	prefix, rest, ok := a.PartitionParts(text, vars)
	return prefix + rest, ok
}

// PartitionParts is like Partition, but returns the key in two parts. For most accounts it allocates nothing.
func (a *Account) PartitionParts(text string, vars map[string]string) (prefix, rest string, ok bool) {
	if prefix, plain := a.PK.beforeID(); plain && text != "" {
		if strings.HasPrefix(text, prefix) && len(text) > len(prefix) {
			return "", text, true
		}
		return prefix, text, true
	}
	if a.PK.Fits(text) {
		return "", text, true
	}
	byID := bindingsOf(vars)
	byID.set(identity, text)
	key, err := a.PK.render(&byID, "")
	return "", key, err == nil
}

// OwnerOf returns the value of the lock's owner attribute: an id, a partition key, or a text in
// OwnerForm. It is empty if the lock names no owner.
func (c *Constraint) OwnerOf(lock attr.Fields) string {
	if c.Owner == "" {
		return ""
	}
	return lock.At(c.Owner).Text
}

// KeyOwner returns the account's id in the lock's key. It returns "" if locks have an owner
// attribute, or if the key has no id.
func (c *Constraint) KeyOwner(k attr.Key) string {
	if !c.OwnedByKey() {
		return ""
	}
	_, vars, _ := c.ParseLock(attr.Schema{RangeName: k.Range.Name}, k)
	return vars[identity]
}

// OwnedByKey reports whether locks name their account only in their key.
func (c *Constraint) OwnedByKey() bool {
	return c.Owner == "" && (c.PK.Uses(identity) || c.SK.Uses(identity))
}

// OwnerForm is the template of the owner in a lock, such as "user#{id}". If OwnerForm is empty, the
// owner is the account's id or its whole partition key.
type OwnerForm struct{ Template }

// ID returns the account's id. owner is the text of a lock that names the account. If f is empty,
// ID returns owner unchanged: an id or a whole partition key. ID reports false if owner is empty or
// does not fit f.
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

// Named returns the possible kinds of the account that a lock names. owner is the text of the lock that names the
// account. If the owner fits the partition keys of some kinds, Named returns only these kinds. Otherwise it returns
// all kinds. Named ignores a partition key without literals, such as {id}, since any owner would fit.
func Named(kinds []*Account, owner string) []*Account {
	var whole []*Account
	for _, a := range kinds {
		if a.PK.literals() != "" && a.PK.Fits(owner) {
			whole = append(whole, a)
		}
	}
	if len(whole) > 0 {
		return whole
	}
	return kinds
}

// OwnerLike returns the owner to write into a lock of c. id and k are the id and the key of the
// account. If c has an owner form, OwnerLike returns the id in that form. Otherwise it imitates
// like, the owner in another lock: if like is a partition key, it returns the account's partition
// key. If not, it returns the id.
func (a *Account) OwnerLike(c *Constraint, like, id string, k attr.Key) string {
	if !c.OwnerForm.Empty() {
		var vars bindings
		vars.add(identity, id)
		text, _ := c.OwnerForm.render(&vars, "")
		return text
	}
	if a.PK.Fits(like) {
		return k.Hash.Value.Text
	}
	return id
}
