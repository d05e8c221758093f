package layout

import (
	"errors"
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

// LockKeys are how the keys of locks are made of the values that they protect. Both are
// empty of a rule without locks.
type LockKeys struct {
	PK, SK Template
	// Also are other forms of the key: an account needs one lock, of any form.
	Also []LockKeys
}

// Lockless reports whether a rule has no locks: what is unique is then said by the
// config alone, and only the accounts themselves tell whether it is.
func (l *LockKeys) Lockless() bool { return l.PK.Empty() }

// KeyedByAccount reports whether a lock's key has the account's id. Then two accounts get two
// locks, and nothing keeps the value unique.
func (l *LockKeys) KeyedByAccount() bool { return l.PK.Uses(identity) || l.SK.Uses(identity) }

// Compared reports whether locks do not tell that two accounts hold one value: there are none,
// each account has its own, or a lock may have several forms. Then the accounts are compared.
func (l *LockKeys) Compared() bool { return l.Lockless() || l.KeyedByAccount() || len(l.Also) > 0 }

// ParseLock reads a lock's key, of any form, back into the value it protects and the
// variables of its scope.
func (l *LockKeys) ParseLock(s attr.Schema, k attr.Key) (v string, vars map[string]string, ok bool) {
	var all bindings
	if !l.parse(s, k, &all) {
		return "", nil, false
	}
	v = all.get(value)
	all.drop(value)
	return v, all.vars(), true
}

// valueOf is the value that a lock's key, of any form, protects.
func (l *LockKeys) valueOf(s attr.Schema, k attr.Key) (string, bool) {
	var all bindings
	if !l.parse(s, k, &all) {
		return "", false
	}
	return all.get(value), true
}

// parse adds the variables of a lock's key, of any form.
func (l *LockKeys) parse(s attr.Schema, k attr.Key, vars *bindings) bool {
	if parseKey(s, l.PK, l.SK, k, vars) {
		return true
	}
	for n := range l.Also {
		*vars = bindings{}
		if parseKey(s, l.Also[n].PK, l.Also[n].SK, k, vars) {
			return true
		}
	}
	return false
}

// resembles reports whether a key is one of a lock but for what stands in the place of
// its variables, which is empty: every literal of the templates is there. Where a key is
// computed nothing is said: another word in the place of a digest is another kind of item.
func (l *LockKeys) resembles(s attr.Schema, k attr.Key) bool {
	for n := range l.Also {
		if l.Also[n].resembles(s, k) {
			return true
		}
	}
	hash := k.Hash.Value.Text
	if l.PK.computed || l.SK.computed || (l.PK.literals() == "" && l.SK.literals() == "") {
		return false
	}
	switch {
	case !loose(l.PK.parts, hash):
		return false
	case s.RangeName == "":
		return true
	case l.SK.text == samePK:
		return k.Range.Value.Text == hash
	}
	return loose(l.SK.parts, k.Range.Value.Text)
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
func (l *LockKeys) Scope() []string {
	var names []string
	for _, t := range []Template{l.PK, l.SK} {
		for _, name := range t.Variables() {
			if name != value && name != hashKey {
				names = append(names, name)
			}
		}
	}
	return names
}

// Scoped reports whether the lock's key needs more than the value.
func (l *LockKeys) Scoped() bool { return l.PK.scoped() || l.SK.scoped() }

func (t Template) scoped() bool {
	for _, p := range t.parts {
		if p.name != "" && p.name != value && p.name != hashKey {
			return true
		}
	}
	return false
}

// Partition is where the locks of a value stand when the value and vars give their
// partition key, and leave something of their sort key open: the partition key, and what
// the sort keys begin with. ok is false where the partition key needs more, too.
func (l *LockKeys) Partition(
	s attr.Schema, v string, vars map[string]string,
) (hash attr.Value, prefix string, ok bool) {
	if s.RangeName == "" {
		return hash, "", false
	}
	all := bindingsOf(vars)
	all.set(value, v)
	text, err := l.PK.render(&all, "")
	if err != nil {
		return hash, "", false
	}
	if hash, err = keyValue(s.HashKind, text, maxHash); err != nil {
		return hash, "", false
	}
	if s.RangeKind != attr.S {
		return hash, "", true // nothing but a string has a beginning
	}
	var b strings.Builder
	for n := range l.SK.parts {
		known, missing := l.SK.parts[n].render(&all, text)
		if missing != "" {
			break
		}
		b.WriteString(known)
	}
	return hash, b.String(), true
}

// digest is the value where the templates ask for a digest.
func (l *LockKeys) digest(v string) string {
	t := l.digested()
	if t == nil || v == "" {
		return v
	}
	var vars bindings
	vars.add(value, v)
	text, err := t.render(&vars, "")
	if err != nil {
		return "" // it says {v} alone
	}
	return digest(text)
}

// digested is the text of whose digest the lock's key is made, and not of the value.
func (l *LockKeys) digested() *Template {
	if !l.PK.computed && !l.SK.computed {
		return nil
	}
	if t := l.PK.digested(); t != nil {
		return t
	}
	return l.SK.digested()
}

// Digests reports whether the lock's key is made of a digest of the value.
func (l *LockKeys) Digests() bool { return l.digested() != nil }

// CheckDigests refuses keys of locks in which the value stands in two ways.
func (l *LockKeys) CheckDigests() error {
	pk, sk := l.PK.digested(), l.SK.digested()
	switch {
	case pk == nil && sk == nil:
		return nil
	case pk != nil && sk != nil && pk.text != sk.text:
		return errors.New("pk and sk have digests of two texts, and one is all that a value can be read by")
	case pk == nil && l.PK.Uses(value), sk == nil && l.SK.Uses(value):
		return errors.New("one of pk and sk has a digest of {v} and the other {v} itself, and only one of them can be read")
	}
	return nil
}

// schemaOf is what a key says of its table's schema.
func schemaOf(k attr.Key) attr.Schema {
	return attr.Schema{
		HashName: k.Hash.Name, HashKind: k.Hash.Value.Kind, RangeName: k.Range.Name, RangeKind: k.Range.Value.Kind,
	}
}

// FirstForm returns the key that the lock with the key k would have in the first form. It is k
// itself if k has that form, or none.
func (l *LockKeys) FirstForm(k attr.Key) attr.Key {
	if len(l.Also) == 0 {
		return k
	}
	return l.Forms(k)[0]
}

// Forms returns the keys of all locks that may keep the value of the lock with the key k, the
// first form first. It is k alone if k has no form of the constraint.
func (l *LockKeys) Forms(k attr.Key) []attr.Key {
	if len(l.Also) == 0 {
		return []attr.Key{k}
	}
	s := schemaOf(k)
	v, vars, ok := l.ParseLock(s, k)
	if !ok {
		return []attr.Key{k}
	}
	all := bindingsOf(vars)
	all.set(value, v)
	var keys []attr.Key
	for _, form := range append([]LockKeys{*l}, l.Also...) {
		if key, err := renderKey(s, form.PK, form.SK, &all); err == nil {
			keys = append(keys, key)
		}
	}
	return keys
}
