package check

import (
	"tallylock/dynamo"
	"tallylock/dynamo/layout"
)

// Refuses is why a check would not begin: what it is to read in the table's place is not of
// that table, or nothing of the layout fits. It is nil where it would. It reads nothing.
func Refuses(t *dynamo.Table, o Options) error {
	o.fill()
	r := newRun(t, o)
	if err := offered(r); err != nil {
		return err
	}
	return r.fit()
}

// fit asks how well the layout fits what was seen of the table when it was opened. It
// answers an error where nothing of it does: then the table need not be paid for.
func (r *run) fit() error {
	if len(r.rules.all) == 0 || !r.o.wantsLocks() {
		return nil
	}
	var unfit []*rule
	for _, of := range r.rules.all {
		fit := r.t.Fit.Of(of.Constraint)
		if fit.Unnamed > 0 && of.first.owned {
			unowned(r, of)
		}
		switch fit.Standing() {
		case layout.Contradicted:
			unfit = append(unfit, of)
		case layout.Thin:
			if fit.Values >= enoughToSay && len(fit.Rivals) == 0 { // the reading compares those
				r.warn("nothing of %s is sure: %s", of.Name, fit.Why())
			}
		case layout.Supported:
			if against := fit.Against(); against != "" {
				r.warn("the layout %s is trusted about %s all the same: %s", r.t.Layout.Name, of.Name, against)
			}
		}
	}
	if len(unfit) == len(r.rules.all) {
		return r.t.Fit.Misfit("checking "+r.t.Name, nil)
	}
	for _, of := range unfit {
		r.misfit(of, r.warn)
	}
	return nil
}

// enoughToSay is how many values there have to be for a thin fit to be said at once.
const enoughToSay = 10

// misfit notes, once, that a constraint does not fit, which keeps the check from being
// complete.
func (r *run) misfit(of *rule, say func(format string, args ...any)) {
	if !of.unfit {
		of.unfit = true
		r.lacks("the layout does not fit %s", of.Name)
		say("%s is not judged, since the layout does not fit it: %s", of.Name, r.t.Fit.Of(of.Constraint).Why())
	}
}

// unowned says that not every lock of a constraint names an owner: then owners
// cannot be compared.
func unowned(r *run, of *rule) {
	of.first.owned = false
	r.warn("not every %s lock names an account: locks that name the wrong one are not looked for", of.Name)
}

// unfit says why a finding of a constraint is not to be confirmed; empty where the
// layout fits.
func (r *run) unfit(con *layout.Constraint) string {
	fit := r.t.Fit.Of(con)
	switch fit.Standing() {
	case layout.Contradicted:
		return "the layout does not fit: " + fit.Why()
	case layout.Thin:
		return "whether the layout fits is not sure: " + fit.Why()
	}
	return ""
}
