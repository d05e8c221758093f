package dynamo

import (
	"cmp"
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// A lock that nobody calls for may keep, in another form, a value that has no lock of its own:
// such a value is not sure to be without a lock, or free. So may one that names the account and
// cannot be read.

// BesideForm is a relation without a lock, where another was met that may keep the value, and that
// nobody was found to call for.
func (r *Relation) BesideForm(other *Relation) *Relation {
	d := *r
	if d.Verdict == Missing || d.Verdict == Free {
		d.OtherForm, d.Provisional = other, true
		d.Why = cmp.Or(d.Why, fmt.Sprintf("no account uses %s, which may keep it in another form", other.Lock.Key))
	}
	return &d
}

// mayBeIn reports whether another lock may keep the value of the relation: in another form, or so
// that it cannot be read, and naming the account.
func (r *Relation) mayBeIn(t *Table, lock *Relation) bool {
	mine, its := r.Constraint, lock.Constraint
	if r.err != nil || !mine.SamePlace(t.Name, its) || mine.Spelling(r.Value) == its.Spelling(lock.Value) {
		return false
	}
	return layout.SameForm(layout.FormOf(mine, r.Value), layout.FormOf(its, lock.Value)) ||
		len(r.Claimants) == 1 && Conceals(lock, r.Value) && t.Match.Names(lock, &r.Claimants[0])
}

// mostConcealed is how many locks a sweep keeps that name an account and cannot be read.
const mostConcealed = 10_000

// takeForm keeps an item that is a lock of another form of what is asked about, or that may be.
func (w *accountSweep) takeForm(item attr.Item) {
	role := w.t.Layout.Classify(w.t.Name, w.t.Name, w.t.Schema, item)
	if role.Constraint == nil || role.Malformed {
		return
	}
	key, _ := w.t.Schema.KeyOf(item)
	lock := &Relation{
		Constraint: role.Constraint, Value: role.Value, Lock: lockOf(role.Constraint, w.t.Name, key, item),
	}
	if lock.Lock.Owner != "" && layout.Unreadable(lock.Value) && len(w.concealed) < mostConcealed {
		lock.Lock.Item = nil
		w.concealed = append(w.concealed, lock)
	}
	for _, c := range w.candidates {
		if len(c.forms) < mostSpellings && c.rel.mayBeIn(w.t, lock) {
			c.forms = append(c.forms, lock)
		}
	}
}

// besideForm judges a candidate by the locks of other forms that the sweep has met.
func (w *accountSweep) besideForm(c *candidate) {
	for _, lock := range slices.Concat(c.forms, w.concealed) {
		if c.rel.mayBeIn(w.t, lock) && len(w.called[lock.Subject()]) == 0 {
			*c.rel = *c.rel.BesideForm(lock)
			return
		}
	}
}

// form is a lock that no account claims and that may keep the value of a row; nil where none is,
// or not all was read.
func (u *unclaimedLocks) form(rel *Relation) *Relation {
	if !u.b.page.ended() {
		return nil
	}
	if u.forms == nil {
		u.indexForms()
	}
	var found *Relation
	may := func(s *unclaimedLock) {
		lock := &Relation{Constraint: s.c, Value: s.v, Lock: s.lock}
		if u.all[lock.Subject()] == s && rel.mayBeIn(u.b.t, lock) {
			found = lock
		}
	}
	u.forms.Find([]byte(layout.FormOf(rel.Constraint, rel.Value)), func(at int32) { may(u.formed[at]) })
	for _, s := range u.naming[rel.Claimants[0].Key.ID()] {
		may(s)
	}
	return found
}

// indexForms finds the locks by their forms, and by the accounts that they name.
func (u *unclaimedLocks) indexForms() {
	u.forms, u.naming = new(layout.Forms), map[string][]*unclaimedLock{}
	for _, id := range u.order {
		s := u.all[id]
		if s == nil || s.bad {
			continue
		}
		u.forms.Add(layout.FormOf(s.c, s.v), int32(len(u.formed)))
		u.formed = append(u.formed, s)
		for _, k := range u.b.t.Match.ownerKeys(s.c, s.lock) {
			u.naming[k.ID()] = append(u.naming[k.ID()], s)
		}
	}
}

// besideForms judges rows without a lock by the locks of other forms that nobody claims, once
// all were read. Rows that were given out do not change: others take their places.
func (v *values) besideForms(rows []*Relation) {
	for _, rel := range rows {
		if rel.Verdict != Missing || rel.OtherForm != nil || len(rel.Claimants) == 0 {
			continue
		}
		if other := v.b.unclaimed.form(rel); other != nil {
			v.replace(rel, rel.BesideForm(other))
		}
	}
}
