package layout

import (
	"fmt"
	"slices"
	"strings"

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

// Claims lists what an account claims. schema is the lock table's, by name.
func (a *Account) Claims(table string, schema func(table string) attr.Schema, item attr.Fields) []Claim {
	var claims []Claim
	for _, c := range a.Constraints {
		claims = a.AppendClaimsOf(claims, c, table, schema, item)
	}
	return claims
}

// AppendClaimsOf adds what an account claims by one constraint.
func (a *Account) AppendClaimsOf(claims []Claim, c *Constraint, table string, schema func(table string) attr.Schema, item attr.Fields) []Claim {
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

// LocksOf lists the locks that an item would claim, if it were an account and held its
// values under another attribute.
func (c *Constraint) LocksOf(a *Account, attribute, table string, schema func(table string) attr.Schema, item attr.Item) []attr.Key {
	read := *c
	read.Attribute = attribute
	var keys []attr.Key
	for _, claim := range a.AppendClaimsOf(nil, &read, table, schema, item) {
		if claim.Err == nil {
			keys = append(keys, claim.Key)
		}
	}
	return keys
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

// ParseLock reads a lock's key back into the value it protects and the
// variables of its scope.
func (c *Constraint) ParseLock(s attr.Schema, k attr.Key) (v string, vars map[string]string, ok bool) {
	var all bindings
	if !parseKey(s, c.PK, c.SK, k, &all) {
		return "", nil, false
	}
	v = all.get(value)
	all.drop(value)
	return v, all.vars(), true
}

// valueOf is the value that a lock's key protects.
func (c *Constraint) valueOf(s attr.Schema, k attr.Key) (string, bool) {
	var all bindings
	if !parseKey(s, c.PK, c.SK, k, &all) {
		return "", false
	}
	return all.get(value), true
}

// resembles reports whether a key is one of a lock but for what stands in the place of
// its variables, which is empty: every literal of the templates is there. Where a key is
// computed nothing is said: another word in the place of a digest is another kind of item.
func (c *Constraint) resembles(s attr.Schema, k attr.Key) bool {
	hash := k.Hash.Value.Text
	if c.PK.computed || c.SK.computed || (c.PK.literals() == "" && c.SK.literals() == "") {
		return false
	}
	switch {
	case !loose(c.PK.parts, hash):
		return false
	case s.RangeName == "":
		return true
	case c.SK.text == samePK:
		return k.Range.Value.Text == hash
	}
	return loose(c.SK.parts, k.Range.Value.Text)
}

// loose is match where variables may be empty, and bind nothing: each literal is looked
// for where it comes first, and the last where the text ends.
func loose(parts []part, text string) bool {
	open := false // a variable came before
	for n, p := range parts {
		switch {
		case p.name != "":
			open = true
			continue
		case !open:
			rest, ok := strings.CutPrefix(text, p.literal)
			if !ok {
				return false
			}
			text = rest
		case n == len(parts)-1:
			return strings.HasSuffix(text, p.literal)
		default:
			_, rest, ok := strings.Cut(text, p.literal)
			if !ok {
				return false
			}
			text = rest
		}
		open = false
	}
	return open || text == ""
}

// literals are all that a template has besides its variables.
func (t Template) literals() string {
	all := ""
	for _, p := range t.parts {
		all += p.literal
	}
	return all
}

// Scope lists the variables that the lock's key needs besides the value: the
// account's key or its attributes give them.
func (c *Constraint) Scope() []string {
	var names []string
	for _, t := range []Template{c.PK, c.SK} {
		for _, name := range t.Variables() {
			if name != value && name != hashKey {
				names = append(names, name)
			}
		}
	}
	return names
}

// Scoped reports whether the lock's key needs more than the value.
func (c *Constraint) Scoped() bool { return c.PK.scoped() || c.SK.scoped() }

func (t Template) scoped() bool {
	for _, p := range t.parts {
		if p.name != "" && p.name != value && p.name != hashKey {
			return true
		}
	}
	return false
}

// IsLock reports whether an item at a lock's place is one of the constraint's.
func (c *Constraint) IsLock(item attr.Item) bool { return c.Is.holds(item) }

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
	return c.LockTable(accounts) == other.LockTable(accounts) && c.PK.text == other.PK.text && c.SK.text == other.SK.text && c.Is == other.Is
}

// Nonsense reports whether a value can only come from a mistake: the words that
// JavaScript writes where a value was absent.
func Nonsense(v string) bool { return v == "undefined" || v == "null" }
