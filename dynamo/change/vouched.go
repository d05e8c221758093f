package change

import (
	"tallylock/dynamo"
	"tallylock/dynamo/layout"
)

// vouched reports whether only a person says that the layout fits a constraint, or, with
// nil, any of them: for this run (--trust-layout), or by a decision that is kept (--accept).
// What was seen of the table then does not show which spellings the application keeps
// apart (docs/truth.md §10).
func vouched(t *dynamo.Table, c *layout.Constraint) bool {
	for _, con := range t.Layout.Constraints() {
		fit := t.Fit.Of(con)
		seen := fit.Against() == "" && fit.Rule.Standing == layout.Supported
		if (c == nil || con == c) && (fit.Trusted || fit.Accepted) && !seen {
			return true
		}
	}
	return false
}
