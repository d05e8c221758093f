package browse

import (
	"context"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/ui/screen"
	"tallylock/ui/words"
)

// listed are the rows of a list: accounts with their values, locks in groups, or items as
// they are. Once made they stay as they are.
type listed struct {
	accounts []AccountRow
	locks    []LockGroup
	items    []ItemRow
}

// len is how many rows there are; heads of groups are none.
func (l listed) len() int {
	n := len(l.accounts) + len(l.items)
	for _, g := range l.locks {
		n += len(g.Relations)
	}
	return n
}

// first are the first n rows of each kind.
func (l listed) first(n int) listed {
	l.accounts, l.items = l.accounts[:min(n, len(l.accounts))], l.items[:min(n, len(l.items))]
	var groups []LockGroup
	for _, g := range l.locks {
		g.Relations = g.Relations[:min(n, len(g.Relations))]
		n -= len(g.Relations)
		groups = append(groups, g)
	}
	l.locks = groups
	return l
}

// holding are the rows that hold the letters, in their order.
func (l listed) holding(ctx context.Context, want string) (listed, error) {
	var out listed
	tree := 0 // where the account's begins
	err := each(ctx, l.accounts, func(row AccountRow) {
		if row.First {
			drawTree(out.accounts[tree:])
			tree = len(out.accounts)
		}
		if holds(row.Relation, want) {
			out.accounts = append(out.accounts, AccountRow{Relation: row.Relation})
		}
	})
	drawTree(out.accounts[tree:])
	for _, g := range l.locks {
		var fit []*dynamo.Relation
		if err == nil {
			err = each(ctx, g.Relations, func(r *dynamo.Relation) {
				if holds(r, want) {
					fit = append(fit, r)
				}
			})
		}
		if g.Relations = fit; len(fit) > 0 {
			out.locks = append(out.locks, g)
		}
	}
	if err == nil {
		err = each(ctx, l.items, func(row ItemRow) {
			if row.holds(want) {
				out.items = append(out.items, row)
			}
		})
	}
	return out, err
}

// each does something with each row, until the context ends.
func each[T any](ctx context.Context, rows []T, do func(T)) error {
	for n, row := range rows {
		if n%atOnce == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		do(row)
	}
	return nil
}

// holds reports whether an item holds the letters.
func (r ItemRow) holds(want string) bool {
	for name, v := range r.Item {
		if screen.Holds(want, name, v.Display()) {
			return true
		}
	}
	return false
}

// holds reports whether what a row says of a value holds the letters.
func holds(r *dynamo.Relation, want string) bool {
	if screen.Holds(want, r.Value, r.Constraint.Name, r.Lock.Owner, words.Verdict(r.Verdict, false).Word) || holdsKey(r.Lock.Key, want) {
		return true
	}
	for _, a := range [2]*dynamo.Account{r.Account, r.OwnerAccount} {
		if a != nil && holdsKey(a.Key, want) {
			return true
		}
	}
	return false
}

func holdsKey(k attr.Key, want string) bool {
	return screen.Holds(want, k.Hash.Value.Display(), k.Range.Value.Display())
}
