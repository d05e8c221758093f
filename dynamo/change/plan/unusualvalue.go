package plan

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"tallylock/dynamo/layout"
)

// enoughNeighbours is the minimum number of other values with a common spelling before unusual warns about a
// different one.
const enoughNeighbours = 5

// unusual returns a warning about a new value; empty if nothing is unusual. It warns if the value contains
// look-alikes, if its lock spells it differently although most values equal their locks' spelling, or if all
// other accounts share a habit of spelling that the value breaks.
func unusual(c *layout.Constraint, to string, others []string) string {
	if looks := layout.LookAlike(to); looks != "" {
		return looks
	}
	changed := 0
	for _, other := range others {
		if c.Spelt(other) != other {
			changed++
		}
	}
	if kept := c.Spelt(to); kept != to && 2*changed <= len(others) {
		return fmt.Sprintf("the account is given \"%s\" as it was typed, and the lock keeps \"%s\"", to, kept)
	}
	if len(others) < enoughNeighbours {
		return ""
	}
	for _, habit := range habits {
		if !habit.has(to) && !slices.ContainsFunc(others, func(other string) bool { return !habit.has(other) }) {
			return fmt.Sprintf("%d other accounts write it %s; \"%s\" is not", len(others), habit.words, to)
		}
	}
	return ""
}

// habits are common ways to spell values.
var habits = []struct {
	words string
	has   func(string) bool
}{
	{"without spaces", func(v string) bool { return !strings.ContainsFunc(v, unicode.IsSpace) }},
	{"in lower case", func(v string) bool { return v == strings.ToLower(v) }},
	{"in upper case", func(v string) bool { return v == strings.ToUpper(v) }},
	{"with an @", func(v string) bool { return strings.Contains(v, "@") }},
	{"in plain ASCII", func(v string) bool {
		return !strings.ContainsFunc(v, func(r rune) bool { return r > unicode.MaxASCII })
	}},
}
