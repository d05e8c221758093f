package tables

import (
	"slices"

	"tallylock/ui/words"
)

// again is the key that asks once more for tables that could not be listed: somebody may
// have logged in since. What else reads again may be a letter, which is typed here.
const again = "ctrl+r"

// catalogues are the tables of all connections.
type catalogues []catalogue

// failed reports whether the tables of a connection could not be listed.
func (all catalogues) failed() bool {
	return slices.ContainsFunc(all, func(c catalogue) bool { return c.err != nil })
}

// unlisted reports whether no connection's tables could be listed.
func (all catalogues) unlisted() bool {
	return !slices.ContainsFunc(all, func(c catalogue) bool { return c.err == nil })
}

// instead says what to do about a connection that shows no tables; empty where nothing has
// to be done.
func (c catalogue) instead() string {
	switch {
	case c.err != nil:
		_, _, _, do := words.Explain(c.err)
		return words.Sentence(do)
	case c.names != nil && len(c.names) == 0:
		return "Is the Region right? Start with another --region or --profile."
	}
	return ""
}
