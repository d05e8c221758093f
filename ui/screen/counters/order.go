package counters

import (
	"cmp"
	"slices"
)

// order is a sort order of the counters.
type order int

const (
	byTable order = iota
	worstFirst
	busiestFirst
	leastRoomFirst
	orders
)

func (o order) words() string {
	switch o {
	case worstFirst:
		return "problems first"
	case busiestFirst:
		return "busiest first"
	case leastRoomFirst:
		return "least room first"
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
	case leastRoomFirst:
		slices.SortStableFunc(rows, compareRoom)
	}
}

// compareRoom compares the numbers that are left until the nearest limits. Counters that do not end come last.
func compareRoom(a, b row) int {
	of, than := a.Rooms(), b.Rooms()
	if len(of) == 0 || len(than) == 0 {
		return cmp.Compare(len(than), len(of))
	}
	return of[0].Left.Cmp(than[0].Left)
}
