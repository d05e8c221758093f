package layout

import (
	"errors"
	"strings"

	"tallylock/dynamo/attr"
)

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

// digests refuses keys of locks in which the value stands in two ways.
func (l *LockKeys) digests() error {
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
