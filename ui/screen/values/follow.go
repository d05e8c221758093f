package values

import (
	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
)

// follow moves the cursor after a change. If the change replaced the selected value, the cursor
// goes to the new value as soon as the list shows it. If the change removed the selected row, the
// cursor goes to the row below. r is the selected value of table t, or nil.
func follow(l *kit.List, rows list, t *dynamo.Table, r *verdict.Relation, made []change.Receipt) {
	for _, m := range made {
		if removes(m, t, r) { // the row below moves up
			at, below := l.Cursor, rows.Relation(l.Cursor+1)
			l.Next(func(now kit.Source, n int) bool { return n >= at || isRow(now, n, below) })
		}
		if r == nil || m.Outcome != journal.Applied || !replaces(m.Plan, t, r) {
			continue
		}
		value, of := r.Constraint.Normalised(m.After), r.Account
		l.Next(func(rows kit.Source, n int) bool {
			lines, ok := rows.(list)
			if !ok {
				return false
			}
			now := lines.Relation(n)
			return now != nil && now.Constraint.Name == m.Plan.Constraint && now.Value == value &&
				(now.Account == nil || now.Account.Key.Equal(of.Key))
		})
	}
}

// isRow reports whether line n has a relation's row.
func isRow(rows kit.Source, n int, r *verdict.Relation) bool {
	lines, ok := rows.(list)
	if !ok || r == nil {
		return false
	}
	now := lines.Relation(n)
	return now != nil && now.Subject() == r.Subject() &&
		(sameAccount(now, r) || accountOf(now) == nil || accountOf(r) == nil) // one of the accounts may not be read yet
}

// removes reports whether a change releases the lock of a value, or deletes its account.
func removes(m change.Receipt, t *dynamo.Table, r *verdict.Relation) bool {
	if r == nil || m.Outcome != journal.Applied {
		return false
	}
	if _, lock := m.Released(); lock != nil {
		return lock.Lock.Table == r.Lock.Table && lock.Lock.Key.Equal(r.Lock.Key)
	}
	return m.Plan.Kind == plan.KindDeleteAccount && r.Account != nil && t != nil && m.Plan.Table == t.Name &&
		m.Plan.Account == r.Account.Key.Hash.Value.Display()
}

// replaces reports whether a change replaces this value of an account.
func replaces(p *plan.Plan, t *dynamo.Table, r *verdict.Relation) bool {
	return r.Account != nil && t != nil && p.Table == t.Name && p.Constraint == r.Constraint.Name && p.After != "" &&
		p.Account == r.Account.Key.Hash.Value.Display() && r.Constraint.Normalised(p.Before) == r.Value
}
