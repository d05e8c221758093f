package accounts

import (
	"tallylock/dynamo"
	"tallylock/ui/browse"
	"tallylock/ui/kit"
	"tallylock/ui/relation"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// relationList is the rows of the accounts screen as a list.
type relationList struct {
	rows  []browse.AccountRow
	cols  columns
	marks *session.Marks
}

func (s relationList) Len() int                   { return len(s.rows) }
func (s relationList) Row(n int) (int, int, bool) { return n, n, true }
func (s relationList) Name(n int) string          { return relationName(s.rows[n].Relation) }
func (s relationList) Problem(n int) bool         { return s.rows[n].Relation.Verdict.Broken() }
func (s relationList) Marked(n int) bool          { return s.marks.Has(s.rows[n].Relation) }

// columns are where the columns of the accounts screen stand.
type columns struct {
	account, tree, constraint, value, lock, verdict int
}

// columnsOf gives room first to the value, then to the lock, then to the
// account. A number of cells for the constraint's name is given.
func columnsOf(width, name int) columns {
	c := columns{account: 2, verdict: width - 12}
	who := 12
	rest := c.verdict - (2 + who + 2 + name + 1)
	if rest > 64 { // ids are told apart by all of their letters, and a longer join says no more
		who = min(44, who+(rest-64)/2)
	}
	c.tree = c.account + who
	c.constraint = c.tree + 2
	c.value = c.constraint + name + 1
	rest = c.verdict - c.value
	if width < 70 { // no lock column: its join ends at the verdict
		c.lock = c.verdict
		return c
	}
	lock := min(rest*42/100, 44)
	c.lock = c.verdict - lock - 1
	return c
}

func (s relationList) Draw(l *kit.Line, n int, selected bool) {
	row := s.rows[n]
	r, c := row.Relation, s.cols
	if row.First || selected {
		name, k := relation.Name(r)
		l.Middle(k, name, c.tree-c.account-1)
	}
	l.To(c.tree)
	l.Put(kit.Faint, row.Tree)
	l.To(c.constraint)
	l.Fit(kit.Muted, r.Constraint.Name, c.value-c.constraint-1)
	l.To(c.value)
	k := kit.Text
	if r.Account == nil {
		k = kit.Muted
	}
	l.Fit(k, r.Value, c.lock-c.value-4)
	words.JoinRelation(l, r, c.lock-1)
	if c.lock < c.verdict {
		l.To(c.lock)
		relation.LockKey(l, r, c.verdict-c.lock-1)
	}
	l.To(c.verdict)
	words.Verdict(r.Verdict, r.Provisional).Draw(l)
}

// Relation implements relation.Lines.
func (s relationList) Relation(n int) *dynamo.Relation {
	if n < 0 || n >= len(s.rows) {
		return nil
	}
	return s.rows[n].Relation
}

// relationName is what stays of a value while the table is read: of a lock that nobody
// was seen to hold yet the account is told later.
func relationName(r *dynamo.Relation) string {
	name := r.Constraint.Name + "\x00" + r.Value + "\x00"
	if r.Account != nil {
		name += r.Account.Key.ID() + kit.NameEnds
	}
	return name
}

// isStill reports whether a value is one that was listed before, by what stays of it.
func isStill(now, before *dynamo.Relation) bool {
	return now.Constraint.Name == before.Constraint.Name && now.Value == before.Value &&
		(before.Account == nil || now.Account != nil && now.Account.Key.Equal(before.Account.Key))
}
