package browse

import (
	"cmp"
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// order is how the accounts are sorted.
type order int

const (
	asRead order = iota
	problemsFirst
	byAccount
	orders
)

// words name an order; the one that rows come in has no name.
func (o order) words() string {
	switch o {
	case problemsFirst:
		return "problems first"
	case byAccount:
		return "by account"
	}
	return ""
}

// sort sorts accounts with their values; what is alike stays as it was read.
func (o order) sort(groups [][]*dynamo.Relation) {
	switch o {
	case problemsFirst:
		slices.SortStableFunc(groups, func(a, b []*dynamo.Relation) int { return cmp.Compare(broken(b), broken(a)) })
	case byAccount:
		slices.SortStableFunc(groups, func(a, b []*dynamo.Relation) int { return compareAccounts(a[0], b[0]) })
	}
}

// broken is 1 for a group that has a problem.
func broken(g []*dynamo.Relation) int {
	if slices.ContainsFunc(g, func(r *dynamo.Relation) bool { return r.Verdict.Broken() }) {
		return 1
	}
	return 0
}

// compareAccounts compares by the account's key; what belongs to none comes first.
func compareAccounts(a, b *dynamo.Relation) int {
	one, other := keyOfAccount(a), keyOfAccount(b)
	return cmp.Or(compareValues(one.Hash.Value, other.Hash.Value), compareValues(one.Range.Value, other.Range.Value))
}

func keyOfAccount(r *dynamo.Relation) attr.Key {
	switch {
	case r.Account != nil:
		return r.Account.Key
	case r.OwnerAccount != nil:
		return r.OwnerAccount.Key
	}
	return attr.Key{}
}

// compareValues compares numbers by what they are worth, all else by its bytes.
func compareValues(a, b attr.Value) int {
	if one, ok := words.WholeNumber(a.Text); ok && a.Kind == attr.N && b.Kind == attr.N {
		if other, ok := words.WholeNumber(b.Text); ok {
			return one.Cmp(other)
		}
	}
	return cmp.Compare(a.Text, b.Text)
}

// Resort puts the accounts in the order after the one that they are in, in the background:
// they may be very many. top puts the screen's cursor on the first row: who sorts wants to see
// what comes first.
func (r *Reading) Resort(top func()) tea.Cmd { return r.sort((r.pass.order+1)%orders, top) }

func (r *Reading) sort(by order, top func()) tea.Cmd {
	b := r.pass
	b.order = by
	view, small, filled := b.view, b.small, b.filled
	return task.Start(r.Tasks, task.Sorting, func(context.Context) (page, error) {
		return newPage(view, small, by), nil
	}, func(p page, _ error) tea.Cmd {
		if b != r.pass {
			return nil
		}
		if filled != b.filled {
			return r.sort(by, top) // more is known meanwhile
		}
		renewed := r.fill(p)
		top()
		said := by.words()
		if said == "" {
			said = "as they were read"
		}
		return tea.Batch(renewed, r.Say("Sorted: "+said+"."))
	})
}
