package accounts

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
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

// name is what an order is called; the one that rows come in has no name.
func (o order) name() string {
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

// sort puts the accounts in the order after the one that they are in, with the cursor on the
// first row, unless it is moved meanwhile: who sorts wants to see what comes first.
func (s *shown) sort() tea.Cmd {
	s.order = (s.order + 1) % orders
	s.list.Moved = false
	return s.reading.Rearrange(func() tea.Cmd {
		if !s.list.Moved {
			s.list.Put(0)
		}
		return s.Say("Sorted: " + cmp.Or(s.order.name(), "as they were read") + ".")
	})
}
