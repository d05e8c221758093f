package dynamo

import (
	"cmp"
	"fmt"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// A lock that nobody calls for may keep, in another form, a value that has no lock of its own:
// such a value is not sure to be without a lock, or free.

// BesideForm is a relation without a lock, where that of another form was met that nobody was
// found to call for.
func (r *Relation) BesideForm(other *Relation) *Relation {
	d := *r
	if d.Verdict == Missing || d.Verdict == Free {
		d.OtherForm, d.Provisional = other, true
		d.Why = cmp.Or(d.Why, fmt.Sprintf("no account uses %s, which may keep it in another form", other.Lock.Key))
	}
	return &d
}

// formOf reports whether a lock may keep the value of the relation in another form.
func (r *Relation) formOf(t *Table, lock *Relation) bool {
	c := r.Constraint
	return r.err == nil && c.SamePlace(t.Name, lock.Constraint) &&
		lock.Constraint.Spelling(lock.Value) != c.Spelling(r.Value) &&
		layout.SameForm(layout.FormOf(c, r.Value), layout.FormOf(lock.Constraint, lock.Value))
}

// takeForm keeps an item that is a lock of another form of what is asked about.
func (w *accountSweep) takeForm(item attr.Item) {
	role := w.t.Layout.Classify(w.t.Name, w.t.Name, w.t.Schema, item)
	if role.Constraint == nil || role.Malformed {
		return
	}
	key, _ := w.t.Schema.KeyOf(item)
	lock := &Relation{
		Constraint: role.Constraint, Value: role.Value, Lock: lockOf(role.Constraint, w.t.Name, key, item),
	}
	for _, c := range w.candidates {
		if len(c.forms) < mostSpellings && c.rel.formOf(w.t, lock) {
			c.forms = append(c.forms, lock)
		}
	}
}

// besideForm judges a candidate by the locks of other forms that the sweep has met.
func (w *accountSweep) besideForm(c *candidate) {
	for _, lock := range c.forms {
		if len(w.called[lockID(lock.Lock.Table, lock.Lock.Key)]) == 0 {
			*c.rel = *c.rel.BesideForm(lock)
			return
		}
	}
}

// form is a lock that no account claims and that may keep the value of a row in another form; nil
// where none is, or not all was read.
func (u *unclaimedLocks) form(rel *Relation) (other *Relation) {
	if !u.b.page.ended() {
		return nil
	}
	if u.forms == nil {
		u.forms = new(layout.Forms)
		for _, id := range u.order {
			if s := u.all[id]; s != nil && !s.bad {
				u.forms.Add(layout.FormOf(s.c, s.v), int32(len(u.formed)))
				u.formed = append(u.formed, s)
			}
		}
	}
	u.forms.Find([]byte(layout.FormOf(rel.Constraint, rel.Value)), func(at int32) {
		s := u.formed[at]
		lock := &Relation{Constraint: s.c, Value: s.v, Lock: s.lock}
		if u.all[lock.Subject()] == s && rel.formOf(u.b.t, lock) {
			other = lock
		}
	})
	return other
}

// besideForms judges rows without a lock by the locks of other forms that nobody claims, once
// all were read. Rows that were given out do not change: others take their places.
func (v *values) besideForms(rows []*Relation) {
	for _, rel := range rows {
		if rel.Verdict != Missing || rel.OtherForm != nil {
			continue
		}
		if other := v.b.unclaimed.form(rel); other != nil {
			v.replace(rel, rel.BesideForm(other))
		}
	}
}
