package layout

import (
	"slices"

	"tallylock/dynamo/attr"
)

// identity is the variable that stands for an account's id.
const identity = "id"

// Role is the role of an item in its table's layout: a lock, an account or a counter. A lock has a
// Constraint. The zero Role is none of them.
type Role struct {
	Account    *Account
	Constraint *Constraint // of the lock
	Counter    *Counter
	// ID is the id of the account. Value is the value that the lock keeps.
	ID, Value string
	// Malformed: the item has a lock's key, but the value or a variable of the scope is empty, or
	// the value is nonsense.
	Malformed bool
}

// Classify returns the role of an item of a table. accounts is the table of the layout's accounts.
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
			// Kinds of accounts that keep their values under the same keys may each have their own
			// attribute for the owner.
			v, ok := c.valueOf(s, k)
			if !ok {
				continue
			}
			names := c.OwnerOf(item) != ""
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
		if table == accounts && c.matches(s, k, item) { // in another table, ids may have the same attribute
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

// Matches reports whether an item is an account of this kind, and returns its id.
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

// IDInPartition reports whether the partition key has the account's id. Then all other items of the
// partition belong to the account, too.
func (a *Account) IDInPartition() bool { return a.PK.Uses(identity) }

// Scope lists the variables that an account's key needs besides its id.
func (a *Account) Scope() []string {
	return slices.DeleteFunc(append(a.PK.Variables(), a.SK.Variables()...), func(name string) bool {
		return name == identity || name == hashKey
	})
}

// Keys lists the possible keys of an account that a lock names: text may be its id or its whole
// partition key. vars gives the variables of a scope.
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
			return keys // text is a partition key, not an id
		}
	}
	byID := bindingsOf(vars)
	byID.set(identity, text)
	try(&byID)
	return keys
}

// KindOf returns the kind of account that an item is; nil if the item is not an account.
func (l *Layout) KindOf(s attr.Schema, item attr.Fields) *Account {
	for _, a := range l.Accounts {
		if _, ok := a.Matches(s, item); ok {
			return a
		}
	}
	return nil
}

// Partition returns the partition key of the account that a lock's owner names. It is text itself
// if that fits the template; else text is taken as the id.
func (a *Account) Partition(text string, vars map[string]string) (string, bool) {
	if a.PK.Fits(text) {
		return text, true
	}
	byID := bindingsOf(vars)
	byID.set(identity, text)
	key, err := a.PK.render(&byID, "")
	return key, err == nil
}

// OwnerOf returns the owner attribute of a lock: an id, a partition key, or a text in OwnerForm. It
// is empty if the lock names nobody.
func (c *Constraint) OwnerOf(lock attr.Fields) string {
	if c.Owner == "" {
		return ""
	}
	return lock.At(c.Owner).Text
}

// KeyOwner returns the account's id in the lock's key, for locks without an owner attribute; empty
// if the key has no id.
func (c *Constraint) KeyOwner(k attr.Key) string {
	if !c.OwnedByKey() {
		return ""
	}
	_, vars, _ := c.ParseLock(attr.Schema{RangeName: k.Range.Name}, k)
	return vars[identity]
}

// OwnedByKey reports whether only the key of a lock names its account.
func (c *Constraint) OwnedByKey() bool {
	return c.Owner == "" && (c.PK.Uses(identity) || c.SK.Uses(identity))
}

// OwnerForm is the form of the owner in a lock: "user#{id}". If it is empty, locks have the id or
// the whole partition key.
type OwnerForm struct{ Template }

// ID returns the account's id from the owner that a lock names. Without a form the result may also
// be the whole partition key. ID reports false if the owner is empty or has another form: then the
// account is unknown.
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

// Named returns the kinds of accounts that a lock's owner may name. If the owner fits the partition
// keys of some kinds, it returns those kinds, else all. A kind whose partition key is an id alone
// never counts as fitting: any text may be an id.
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

// OwnerLike writes the account with this id and key as the owner in a lock of c. It uses the owner
// form if c has one. Else it writes the whole partition key if like, the owner in another lock, is
// a partition key, and the id if not.
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
