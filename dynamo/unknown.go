package dynamo

import (
	"slices"

	"tallylock/dynamo/infer"
	"tallylock/dynamo/layout"
)

// UnknownTable is what was seen of a table in which no accounts were recognised.
type UnknownTable struct {
	Items   int         // that were read
	Whole   bool        // there are no others
	Shapes  []ItemShape // of those that are neither counters nor carry their ids
	Nearest []infer.Candidate
	// Leases says what most items are that are no locks of values; empty where they may be.
	Leases string
}

// Masked is the same without the candidates whose keys may be somebody's.
func (u UnknownTable) Masked() UnknownTable {
	u.Nearest = slices.DeleteFunc(slices.Clone(u.Nearest), func(c infer.Candidate) bool {
		return (c.Hits < 2 && !c.Account.Constraints[0].Unique) || c.Items < 2
	})
	return u
}

// mostNearest is how many candidates are named for a table that is not known.
const mostNearest = 3

// CandidateOf is the layout that a table would have by a rule that came near.
func CandidateOf(table string, c infer.Candidate) layout.Config {
	return layout.Config{Name: table, Tables: []string{table}, Accounts: []layout.AccountConfig{c.Account}}
}
