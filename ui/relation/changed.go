package relation

import (
	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/ui/kit"
)

// Follow has the cursor of a list go from a value to the one that a change from here has put in
// its place, once that is listed. r is the selected value of the table; it may be nil.
func Follow(l *kit.List, t *dynamo.Table, r *dynamo.Relation, made []change.Receipt) {
	for _, m := range made {
		if removes(m, t, r) { // what stands below it moves up
			at := l.Cursor
			l.Next(func(_ kit.Source, n int) bool { return n >= at })
		}
		if r == nil || m.Outcome != change.Applied || !replaces(m.Plan, t, r) {
			continue
		}
		value, of := r.Constraint.Normalised(m.After), r.Account
		l.Next(func(rows kit.Source, n int) bool {
			lines, _ := rows.(Lines)
			if lines == nil {
				return false
			}
			now := lines.Relation(n)
			return now != nil && now.Constraint.Name == m.Plan.Constraint && now.Value == value &&
				(now.Account == nil || now.Account.Key.Equal(of.Key))
		})
	}
}

// removes reports whether a change releases the lock of a value, or deletes its account.
func removes(m change.Receipt, t *dynamo.Table, r *dynamo.Relation) bool {
	if r == nil || m.Outcome != change.Applied {
		return false
	}
	if _, lock := m.Released(); lock != nil {
		return lock.Lock.Table == r.Lock.Table && lock.Lock.Key.Equal(r.Lock.Key)
	}
	return m.Plan.Kind == change.KindDeleteAccount && r.Account != nil && t != nil && m.Plan.Table == t.Name &&
		m.Plan.Account == r.Account.Key.Hash.Value.Display()
}

// replaces reports whether a change puts another value in the place of an account's.
func replaces(p *change.Plan, t *dynamo.Table, r *dynamo.Relation) bool {
	return r.Account != nil && t != nil && p.Table == t.Name && p.Constraint == r.Constraint.Name && p.After != "" &&
		p.Account == r.Account.Key.Hash.Value.Display() && r.Constraint.Normalised(p.Before) == r.Value
}
