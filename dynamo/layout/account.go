package layout

import (
	"slices"

	"tallylock/dynamo/attr"
)

// identity is the variable that stands for an account's id.
const identity = "id"

// Role is what an item is to its table's layout.
type Role struct {
	Account    *Account
	Constraint *Constraint // of the lock
	Counter    *Counter
	// ID is the account's, Value the lock's.
	ID, Value string
	// Malformed: the item has a lock's key in which the value, or what it is scoped by,
	// is empty, or is nonsense.
	Malformed bool
}

// Classify says what an item of a table is. accounts is the name of the table
// that the layout's accounts live in.
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
			// Kinds of accounts that keep their values in one place may each have their own
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
		if table == accounts && c.matches(s, k, item) { // elsewhere ids may be called the same
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

// Matches reports whether an item is an account of this kind, and its id.
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

// IDInPartition reports whether the partition key has the account's id: then other items
// of the partition are of that account, too.
func (a *Account) IDInPartition() bool { return a.PK.Uses(identity) }

// Scope lists the variables that an account's key needs besides its id.
func (a *Account) Scope() []string {
	return slices.DeleteFunc(append(a.PK.Variables(), a.SK.Variables()...), func(name string) bool {
		return name == identity || name == hashKey
	})
}

// Keys lists the keys that an account named by text could have: text as its id,
// and text as its whole partition key. vars gives the variables of a scope.
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
			return keys // a whole partition key is no id
		}
	}
	byID := bindingsOf(vars)
	byID.set(identity, text)
	try(&byID)
	return keys
}

// KindOf is the kind of account that an item is; nil where it is none.
func (l *Layout) KindOf(s attr.Schema, item attr.Fields) *Account {
	for _, a := range l.Accounts {
		if _, ok := a.Matches(s, item); ok {
			return a
		}
	}
	return nil
}

// Partition is the partition key of the account that a lock's owner names: text
// itself where that fits the template, else text as the id.
func (a *Account) Partition(text string, vars map[string]string) (string, bool) {
	if a.PK.Fits(text) {
		return text, true
	}
	byID := bindingsOf(vars)
	byID.set(identity, text)
	key, err := a.PK.render(&byID, "")
	return key, err == nil
}

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

// Named are those of some kinds of accounts that a lock may mean by its owner. One
// that is a whole partition key tells, but where such a key is an id alone: any text
// may be that.
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

// OwnerLike is what a lock of c says to name an account: as owner_form has it, else its whole
// partition key where like, the owner that another lock names, is one, else its id.
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
