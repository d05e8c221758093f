package layout

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
)

// Claim is a value that an account holds, with the key of the value's lock.
type Claim struct {
	Constraint *Constraint
	Raw        string // the value as the account has it
	Value      string // the value after normalising
	Key        attr.Key
	// Err is ErrValue if no lock key can be made of the value. Then Key is empty.
	Err error
}

// Keys lists the keys at which the value's lock may be: one key for each form of the constraint's
// lock keys.
func (c *Claim) Keys() []attr.Key { return c.Constraint.Forms(c.Key) }

// IsLock reports whether k is the key of the claim's lock. k may have any form of the key.
func (c *Claim) IsLock(k attr.Key) bool {
	return c.Err == nil && (c.Key.Equal(k) || len(c.Constraint.Also) > 0 && slices.ContainsFunc(c.Keys(), k.Equal))
}

// AppendClaims appends the claims of the account item to claims. The caller can use the slice again
// for the next item. table is the table of the accounts. schema returns the key schema of a table
// by its name.
func (a *Account) AppendClaims(
	claims []Claim, table string, schema func(table string) attr.Schema, item attr.Fields,
) []Claim {
	for _, c := range a.Constraints {
		claims = a.AppendClaimsOf(claims, c, table, schema, item)
	}
	return claims
}

