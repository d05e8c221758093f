package layout

import (
	"errors"
	"iter"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/mistake"
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

// Rules are all constraints, with locks or without.
func (l *Layout) Rules() []*Constraint {
	rules := l.Constraints()
	for _, c := range l.Unlocked() {
		rules = append(rules, c)
	}
	return rules
}

// UnlockedNamed is the rule without locks of that name; nil where there is none.
func (l *Layout) UnlockedNamed(name string) *Constraint {
	for _, c := range l.Unlocked() {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// AppendValues adds the values that an account holds under the constraint's attribute,
// normalised, each once. What normalising leaves empty is no value.
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

// unlocked makes the rest of a rule without locks, and refuses what only locks have.
func (cc ConstraintConfig) unlocked(con *Constraint) error {
	for _, of := range []struct {
		setting string
		given   bool
	}{
		{"pk", cc.PK != ""},
		{"sk", cc.SK != ""},
		{"table", cc.Table != ""},
		{"is", cc.Is != nil},
		{"owner", cc.Owner != ""},
		{"moves", cc.Moves},
		{"two_steps", cc.TwoSteps},
		{"shared", cc.Shared},
		{"reserved_for", cc.ReservedFor != ""},
		{"reserved_since", cc.ReservedSince != ""},
	} {
		if of.given {
			return mistake.Errorf(of.setting,
				"%s is of locks, and unique = true says that there are none: leave one of the two out", of.setting)
		}
	}
	err := named("attribute", cc.Attribute)
	var steps error
	if con.Normalise, steps = parseNormalisers(cc.Normalise); steps == nil && con.Encodes() {
		steps = mistake.Errorf("normalise", "normalise: without locks values are only compared: leave out what encodes them")
	}
	return errors.Join(err, steps)
}
