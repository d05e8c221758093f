package change

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
)

// enoughNeighbours is how many other values must be spelt alike before a new one that is
// not is remarked on.
const enoughNeighbours = 5

// unlike says how a value is not what people will read, or not spelt as those of other accounts
// are, or as its lock keeps it where theirs are; empty where nothing speaks against it. It
// warns, and refuses nothing.
func unlike(c *layout.Constraint, to string, others []string) string {
	if looks := dynamo.LookAlike(to); looks != "" {
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

// habits are how values of one kind are often spelt.
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
