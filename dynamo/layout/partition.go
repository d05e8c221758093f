package layout

import (
	"strings"

	"tallylock/dynamo/attr"
)

// Partition is where the locks of a value stand when the value and vars give their
// partition key, and leave something of their sort key open: the partition key, and what
// the sort keys begin with. ok is false where the partition key needs more, too.
func (c *Constraint) Partition(s attr.Schema, v string, vars map[string]string) (hash attr.Value, prefix string, ok bool) {
	if s.RangeName == "" {
		return hash, "", false
	}
	all := bindingsOf(vars)
	all.set(value, v)
	text, err := c.PK.render(&all, "")
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
	for n := range c.SK.parts {
		known, missing := c.SK.parts[n].render(&all, text)
		if missing != "" {
			break
		}
		b.WriteString(known)
	}
	return hash, b.String(), true
}
