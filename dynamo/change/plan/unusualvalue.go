package plan

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"tallylock/dynamo/layout"
)

// enoughNeighbours is how many other values must be spelled alike before a different new one
// is remarked on.
const enoughNeighbours = 5

// unusual says how a value looks different from what it is, or is spelled unlike those of
// other accounts, or unlike its lock if theirs are not; empty if nothing is unusual. It is
// only a warning.
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
