package layout

import (
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
)

// Claim is a value that an account holds, and the lock that it claims.
type Claim struct {
	Constraint *Constraint
	Raw        string // as the account has it
	Value      string // normalised
	Key        attr.Key
	// Err says why the value can have no lock (ErrValue); Key is empty then.
	Err error
}

// Keys lists the keys of all locks that may keep the value: those of the constraint's other forms,
// too.
func (c *Claim) Keys() []attr.Key { return c.Constraint.Forms(c.Key) }

// Calls reports whether the account claims the lock with this key, of any form.
func (c *Claim) Calls(k attr.Key) bool {
	return c.Err == nil && (c.Key.Equal(k) || len(c.Constraint.Also) > 0 && slices.ContainsFunc(c.Keys(), k.Equal))
}

// Claims lists what an account claims. schema is the lock table's, by name.
func (a *Account) Claims(table string, schema func(table string) attr.Schema, item attr.Fields) []Claim {
	var claims []Claim
	for _, c := range a.Constraints {
		claims = a.AppendClaimsOf(claims, c, table, schema, item)
	}
	return claims
}

// AppendClaimsOf adds what an account claims by one constraint.
func (a *Account) AppendClaimsOf(
	claims []Claim, c *Constraint, table string, schema func(table string) attr.Schema, item attr.Fields,
) []Claim {
	first := len(claims)
	var one [1]string
	for _, raw := range appendTexts(one[:0], item.At(c.Attribute)) {
		v := c.Normalised(raw)
		if slices.ContainsFunc(claims[first:], func(other Claim) bool { return other.Value == v }) {
			continue // two spellings of one value in a set claim one lock
		}
		var vars bindings
		vars.add(value, v)
		if c.Scoped() {
			a.scope(schema(table), item, c, &vars)
		}
		claim := Claim{Constraint: c, Raw: raw, Value: v}
		claim.Key, claim.Err = c.lockKey(schema(c.LockTable(table)), v, &vars)
		claims = append(claims, claim)
	}
	return claims
}

// scope adds what the account's key and attributes give a lock's templates.
func (a *Account) scope(s attr.Schema, item attr.Fields, c *Constraint, vars *bindings) {
	if k, ok := s.KeyOf(item); ok {
		var own bindings
		if parseKey(s, a.PK, a.SK, k, &own) {
			for _, b := range own.all[:own.n] {
				if b.name != value && (c.PK.Uses(b.name) || c.SK.Uses(b.name)) {
					vars.add(b.name, b.text)
				}
			}
		}
	}
	scope(item, vars, c.PK)
	scope(item, vars, c.SK)
}

// Rests lists the attributes of an account that the lock's key is made of, the
// value's own first and those of its scope after it.
func (a *Account) Rests(s attr.Schema, item attr.Item, c *Constraint) []string {
	var inKey bindings
	if k, ok := s.KeyOf(item); ok && !parseKey(s, a.PK, a.SK, k, &inKey) {
		inKey = bindings{}
	}
	names := []string{c.Attribute}
	for _, name := range append(c.PK.Variables(), c.SK.Variables()...) {
		if !inKey.has(name) && name != value && name != hashKey && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// LockKey renders the lock of a value that is normalised already. vars gives
// the variables besides {v}, and is nil for layouts without a scope.
func (c *Constraint) LockKey(s attr.Schema, v string, vars map[string]string) (attr.Key, error) {
	all := bindingsOf(vars)
	all.set(value, v)
	return c.lockKey(s, v, &all)
}

func (c *Constraint) lockKey(s attr.Schema, v string, vars *bindings) (attr.Key, error) {
	if v == "" {
		return attr.Key{}, fmt.Errorf("%s: %w: it is empty", c.Name, ErrValue)
	}
	k, err := renderKey(s, c.PK, c.SK, vars)
	if err != nil {
		return attr.Key{}, fmt.Errorf("%s %q: %w", c.Name, v, err)
	}
	return k, nil
}

// EmptyKey is the key that an application makes which locks no value at all: such a
// lock can only come from a mistake. There is none where the key is the value.
func (c *Constraint) EmptyKey(s attr.Schema, vars map[string]string) (attr.Key, error) {
	all := bindingsOf(vars)
	hash := c.PK.without(&all, "")
	k := attr.Key{Hash: attr.Attribute{Name: s.HashName}}
	var err error
	if k.Hash.Value, err = keyValue(s.HashKind, hash, maxHash); err == nil && s.RangeName != "" {
		k.Range.Name = s.RangeName
		k.Range.Value, err = keyValue(s.RangeKind, c.SK.without(&all, hash), maxRange)
	}
	if err != nil {
		return attr.Key{}, fmt.Errorf("%s: %w: without a value its key %w", c.Name, ErrValue, err)
	}
	return k, nil
}

// Holders lists the kinds of accounts that claim locks with the keys of the
// constraint's: several may keep their values in one place.
func (l *Layout) Holders(accounts string, c *Constraint) []*Account {
	var kinds []*Account
	for _, a := range l.Accounts {
		if slices.ContainsFunc(a.Constraints, func(own *Constraint) bool { return own.SamePlace(accounts, c) }) {
			kinds = append(kinds, a)
		}
	}
	return kinds
}

// SamePlace reports whether the locks of both constraints have the same keys: a
// lock does not tell which of them it is of.
func (c *Constraint) SamePlace(accounts string, other *Constraint) bool {
	return c.LockTable(accounts) == other.LockTable(accounts) && c.PK.text == other.PK.text &&
		c.SK.text == other.SK.text &&
		c.Is == other.Is
}

// Nonsense reports whether a value can only come from a mistake: the words that
// JavaScript writes where a value was absent.
func Nonsense(v string) bool { return v == "undefined" || v == "null" }
