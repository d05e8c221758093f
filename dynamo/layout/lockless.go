package layout

import (
	"fmt"
	"iter"
	"slices"

	"tallylock/dynamo/attr"
)

// Unlocked lists the rules without locks, each with the kind of account that has it.
func (l *Layout) Unlocked() iter.Seq2[*Account, *Constraint] {
	return func(yield func(*Account, *Constraint) bool) {
		for _, a := range l.Accounts {
			for _, c := range a.Unlocked {
				if !yield(a, c) {
					return
				}
			}
		}
	}
}

// Rules lists all constraints, with and without locks.
func (l *Layout) Rules() []*Constraint {
	rules := l.Constraints()
	for _, c := range l.Unlocked() {
		rules = append(rules, c)
	}
	return rules
}

// UnlockedNamed returns the rule without locks of that name; nil if there is none.
func (l *Layout) UnlockedNamed(name string) *Constraint {
	for _, c := range l.Unlocked() {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// AllCompared lists the rules without locks of an account, and its constraints that are Compared.
func (a *Account) AllCompared() []*Constraint {
	all := slices.Clone(a.Unlocked)
	for _, c := range a.Constraints {
		if c.Compared() {
			all = append(all, c)
		}
	}
	return all
}

// Scope lists attributes of an account. A value is unique among the accounts for which these
// attributes are equal.
type Scope []string

// Of returns the scope of an item, as one text. It reports false if the item lacks an attribute of
// the scope: then its values are compared with no others.
func (s Scope) Of(item attr.Fields) (scope string, ok bool) {
	for _, name := range s {
		v := item.At(name)
		if !v.Scalar() {
			return "", false
		}
		text := v.Text
		if v.Kind == attr.N {
			text = attr.CanonicalNumber(text)
		}
		scope += fmt.Sprintf("%d:%s", len(text), text)
	}
	return scope, true
}

// ScopeOf returns the scope in which the values of an account are unique, for a constraint that is
// Compared. It reports false if the account lacks an attribute of the scope.
func (a *Account) ScopeOf(c *Constraint, s attr.Schema, item attr.Fields) (scope string, ok bool) {
	if c.Lockless() {
		return c.Within.Of(item)
	}
	var vars bindings
	a.scope(s, item, c, &vars)
	for _, name := range c.Scope() {
		if name == identity {
			continue
		}
		text := vars.get(name)
		if text == "" {
			return "", false
		}
		scope += fmt.Sprintf("%d:%s", len(text), text)
	}
	return scope, true
}

// AppendValues appends the normalised values of an account's attribute, each once. It leaves out
// values that are empty after normalising.
func (c *Constraint) AppendValues(values []string, item attr.Fields) []string {
	first := len(values)
	var one [1]string
	for _, raw := range appendTexts(one[:0], item.At(c.Attribute)) {
		if v := c.Normalised(raw); v != "" && !slices.Contains(values[first:], v) {
			values = append(values, v)
		}
	}
	return values
}
