package sql

import (
	"fmt"
	"slices"

	"tallylock/dynamo/layout"
)

// limits are the limits of an engine.
type limits struct {
	rules int // constraints, with locks or without, and derived keys
	bytes int // of one statement
}

// ofTrino has the limits of Trino and Athena. CI runs 60 constraints on Trino. A statement of Athena may have 262,144
// bytes. The limit leaves some for statements that a runner extends.
var ofTrino = limits{rules: 60, bytes: 240_000}

// A TooLargeError says that the SQL of a check is above the limits of the engine.
type TooLargeError struct {
	Dialect string
	Why     string
	// Parts divides the constraints into parts that are each within the limits. It is empty if no such parts exist.
	Parts [][]string
}

// Error names the limit.
func (e *TooLargeError) Error() string { return e.Why }

// within returns an error if the statements are above the limits of the dialect.
func (d *Dialect) within(c *Check, all []Statement) error {
	why := d.above(c, all)
	if why == "" {
		return nil
	}
	e := &TooLargeError{Dialect: d.Name, Why: why}
	groups := c.ruleGroups()
	names := len(slices.Concat(groups...))
	for parts := 2; parts <= names && e.Parts == nil; parts++ {
		split := pack(groups, (names+parts-1)/parts)
		above := func(some []string) bool {
			one := c.part(some)
			return d.above(one, list(d, one)) != ""
		}
		if !slices.ContainsFunc(split, above) {
			e.Parts = split
		}
	}
	return e
}

// pack joins groups into parts of at most size names. A group that is larger is a part of its own.
func pack(groups [][]string, size int) (parts [][]string) {
	for _, group := range groups {
		if last := len(parts) - 1; last >= 0 && len(parts[last])+len(group) <= size {
			parts[last] = append(parts[last], group...)
			continue
		}
		parts = append(parts, slices.Clone(group))
	}
	return parts
}

// above names the limit that the statements exceed. It is empty if there is none.
func (d *Dialect) above(c *Check, all []Statement) string {
	if d.limits.rules == 0 {
		return ""
	}
	if n := len(c.Layout.Rules()) + len(derivedOf(c)); n > d.limits.rules {
		return fmt.Sprintf("the layout has %d constraints and derived keys, but one SQL script can have at most %d",
			n, d.limits.rules)
	}
	for _, s := range all {
		if len(s.Text) > d.limits.bytes {
			return fmt.Sprintf("the statement %q has %d bytes, but the engine accepts at most %d", s.Name, len(s.Text),
				d.limits.bytes)
		}
	}
	return ""
}

// ruleGroups returns the names of all constraints. Constraints whose locks have the same keys are in one group: a
// check of only one constraint of a group would call the locks of the other constraints orphaned. Constraints of
// several kinds of accounts may share a name.
func (c *Check) ruleGroups() (groups [][]string) {
	all := c.Layout.Rules()
	for _, con := range all {
		var joined []string
		groups = slices.DeleteFunc(groups, func(group []string) bool {
			one := slices.ContainsFunc(all, func(of *layout.Constraint) bool {
				same := of.Name == con.Name || !con.Lockless() && of.SharesKeys(c.Tables[0].Name, con)
				return same && slices.Contains(group, of.Name)
			})
			if one {
				joined = append(joined, group...)
			}
			return one
		})
		if !slices.Contains(joined, con.Name) {
			joined = append(joined, con.Name)
		}
		groups = append(groups, joined)
	}
	return groups
}

// part returns the check of only the constraints with these names.
func (c *Check) part(names []string) *Check {
	one, of := *c, *c.Layout
	one.Layout, of.Accounts = &of, nil
	some := func(all []*layout.Constraint) []*layout.Constraint {
		other := func(con *layout.Constraint) bool { return !slices.Contains(names, con.Name) }
		return slices.DeleteFunc(slices.Clone(all), other)
	}
	for _, a := range c.Layout.Accounts {
		kind := *a
		kind.Constraints, kind.Unlocked = some(a.Constraints), some(a.Unlocked)
		of.Accounts = append(of.Accounts, &kind)
	}
	return &one
}
