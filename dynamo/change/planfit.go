package change

import (
	"errors"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// checkFit returns a *Refusal if the layout does not fit the locks of the plan, and records
// the layout.
func (p *Plan) checkFit(t *dynamo.Table) error {
	if p.Counter != "" {
		return nil
	}
	var con *layout.Constraint // nil: an account with all its locks; each has to fit
	if p.Constraint != "" {
		_, con = t.Layout.Constraint(p.Constraint)
	}
	if err := t.Fit.Misfit("", con); err != nil {
		return misfitRefusal(err)
	}
	p.Layout, p.Trusted = t.Layout.Hash(), trustedOnly(t, con)
	return nil
}

// misfitRefusal is the refusal of a change whose layout does not fit.
func misfitRefusal(err error) *Refusal {
	e, ok := errors.AsType[*client.Error](err)
	if !ok {
		return refuse(Misfit, "%s", err)
	}
	r := refuse(Misfit, "%s; %s", e.Why, e.Do)
	r.Reasons[0].Asks = dynamo.QuestionOf(e)
	return r
}

// checkLayout returns an error if a stored change was planned with another layout than the
// table's.
func (p *Plan) checkLayout(t *dynamo.Table, op string) error {
	if p.Layout == "" || p.Layout == t.Layout.Hash() {
		return nil
	}
	return &client.Error{
		Kind: client.Usage, Op: op,
		Why: "it was made by another layout (" + p.Layout + ") than " + t.Name + " has now (" + t.Layout.Hash() + ")",
		Do:  "use the layout that it was made by, with --layout or in the config; nothing was sent",
	}
}

// oneByOne returns a refusal if it is not sure that the layout fits: then nothing is changed
// in bulk. It returns nil otherwise.
func oneByOne(t *dynamo.Table, con *layout.Constraint) *Refusal {
	fit := t.Fit.Of(con)
	if fit.Standing() == layout.Supported {
		return nil
	}
	r := refuse(ByHand, "whether the layout fits is not sure (%s): look at it, and do this one by itself", fit.Why())
	if say := t.Fit.SayRival(con); say != "" {
		r = refuse(ByHand, "whether the layout fits is not sure: %s %s", fit.Why(), say)
	}
	r.Reasons[0].Asks = t.Fit.Ask(con)
	return r
}

// trustedOnly reports whether only a person says that the layout fits a constraint (any
// constraint if c is nil): for this run (--trust-layout), or by a stored decision (--accept).
// Then what was seen of the table does not show which spellings the application keeps apart
// (docs/truth.md §10).
func trustedOnly(t *dynamo.Table, c *layout.Constraint) bool {
	for _, con := range t.Layout.Constraints() {
		fit := t.Fit.Of(con)
		seen := fit.Against() == "" && fit.Rule.Standing == layout.Supported
		if (c == nil || con == c) && (fit.Trusted || fit.Accepted) && !seen {
			return true
		}
	}
	return false
}
