package accounts

import (
	"context"

	"tallylock/dynamo"
	"tallylock/ui/browse"
	"tallylock/ui/items"
	"tallylock/ui/kit"
)

// row is a value and its lock, with its place in the tree of its account.
type row struct {
	*dynamo.Relation
	tree  string
	first bool // the account's id stands in this row
}

// listed are the rows: values with their locks, or items as they are.
type listed struct {
	values []row
	items  []items.Row
}

// Len implements browse.Rows.
func (l listed) Len() int { return len(l.values) + len(l.items) }

// First implements browse.Rows.
func (l listed) First(n int) browse.Rows {
	return listed{l.values[:min(n, len(l.values))], l.items[:min(n, len(l.items))]}
}

// Holding implements browse.Rows.
func (l listed) Holding(ctx context.Context, want string) (browse.Rows, error) {
	var out listed
	tree := 0 // where the account's begins
	err := browse.Each(ctx, l.values, func(r row) {
		if r.first {
			drawTree(out.values[tree:])
			tree = len(out.values)
		}
		if browse.Holds(r.Relation, want) {
			out.values = append(out.values, row{Relation: r.Relation})
		}
	})
	drawTree(out.values[tree:])
	if err == nil {
		err = browse.Each(ctx, l.items, func(r items.Row) {
			if r.Holds(want) {
				out.items = append(out.items, r)
			}
		})
	}
	return out, err
}

// rowsOf groups relations by account. A lock that names an account which
// holds another value stands under that account.
func rowsOf(relations []*dynamo.Relation, onlyProblems bool, by order) []row {
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
	out := make([]row, 0, len(relations))
	for _, g := range groups {
		out = appendGroup(out, g, onlyProblems)
	}
	return out
}

// appendGroup appends the rows of one account, in its tree.
func appendGroup(out []row, g []*dynamo.Relation, onlyProblems bool) []row {
	from := len(out)
	for _, r := range g {
		if !onlyProblems || r.Verdict.Broken() {
			out = append(out, row{Relation: r})
		}
	}
	drawTree(out[from:])
	return out
}

// drawTree gives the rows of one account their places in its tree.
func drawTree(rows []row) {
	for n := range rows {
		switch {
		case len(rows) == 1:
			rows[n].tree, rows[n].first = kit.RuleThin, true
		case n == 0:
			rows[n].tree, rows[n].first = kit.TreeFirst, true
		case n == len(rows)-1:
			rows[n].tree = kit.TreeLast
		default:
			rows[n].tree = kit.TreeNext
		}
	}
}
