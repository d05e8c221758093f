package counters

import (
	"cmp"
	"slices"
)

// order is how the counters are sorted.
type order int

const (
	byTable order = iota
	worstFirst
	busiestFirst
	orders
)

func (o order) words() string {
	switch o {
	case worstFirst:
		return "problems first"
	case busiestFirst:
		return "busiest first"
	}
	return ""
}

func (o order) sort(rows []row) {
	switch o {
	case byTable:
		slices.SortStableFunc(rows, func(a, b row) int {
			return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Name, b.Name))
		})
	case worstFirst:
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(min(len(b.Faults), 1), min(len(a.Faults), 1)) })
	case busiestFirst:
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.past.rate(), a.past.rate()) })
	}
}
