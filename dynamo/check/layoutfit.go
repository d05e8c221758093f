package check

import (
	"tallylock/dynamo"
	"tallylock/dynamo/layout"
)

// Refuses returns why a check would not begin: the export or the candidates are not of this
// table, or no constraint of the layout fits. It returns nil if the check would begin, and
// reads no item.
func Refuses(t *dynamo.Table, o Options) error {
	o.fill()
	r := newRun(t, o)
	if err := verifyInputs(r); err != nil {
		return err
	}
	return r.requireFit()
}

// requireFit notes how well the layout fits what was seen when the table was opened. It
// returns an error if no constraint fits: then reading the table would be a waste.
func (r *run) requireFit() error {
	if len(r.rules.all) == 0 || !r.o.wantsLocks() {
		return nil
	}
	var unfit []*rule
	for _, of := range r.rules.all {
		fit := r.t.Fit.Of(of.Constraint)
		if fit.Unnamed > 0 && of.first.owned {
			ignoreOwners(r, of)
		}
		if fit.Standing() == layout.Contradicted {
			unfit = append(unfit, of)
		}
	}
	if len(unfit) == len(r.rules.all) {
		return r.t.Fit.Misfit("checking "+r.t.Name, nil)
	}
	for _, of := range unfit {
		r.noteMisfit(of, r.report.warn)
	}
	return nil
}

// noteMisfit notes once that a constraint does not fit, which makes the check incomplete.
func (r *run) noteMisfit(of *rule, say func(format string, args ...any)) {
	if !of.misfit {
		of.misfit = true
		r.report.incomplete("the layout does not fit %s", of.Name)
		say("%s is not judged, since the layout does not fit it: %s", of.Name, r.t.Fit.Of(of.Constraint).Why())
	}
}

// ignoreOwners stops comparing owners for a constraint of which not every lock names one, and
// notes that.
func ignoreOwners(r *run, of *rule) {
	of.first.owned = false
	r.report.warn("not every %s lock names an account: locks that name the wrong one are not looked for", of.Name)
}
