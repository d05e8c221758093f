// Package schema binds a layout to its tables. It tells the role of an item, the locks that an account claims,
// and the possible keys of the account that a lock names. The package reads no table.
package schema

import (
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// Below reports whether a path leads into an attribute: "a.b" is below "a".
func Below(path, attribute string) bool {
	return len(path) > len(attribute) && path[:len(attribute)] == attribute && path[len(attribute)] == '.'
}

// root returns the top-level attribute of a path.
func root(path string) string {
	name, _, _ := strings.Cut(path, ".")
	return name
}

// View is a layout bound to its tables. It tells the role of an item, the locks that an account claims, and the
// possible keys of the account that a lock names. It reads no table, and never changes.
type View struct {
	Layout *layout.Layout
	// AccountTable is the table of the accounts.
	AccountTable string
	Schemas      map[string]attr.Schema
}

// NewView binds a layout to its tables. accounts is the table of the accounts. schemas has the key schemas of
// this table and of the tables of locks and ids, by table name.
func NewView(l *layout.Layout, accounts string, schemas map[string]attr.Schema) *View {
	return &View{Layout: l, AccountTable: accounts, Schemas: schemas}
}

// SchemaOf returns the key schema of a table.
func (v *View) SchemaOf(table string) attr.Schema { return v.Schemas[table] }

// AccountSchema returns the key schema of the table of the accounts.
func (v *View) AccountSchema() attr.Schema { return v.Schemas[v.AccountTable] }

// LockTable returns the table of a constraint's locks.
func (v *View) LockTable(c *layout.Constraint) string { return c.LockTable(v.AccountTable) }

// LockSchema returns the key schema of the table that LockTable names.
func (v *View) LockSchema(c *layout.Constraint) attr.Schema { return v.Schemas[v.LockTable(c)] }

// TablesNamed reports whether a person has named the other tables whose applications put locks into the
// constraint's lock table. It also returns true if nobody has to name such tables, because the constraint has
// no locks or keeps them in the accounts' own table.
func (v *View) TablesNamed(c *layout.Constraint) bool {
	return c.Lockless() || v.LockTable(c) == v.AccountTable || c.AlsoIn != nil
}

// SharesKeys reports whether two constraints keep their locks under the same keys.
func (v *View) SharesKeys(a, b *layout.Constraint) bool { return a.SharesKeys(v.AccountTable, b) }

// Classify returns the role of an item of a table.
func (v *View) Classify(table string, item attr.Fields) layout.Role {
	return v.Layout.Classify(v.AccountTable, table, v.SchemaOf(table), item)
}

// AccountOf returns the kind of an account item, and the account. Both are nil if the item is not an account of
// the layout.
func (v *View) AccountOf(item attr.Item) (*layout.Account, *Account) {
	if item == nil {
		return nil, nil
	}
	schema := v.AccountSchema()
	for _, a := range v.Layout.Accounts {
		if id, ok := a.Matches(schema, item); ok {
			k, _ := schema.KeyOf(item)
			return a, &Account{Model: a.Model, ID: id, Key: k, Item: item}
		}
	}
	return nil, nil
}

// ClaimsOf lists the claims of an account item. It is nil if the item is not an account.
func (v *View) ClaimsOf(item attr.Item) []layout.Claim {
	kind, a := v.AccountOf(item)
	if a == nil {
		return nil
	}
	return v.ClaimsBy(kind, item)
}

// ClaimsBy lists the claims of an account of the given kind.
func (v *View) ClaimsBy(kind *layout.Account, item attr.Fields) []layout.Claim {
	return kind.AppendClaims(nil, v.AccountTable, v.SchemaOf, item)
}

// Claims reports whether an account item claims the lock. It tries all constraints of the account. The lock's
// own constraint is not enough, because two constraints may keep their locks under the same keys.
func (v *View) Claims(item attr.Item, lock Lock) bool { return v.HasClaim(v.ClaimsOf(item), lock) }

// HasClaim reports whether one of the claims is for the lock.
func (v *View) HasClaim(claims []layout.Claim, lock Lock) bool {
	return slices.ContainsFunc(claims, func(claim layout.Claim) bool {
		return v.LockTable(claim.Constraint) == lock.Table && claim.IsLock(lock.Key)
	})
}

// KindsOf lists the kinds of accounts that have locks under the keys of the constraint.
func (v *View) KindsOf(c *layout.Constraint) []*layout.Account {
	return v.Layout.Holders(v.AccountTable, c)
}

// OwnersOf lists the kinds of accounts that locks of the constraint may name as their owner.
func (v *View) OwnersOf(c *layout.Constraint) []*layout.Account {
	return v.Layout.Owners(v.AccountTable, c)
}

// OwnerKinds lists the kinds of accounts that a lock may name as its owner.
func (v *View) OwnerKinds(c *layout.Constraint, lock Lock) []*layout.Account {
	owner, _ := c.OwnerForm.ID(lock.Owner)
	return layout.Named(v.OwnersOf(c), owner)
}

// OwnerKeys lists the possible keys of the account that a lock names.
func (v *View) OwnerKeys(c *layout.Constraint, lock Lock) []attr.Key {
	owner, ok := c.OwnerForm.ID(lock.Owner)
	if !ok {
		return nil
	}
	_, vars, _ := c.ParseLock(v.SchemaOf(lock.Table), lock.Key)
	var keys []attr.Key
	for _, a := range layout.Named(v.OwnersOf(c), owner) {
		for _, k := range a.Keys(v.AccountSchema(), owner, vars) {
			if !slices.ContainsFunc(keys, k.Equal) {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

// Names reports whether a lock names this account as its owner. It tries the keys of several kinds of accounts,
// because a lock may not tell the kind of its owner.
func (v *View) Names(c *layout.Constraint, lock Lock, a *Account) bool {
	owner, ok := c.OwnerForm.ID(lock.Owner)
	if ok && (owner == a.ID || owner == a.Key.Hash.Value.Text) && v.ownerMayBe(c, a) {
		return true
	}
	return slices.ContainsFunc(v.OwnerKeys(c, lock), a.Key.Equal)
}

// ownerMayBe reports whether a lock of the constraint may name an account of this kind: both must have the same owner
// form.
func (v *View) ownerMayBe(c *layout.Constraint, a *Account) bool {
	owners := v.OwnersOf(c)
	if len(owners) == len(v.KindsOf(c)) {
		return true
	}
	return slices.ContainsFunc(owners, func(kind *layout.Account) bool {
		_, ok := kind.Variables(v.AccountSchema(), a.Key)
		return ok
	})
}

// Obscure reports whether an account may hold the given value in a form that the program cannot read. Then the
// account does not prove that the value is held, nor that it is free. The result is false if the item is not an
// account.
func (v *View) Obscure(item attr.Item, c *layout.Constraint, value string) bool {
	kind, a := v.AccountOf(item)
	if a == nil {
		return false
	}
	if slices.Contains(kind.Constraints, c) {
		for _, text := range layout.Unread(item.At(c.Attribute)) {
			if c.Encodes() || c.Normalised(text) == value || layout.Fold(text) == layout.Fold(value) {
				return true
			}
		}
	}
	return slices.ContainsFunc(v.ClaimsBy(kind, item), func(claim layout.Claim) bool {
		return claim.Constraint == c && claim.Err != nil && (claim.Value == value || claim.Raw == value)
	})
}

// PlainAttribute reports whether an attribute of a lock says nothing about the lock's state: it is a key of the
// table, an attribute that the layout describes, a release mark, or the mark of a backfill.
func (v *View) PlainAttribute(c *layout.Constraint, table, name string) bool {
	return v.SchemaOf(table).IsKey(name) || name == MarkAttribute || name == AdoptAttribute || name == root(c.Owner) ||
		name == root(c.Is.Attribute) || name == root(c.Reserved.Since)
}

// HoldsValuesIn reports whether accounts of a kind keep values of the constraint in an attribute. That is the
// constraint's own attribute, or an attribute nested in it. Another constraint counts, too, if its locks have
// the same keys.
func (v *View) HoldsValuesIn(kind *layout.Account, c *layout.Constraint, attribute string) bool {
	return slices.ContainsFunc(kind.Constraints, func(own *layout.Constraint) bool {
		return v.SharesKeys(own, c) && (attribute == own.Attribute || Below(attribute, own.Attribute))
	})
}
