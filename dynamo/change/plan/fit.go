package plan

import (
	"errors"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/remedy"
)

// checkFit returns a *Refusal if the layout does not fit the locks of the plan. It records the layout's hash,
// and the error of a plan that rests on a guess.
func checkFit(p *Plan, t *dynamo.Table) error {
	p.Live.Unsure = checkSure(p, t)
	if p.Counter != "" {
		return nil
	}
	var con *layout.Constraint // nil for an account with all its locks: every constraint has to fit
	if p.Constraint != "" {
		_, con = t.Layout.Constraint(p.Constraint)
	}
	if err := t.Fit.Misfit("", con); err != nil {
		return MisfitRefusal(err)
	}
	p.Layout = config.HashOf(t.Layout, p.Constraint)
	return nil
}

// checkSure records the state of the constraints or the counter that the plan rests on. It returns an error if
// one of them is only guessed. Such a plan is shown, but never applied.
func checkSure(p *Plan, t *dynamo.Table) error {
	if b := p.Live.Counter; b != nil {
		p.LayoutState = b.counter.Layout.State
		return t.CheckSureCounter(p.String(), b.counter.Layout)
	}
	p.LayoutState = layout.Described
	for _, c := range constraintsOf(p, t) {
		if c.State != layout.Described && p.LayoutState.Sure() {
			p.LayoutState = c.State
		}
		if err := t.CheckSure(p.String(), c); err != nil {
			return err
		}
	}
	return nil
}

// constraints returns the constraints that the plan rests on. These are the constraint of its value, the
// constraints whose locks it writes, and all constraints of an account that it deletes.
func constraintsOf(p *Plan, t *dynamo.Table) []*layout.Constraint {
	var all []*layout.Constraint
	if _, c := t.Layout.Constraint(p.Constraint); c != nil {
		all = append(all, c)
	}
	for _, i := range p.Images {
		kind := t.Layout.KindOf(t.Schema, i.Item)
		if i.Table != t.Name || i.Item == nil || kind == nil {
			continue
		}
		for _, c := range slices.Concat(kind.Constraints, kind.Unlocked) {
			if !slices.Contains(all, c) && (p.Kind == KindDeleteAccount || writesLock(p, t, c)) {
				all = append(all, c)
			}
		}
	}
	return all
}

// writesLock reports whether the plan writes a lock of a constraint.
func writesLock(p *Plan, t *dynamo.Table, c *layout.Constraint) bool {
	table := t.LockTable(c)
	for _, s := range p.Steps {
		for _, w := range s.Writes {
			if w.Table != table || w.Verb == client.Check {
				continue
			}
			if _, _, lock := c.ParseLock(t.SchemaOf(table), w.Key); lock {
				return true
			}
		}
	}
	return false
}

// MisfitRefusal returns the refusal of a change whose layout does not fit.
func MisfitRefusal(err error) *Refusal {
	e, ok := errors.AsType[*client.Error](err)
	if !ok {
		return Refuse(Misfit, "%s", err)
	}
	do := e.Remedy
	if e.Do != "" {
		do = remedy.Of(remedy.Text, e.Do)
	}
	return RefuseFor(do, Misfit, "%s", e.Why)
}
