package layout

import (
	"fmt"
	"iter"
	"slices"

	"tallylock/dynamo/attr"
)

// Unlocked yields each rule without locks, with its kind of account.
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

// Rules lists the constraints with locks, then the rules without locks.
func (l *Layout) Rules() []*Constraint {
	rules := l.Constraints()
	for _, c := range l.Unlocked() {
		rules = append(rules, c)
	}
	return rules
}

// UnlockedNamed returns the rule without locks that has this name. It returns nil if there is none.
func (l *Layout) UnlockedNamed(name string) *Constraint {
	for _, c := range l.Unlocked() {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// AllCompared lists the rules for which a check must compare accounts of this kind: the rules
// without locks, and the constraints that are Compared.
func (a *Account) AllCompared() []*Constraint {
	all := slices.Clone(a.Unlocked)
	for _, c := range a.Constraints {
		if c.Compared() {
			all = append(all, c)
		}
	}
	return all
}

// Scope lists attributes of an account. A value must be unique only among the accounts that have
// equal texts in these attributes.
type Scope []string

// Of joins the texts that the item has in the attributes of the scope. It reports false if the item
// lacks one of these attributes. Then a check does not compare the item's values with other items.
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

// ScopeOf returns the scope of an account's values, as one text. Equal values in equal scopes are
// duplicates. c must be Compared. ScopeOf reports false if the account lacks a part of the scope.
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

// AppendValues appends the normalised values of an account to values, each once. It leaves out
// empty values.
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
