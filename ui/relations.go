package ui

import (
	"tallylock/dynamo"
	"tallylock/ui/kit"
	"tallylock/ui/relation"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// relationRow is a value and its lock on the accounts screen, with its place in
// the tree of its account.
type relationRow struct {
	rel   *dynamo.Relation
	tree  string
	first bool // the account's id stands in this row
}

// relationRows groups relations by account. A lock that names an account which
// holds another value stands under that account.
func relationRows(relations []*dynamo.Relation, onlyProblems bool, by order) []relationRow {
	under := map[string][]*dynamo.Relation{}
	for _, r := range relations {
		if r.Account == nil && r.OwnerAccount != nil {
			id := r.OwnerAccount.Key.ID()
			under[id] = append(under[id], r)
		}
	}
	var groups [][]*dynamo.Relation
	group := func(g []*dynamo.Relation) { groups = append(groups, g) }
	var open []*dynamo.Relation
	shut := func() {
		if len(open) == 0 {
			return
		}
		if a := open[0].Account; a != nil && len(under) > 0 {
			id := a.Key.ID()
			open = append(open, under[id]...)
			delete(under, id)
		}
		group(open)
		open = nil
	}
	var alone []*dynamo.Relation
	for _, r := range relations {
		if r.Account == nil {
			if r.OwnerAccount == nil {
				shut()
				group([]*dynamo.Relation{r})
			} else {
				alone = append(alone, r)
			}
			continue
		}
		if len(open) > 0 && !open[0].Account.Key.Equal(r.Account.Key) {
			shut()
		}
		open = append(open, r)
	}
	shut()
	for _, r := range alone { // their account has not been read yet
		id := r.OwnerAccount.Key.ID()
		if g := under[id]; len(g) > 0 {
			delete(under, id)
			group(g)
		}
	}
	by.sort(groups)
	out := make([]relationRow, 0, len(relations))
	for _, g := range groups {
		out = appendGroup(out, g, onlyProblems)
	}
	return out
}

// appendGroup appends the rows of one account, in its tree.
func appendGroup(out []relationRow, g []*dynamo.Relation, onlyProblems bool) []relationRow {
	from := len(out)
	for _, r := range g {
		if !onlyProblems || r.Verdict.Broken() {
			out = append(out, relationRow{rel: r})
		}
	}
	for n := from; n < len(out); n++ {
		switch {
		case len(out)-from == 1:
			out[n].tree, out[n].first = kit.RuleThin, true
		case n == from:
			out[n].tree, out[n].first = kit.TreeFirst, true
		case n == len(out)-1:
			out[n].tree = kit.TreeLast
		default:
			out[n].tree = kit.TreeNext
		}
	}
	return out
}

// relationList is the rows of the accounts screen as a list.
type relationList struct {
	rows  []relationRow
	cols  accountColumns
	marks *session.Marks
}

func (s relationList) Len() int                        { return len(s.rows) }
func (s relationList) Row(n int) (int, int, bool)      { return n, n, true }
func (s relationList) Name(n int) string               { return relationName(s.rows[n].rel) }
func (s relationList) Problem(n int) bool              { return s.rows[n].rel.Verdict.Broken() }
func (s relationList) relation(n int) *dynamo.Relation { return s.rows[n].rel }
func (s relationList) Marked(n int) bool               { return s.marks.Has(s.rows[n].rel) }

// accountColumns are where the columns of the accounts screen stand.
type accountColumns struct {
	account, tree, constraint, value, lock, verdict int
}

// columnsOf gives room first to the value, then to the lock, then to the
// account. A number of cells for the constraint's name is given.
func accountColumnsOf(width, name int) accountColumns {
	c := accountColumns{account: 2, verdict: width - 12}
	who := 12
	rest := c.verdict - (2 + who + 2 + name + 1)
	if rest > 60 { // ids are told apart by all of their letters, and a longer join says no more
		who = min(44, who+(rest-60)/2)
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
	r, c := row.rel, s.cols
	if row.first || selected {
		name, k := relation.Name(r)
		l.Middle(k, name, c.tree-c.account-1)
	}
	l.To(c.tree)
	l.Put(kit.Faint, row.tree)
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
