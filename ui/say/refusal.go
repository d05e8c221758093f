package say

import (
	"cmp"
	"errors"
	"strings"

	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
)

// Reason explains why an action was refused, and what to do.
func Reason(r plan.Reason) string { return r.Say(Do) }

// Reasons returns copies of the reasons whose texts also say what to do.
func Reasons(all []plan.Reason) []plan.Reason {
	said := append([]plan.Reason{}, all...)
	for n := range said {
		said[n].Text = Reason(said[n])
	}
	return said
}

// Error describes an error in full: what was tried, why it failed, and what to do.
func Error(err error) string {
	if refused, ok := errors.AsType[*plan.Refusal](err); ok && len(refused.Reasons) > 0 && refused.Reasons[0].Text != "" {
		return strings.Replace(err.Error(), refused.Error(), Reason(refused.Reasons[0]), 1)
	}
	return client.Say(err, Do)
}

// Explanation says why something failed: what was tried, why it failed, and what to do. Each may be empty.
type Explanation struct{ Kind, Op, Why, Do string }

// Explain explains an error.
func Explain(err error) Explanation {
	if known, ok := errors.AsType[*client.Error](err); ok {
		return Explanation{string(known.Kind), known.Op, known.Why, cmp.Or(known.Do, Do(known.Remedy))}
	}
	if kind := client.KindOf(err); kind == client.Cancelled { // cancelled before the first request
		return Explanation{Kind: string(kind), Why: "stopped before it was finished"}
	}
	return Explanation{Kind: "failed", Why: Error(err)}
}

// String returns why something failed, and what to do, as sentences.
func (e Explanation) String() string {
	return strings.TrimSpace(Sentence(e.Why) + " " + Sentence(e.Do))
}
