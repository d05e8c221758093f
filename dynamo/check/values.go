package check

import (
	"slices"
	"strings"
	"sync/atomic"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/check/twice"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
)

// valueCheck finds duplicate values of constraints whose locks do not prevent duplicates (LockKeys.Compared). The
// sketch cannot show these duplicates. So the first pass collects the fingerprints of all values. The next pass
// collects the holders of the values whose fingerprints occurred twice.
type valueCheck struct {
	run    *run
	taken  map[*layout.Constraint]*atomic.Int64 // the number of values in the first pass
	prints *twice.Prints                        // nil if no values are followed up
	// compared has, for each kind of account, the constraints whose values are compared.
	compared map[*layout.Account][]*layout.Constraint
	// failed is set if the disk failed, so that values were not compared.
	failed bool
	// unresolved is set if SQL has left some values for the check to judge. Only a pass over all accounts finds every
	// holder of such a value.
	unresolved bool
}

// begin prepares for a first pass.
func (c *valueCheck) begin() {
	c.compared, c.taken = map[*layout.Account][]*layout.Constraint{}, map[*layout.Constraint]*atomic.Int64{}
	for _, a := range c.run.t.Layout.Accounts {
		c.compared[a] = a.AllCompared()
		for _, con := range c.compared[a] {
			c.taken[con] = new(atomic.Int64)
		}
	}
	if c.prints.Close(); c.wants(c.followed) {
		c.prints = c.run.o.Prints()
	}
}

// wanted reports whether the check looks for duplicate values of any constraint.
func (c *valueCheck) wanted() bool { return c.wants(func(*layout.Constraint) bool { return true }) }

// wants reports whether the check looks for duplicate values of at least one compared constraint for which the function
// returns true.
func (c *valueCheck) wants(is func(*layout.Constraint) bool) bool {
	return c.run.o.Wants(finding.DuplicateValue) && slices.ContainsFunc(c.run.t.Layout.Accounts,
		func(a *layout.Account) bool { return slices.ContainsFunc(a.AllCompared(), is) })
}

// followed calls join.Rules.Followed.
func (c *valueCheck) followed(con *layout.Constraint) bool {
	return c.run.rules.Followed(con, c.run.o.Candidates != nil)
}

// facts returns the facts about a value that several accounts hold. The parameter accounts is their number, and apart
// is set if they were read at different times. The layout counts as guessed if any constraint with locks in the same
// place as con is only guessed.
func (c *valueCheck) facts(con *layout.Constraint, accounts int, apart bool) verdict.Facts {
	fit := layout.Fit{State: con.State}
	for _, of := range c.run.rules.All {
		if c.space(of.Constraint) == c.space(con) && !of.State.Sure() {
			fit.State = layout.Guessed
		}
	}
	return verdict.Facts{Lockless: true, Sharing: accounts, Apart: apart, Fit: fit}
}

// space returns the first constraint that has locks in the same place as con. A value must be unique among all
// constraints with locks there, so one constraint stands for all.
func (c *valueCheck) space(con *layout.Constraint) *layout.Constraint {
	if of := c.run.rules.ByConstraint[con]; of != nil {
		return of.First.Constraint
	}
	return con
}

// appendKey appends the key by which values are compared: the constraint's space, the scope and the value.
func (c *valueCheck) appendKey(b []byte, con *layout.Constraint, value, scope string) []byte {
	return append(append(append(append(append(b, c.space(con).Name...), 0), scope...), 0), value...)
}

// addValues records an account's values of the compared constraints.
func (v *visitor) addValues(a *layout.Account) {
	c := v.run.values
	if !v.pass.first && v.pass.shared == nil {
		return
	}
	for _, con := range c.compared[a] {
		if !v.unjudged.hasValues(v.run, con) {
			continue
		}
		scope, ok := a.ScopeOf(con, v.from.Schema, &v.row)
		if !ok {
			continue
		}
		v.texts = con.AppendValues(v.texts[:0], &v.row)
		if v.pass.first {
			v.run.values.taken[con].Add(int64(len(v.texts)))
		}
		for _, value := range v.texts {
			v.key = c.appendKey(v.key[:0], con, value, scope)
			print := v.run.seed.Fingerprint(v.key)
			one := sharing{text: value, con: con, space: c.space(con), scope: scope, guessed: !c.followed(con)}
			switch {
			case one.guessed:
				if g := v.pass.guess; g != nil && v.run.o.Wants(finding.DuplicateValue) {
					v.addSharing(&g.shared, &one, print, v.itemKey())
				}
			case v.pass.first && c.prints != nil:
				v.prints = append(v.prints, print)
				if sql.JudgesValues(con) {
					c.addUnjudged(con, print, value)
				}
			case c.prints.Has(print), c.prints != nil && v.run.o.Known.Repeats(value):
				v.addSharing(v.pass.shared, &one, print, v.itemKey())
			}
		}
	}
	v.flushPrints(c.prints)
	v.shared = v.shared[:0]
}

// flushPrints adds the fingerprints of the current item, each once: an account may hold a value under two constraints.
func (v *visitor) flushPrints(to *twice.Prints) {
	slices.Sort(v.prints)
	for _, print := range slices.Compact(v.prints) {
		to.Add(print)
	}
	v.prints = v.prints[:0]
}

// addUnjudged marks a value as a possible duplicate if SQL has left the value for the check to judge. An account that
// SQL has judged may hold the value, too, and the check does not see that account. But for some constraints, SQL judges
// no value with characters outside ASCII. The check sees all accounts with such a value, so the value needs no mark.
func (c *valueCheck) addUnjudged(con *layout.Constraint, print uint64, value string) {
	if c.run.o.Candidates == nil ||
		!sql.JudgesUnicode(con) && strings.ContainsFunc(value, func(c rune) bool { return c >= 0x80 }) {
		return
	}
	c.prints.Mark(print)
	c.unresolved = true
}

// whyUnkept returns the reason why the locks of a constraint do not keep its values unique.
func whyUnkept(con *layout.Constraint) string {
	switch {
	case con.KeyedByAccount():
		return "the keys of its locks contain the account's id, so the locks keep nothing unique"
	case !con.Lockless():
		return "its locks can have different forms, so two locks can exist"
	case len(con.Within) > 0:
		return "no locks keep the value unique in its " + phrase.List(con.Within)
	}
	return "no locks keep the value unique"
}

// holds reports whether an item is an account that still holds the value of s.
func (c *valueCheck) holds(item attr.Item, s *sharing) bool {
	kind := c.run.t.Layout.KindOf(c.run.t.Schema, item)
	return slices.ContainsFunc(c.compared[kind], func(con *layout.Constraint) bool {
		if c.space(con) != c.space(s.con) {
			return false
		}
		scope, ok := kind.ScopeOf(con, c.run.t.Schema, item)
		return ok && scope == s.scope && slices.Contains(con.AppendValues(nil, item), s.text)
	})
}
