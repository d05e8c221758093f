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

// ofTrino has the limits of Trino and Athena. CI runs 60 constraints on Trino. A statement of Athena has at most
// 262,144 bytes; some are left for statements that a runner extends.
var ofTrino = limits{rules: 60, bytes: 240_000}

// A TooLargeError says that the SQL of a check is above the limits of the engine.
type TooLargeError struct {
	Dialect string
	Why     string
	// Parts are the constraints, in parts that are within the limits each. It is empty if no such parts
	// exist.
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
	names := c.ruleNames()
	for parts := 2; parts <= len(names) && e.Parts == nil; parts++ {
		size := (len(names) + parts - 1) / parts
		fits := true
		for some := range slices.Chunk(names, size) {
			one := c.part(some)
			fits = fits && d.above(one, list(d, one)) == ""
		}
		if fits {
			e.Parts = slices.Collect(slices.Chunk(names, size))
		}
	}
	return e
}

// above names the limit that the statements exceed. It is empty if there is none.
func (d *Dialect) above(c *Check, all []Statement) string {
	if d.limits.rules == 0 {
		return ""
	}
	if n := len(c.Layout.Rules()) + len(derivedOf(c)); n > d.limits.rules {
		return fmt.Sprintf("the layout has %d constraints and derived keys, and one SQL can have %d", n, d.limits.rules)
	}
	for _, s := range all {
		if len(s.Text) > d.limits.bytes {
			return fmt.Sprintf("the statement %q would have %d bytes, and the engine takes %d", s.Name, len(s.Text),
				d.limits.bytes)
		}
	}
	return ""
}

// ruleNames lists the names of all constraints. Constraints of several kinds of accounts may share a name.
func (c *Check) ruleNames() (names []string) {
	for _, con := range c.Layout.Rules() {
		if !slices.Contains(names, con.Name) {
			names = append(names, con.Name)
		}
	}
	return names
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
