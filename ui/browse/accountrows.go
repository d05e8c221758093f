package browse

import (
	"tallylock/dynamo"
	"tallylock/ui/kit"
)

// AccountRow is a value and its lock on the accounts screen, with its place in
// the tree of its account.
type AccountRow struct {
	Relation *dynamo.Relation
	Tree     string
	First    bool // the account's id stands in this row
}

// accountRows groups relations by account. A lock that names an account which
// holds another value stands under that account.
func accountRows(relations []*dynamo.Relation, onlyProblems bool, by order) []AccountRow {
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
	out := make([]AccountRow, 0, len(relations))
	for _, g := range groups {
		out = appendGroup(out, g, onlyProblems)
	}
	return out
}

// appendGroup appends the rows of one account, in its tree.
func appendGroup(out []AccountRow, g []*dynamo.Relation, onlyProblems bool) []AccountRow {
	from := len(out)
	for _, r := range g {
		if !onlyProblems || r.Verdict.Broken() {
			out = append(out, AccountRow{Relation: r})
		}
	}
	drawTree(out[from:])
	return out
}

// drawTree gives the rows of one account their places in its tree.
func drawTree(rows []AccountRow) {
	for n := range rows {
		switch {
		case len(rows) == 1:
			rows[n].Tree, rows[n].First = kit.RuleThin, true
		case n == 0:
			rows[n].Tree, rows[n].First = kit.TreeFirst, true
		case n == len(rows)-1:
			rows[n].Tree = kit.TreeLast
		default:
			rows[n].Tree = kit.TreeNext
		}
	}
}