// AppendClaimsOf works like AppendClaims, but only for the constraint c.
func (a *Account) AppendClaimsOf(
	claims []Claim, c *Constraint, table string, schema func(table string) attr.Schema, item attr.Fields,
) []Claim {
	first := len(claims)
	var one [1]string
	for _, raw := range appendTexts(one[:0], item.At(c.Attribute)) {
		v := c.Normalised(raw)
		if slices.ContainsFunc(claims[first:], func(other Claim) bool { return other.Value == v }) {
			continue // two spellings of one value share one lock
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

// scope binds the variables of the lock's key, except {v}. It first takes their values from the
// account's key, and then from the account's attributes.
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

// Rests lists the attributes of an account from which its lock's key is made. The account claims
// the lock as long as these attributes stay unchanged. The attribute with the value comes first.
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

// LockKey renders the key of the lock for the normalised value v. vars has the other variables of
// the key. It is nil if the key has no others.
func (c *Constraint) LockKey(s attr.Schema, v string, vars map[string]string) (attr.Key, error) {
	all := bindingsOf(vars)
	all.set(value, v)
	return c.lockKey(s, v, &all)
}

func (c *Constraint) lockKey(s attr.Schema, v string, vars *bindings) (attr.Key, error) {
	if v == "" {
		return attr.Key{}, fmt.Errorf("%s: %w: the value is empty", c.Name, ErrValue)
	}
	k, err := renderKey(s, c.PK, c.SK, vars)
	if err != nil {
		return attr.Key{}, fmt.Errorf("%s %q: %w", c.Name, v, err)
	}
	return k, nil
}

// EmptyKey returns the lock key for an empty value. Only a mistake of the application makes such a
// lock. EmptyKey returns ErrValue if the key would be invalid, for example if the partition key
// would be empty.
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
		return attr.Key{}, fmt.Errorf("%s: %w: without a value the key %w", c.Name, ErrValue, err)
	}
	return k, nil
}

// Holders lists the kinds of accounts that may claim a lock of c. Several kinds may claim it if
// their constraints have the same lock keys. accounts is the table of the accounts.
func (l *Layout) Holders(accounts string, c *Constraint) []*Account {
	var kinds []*Account
	for _, a := range l.Accounts {
		if slices.ContainsFunc(a.Constraints, func(own *Constraint) bool { return own.SharesKeys(accounts, c) }) {
			kinds = append(kinds, a)
		}
	}
	return kinds
}

// Owners lists the kinds of accounts that a lock of c may name as its owner: the holders with the owner form of c.
// accounts is the table of the accounts.
func (l *Layout) Owners(accounts string, c *Constraint) []*Account {
	return slices.DeleteFunc(l.Holders(accounts, c), func(a *Account) bool {
		return !slices.ContainsFunc(a.Constraints, func(own *Constraint) bool {
			return own.SharesKeys(accounts, c) && own.OwnerForm.text == c.OwnerForm.text
		})
	})
}

// SharesKeys reports whether the locks of both constraints have the same keys. Then a lock does not
// show which constraint it belongs to. accounts is the table of the accounts. Constraints without locks
// share nothing, unless both have the same name: then they are one rule of several kinds of accounts.
func (c *Constraint) SharesKeys(accounts string, other *Constraint) bool {
	if c.Lockless() || other.Lockless() {
		return c.Lockless() && other.Lockless() && c.Name == other.Name
	}
	return c.LockTable(accounts) == other.LockTable(accounts) && c.PK.text == other.PK.text &&
		c.SK.text == other.SK.text &&
		c.Is == other.Is
}

// Nonsense reports whether a value is a mistake of the application: JavaScript writes "undefined"
// or "null" if a value is missing.
func Nonsense(v string) bool { return v == "undefined" || v == "null" }

// LockKeys are the templates of lock keys. PK and SK are empty for a rule without locks.
type LockKeys struct {
	PK, SK Template
	// Also lists other forms of the key. An account needs only one lock for a value. The lock's key
	// may have any of the forms.
	Also []LockKeys
}

// Lockless reports whether the rule has no locks. Only a config can describe such a rule. Its
// duplicates show only if accounts are compared.
func (l *LockKeys) Lockless() bool { return l.PK.Empty() }

// KeyedByAccount reports whether a lock's key contains the account's id. Then two accounts can hold
// the same value, each with its own lock.
func (l *LockKeys) KeyedByAccount() bool { return l.PK.Uses(identity) || l.SK.Uses(identity) }

// Compared reports whether a check must compare accounts to find duplicates. It must if locks do
// not prevent duplicates: the rule has no locks, each account has its own lock, or lock keys have
// several forms.
func (l *LockKeys) Compared() bool { return l.Lockless() || l.KeyedByAccount() || len(l.Also) > 0 }

// ParseLock reads a lock's key, which may have any form. It returns the value in the key and the
// other variables. It reports false if the key fits no form.
func (l *LockKeys) ParseLock(s attr.Schema, k attr.Key) (v string, vars map[string]string, ok bool) {
	var all bindings
	if !l.parse(s, k, &all) {
		return "", nil, false
	}
	v = all.get(value)
	all.drop(value)
	return v, all.vars(), true
}

func (l *LockKeys) valueOf(s attr.Schema, k attr.Key) (string, bool) {
	var all bindings
	if !l.parse(s, k, &all) {
		return "", false
	}
	return all.get(value), true
}

// parse reads the variables of a lock's key into vars. The key may have any form.
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

// resembles reports whether a key looks like a lock's key, but variables may be empty. So it finds
// malformed locks. If a template has functions, resembles reports false: a word in place of a
// digest shows another kind of item.
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

// loose works like match, but variables may be empty, and loose binds no variable. It looks for
// each literal at its first place in the text. If the last part is a literal, the text must end
// with it.
func loose(parts []part, text string) bool {
	open := false // whether the previous part is a variable
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

// literals returns the literal texts of the template, joined.
func (t Template) literals() string {
	all := ""
	for _, p := range t.parts {
		all += p.literal
	}
	return all
}

// Scope lists the variables of the lock's key besides {v}. Their values come from the account's key
// or attributes.
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

// Scoped reports whether the lock's key has variables besides {v}.
func (l *LockKeys) Scoped() bool { return l.PK.scoped() || l.SK.scoped() }

func (t Template) scoped() bool {
	for _, p := range t.parts {
		if p.name != "" && p.name != value && p.name != hashKey {
			return true
		}
	}
	return false
}

// Partition returns the place of the locks of the value v if part of their sort key is unknown.
// hash is the partition key. prefix is the known beginning of the sort key. ok is false if v and
// vars do not determine the partition key, or if the table has no sort key.
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
		return hash, "", true // only string keys can begin with a prefix
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

// digest returns the digest of v if the lock's key contains a digest. Otherwise it returns v.
func (l *LockKeys) digest(v string) string {
	t := l.digested()
	if t == nil || v == "" {
		return v
	}
	var vars bindings
	vars.add(value, v)
	text, err := t.render(&vars, "")
	if err != nil {
		return "" // unreachable: a digest's text has no variable but {v}
	}
	return digest(text)
}

// digested returns the template in the {sha256:…} of the lock's key; nil if the key has no digest.
func (l *LockKeys) digested() *Template {
	if !l.PK.computed && !l.SK.computed {
		return nil
	}
	if t := l.PK.digested(); t != nil {
		return t
	}
	return l.SK.digested()
}

// Digests reports whether the lock's key contains a digest of the value.
func (l *LockKeys) Digests() bool { return l.digested() != nil }

// CheckDigests refuses lock keys that contain the value in two ways: as two different digests, or
// as a digest and as {v}. Only one of the two could be read from a key.
func (l *LockKeys) CheckDigests() error {
	pk, sk := l.PK.digested(), l.SK.digested()
	switch {
	case pk == nil && sk == nil:
		return nil
	case pk != nil && sk != nil && pk.text != sk.text:
		return errors.New("pk and sk have two digests, but a value needs exactly one")
	case pk == nil && l.PK.Uses(value), sk == nil && l.SK.Uses(value):
		return errors.New("pk and sk have both {v} and its digest, but only one of them is allowed")
	}
	return nil
}

// schemaOf returns the key schema of the table that k belongs to.
func schemaOf(k attr.Key) attr.Schema {
	return attr.Schema{
		HashName: k.Hash.Name, HashKind: k.Hash.Value.Kind, RangeName: k.Range.Name, RangeKind: k.Range.Value.Kind,
	}
}

// FirstForm converts the lock key k into the first form, so that callers can compare keys of
// different forms. If k fits no form of the constraint, FirstForm returns k.
func (l *LockKeys) FirstForm(k attr.Key) attr.Key {
	if len(l.Also) == 0 {
		return k
	}
	return l.Forms(k)[0]
}

// Forms converts the lock key k into all forms, the first form first. If k fits no form of the
// constraint, Forms returns k alone.
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
