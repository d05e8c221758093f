package ui

import (
	"cmp"
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
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
		slices.SortStableFunc(groups, func(a, b []*dynamo.Relation) int { return cmp.Compare(sick(b), sick(a)) })
	case byAccount:
		slices.SortStableFunc(groups, func(a, b []*dynamo.Relation) int { return compareAccounts(a[0], b[0]) })
	}
}

// sick is 1 for a group that has a problem.
func sick(g []*dynamo.Relation) int {
	if slices.ContainsFunc(g, func(r *dynamo.Relation) bool { return r.Verdict.Broken() }) {
		return 1
	}
	return 0
}

// sameRelation reports whether two are of one value of one account.
func sameRelation(a, b *dynamo.Relation) bool {
	return a == b || a != nil && b != nil && a.Value == b.Value && a.Constraint == b.Constraint && compareAccounts(a, b) == 0
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

// resort sorts what was read anew, in the background: it may be very much. The
// cursor goes to the first row: who sorts wants to see what comes first.
func (a *app) resort(by order) tea.Cmd {
	b := a.browse
	b.order = by
	view, small, filled := b.view, b.small, b.filled
	return task.Start(a.Tasks, task.Sorting, func(context.Context) (page, error) {
		return newPage(view, small, by), nil
	}, func(p page, _ error) tea.Cmd {
		if b != a.browse {
			return nil
		}
		if filled != b.filled {
			return a.resort(by) // more is known meanwhile
		}
		a.fill(p)
		a.accounts.list.Put(0)
		said := by.words()
		if said == "" {
			said = "as they were read"
		}
		return a.Say("Sorted: " + said + ".")
	})
}

// nextOrder is the order after the one that the accounts are in.
func (a *app) nextOrder() tea.Cmd { return a.resort((a.browse.order + 1) % orders) }

// whySort says why a screen's rows have one order only.
func (a *app) whySort(s screen.Screen) string {
	switch s {
	case a.accounts:
		if a.browse == nil || !a.browse.read || a.unjudged() || a.accounts.raw() {
			return "there is nothing to sort"
		}
		return ""
	case a.counters:
		if a.counters.Empty() {
			return "there is nothing to sort"
		}
		return ""
	case a.locks:
		if a.browse != nil && a.browse.small {
			return "locks stand by their keys"
		}
		return "locks stand by their prefix, and as they were read"
	case a.findings:
		return "findings stand by kind and value"
	case a.journal:
		return "the newest stands first"
	}
	return "there is nothing to sort"
}
