package check

import (
	"slices"
	"sync"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
)

// unmet are the places about which the config answers and of which the check has seen no item
// yet: such an answer may be misspelt. It is safe for concurrent use.
type unmet struct {
	mu     sync.Mutex
	places []layout.Place
}

// unmetAnswers returns the places of all answers of the config. What people have answered to a
// question had items then.
func unmetAnswers(t *dynamo.Table) *unmet {
	u := &unmet{}
	for _, c := range t.Layout.Constraints() {
		hold, not, _ := c.Answers.All()
		for _, h := range hold {
			u.places = append(u.places, h.Place)
		}
		u.places = append(u.places, not...)
	}
	for _, said := range t.Said() {
		u.places = slices.DeleteFunc(u.places, func(p layout.Place) bool { return said.Place != nil && *said.Place == p })
	}
	return u
}

// of returns the places in one table.
func (u *unmet) of(table string) []layout.Place {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(u.places), func(p layout.Place) bool { return p.Table != table })
}

// meet takes away the places that an item is of. What is left is returned. The attribute does
// not count: the first pass does not read it.
func (u *unmet) meet(left []layout.Place, key attr.Key) []layout.Place {
	shape := holders.Shape(key, func(string) bool { return false })
	covers := func(p layout.Place) bool {
		return p.Covers(layout.Place{Table: p.Table, Items: shape, Attribute: p.Attribute})
	}
	if !slices.ContainsFunc(left, covers) {
		return left
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.places = slices.DeleteFunc(u.places, func(p layout.Place) bool { return slices.Contains(left, p) && covers(p) })
	return slices.DeleteFunc(left, covers)
}

// noteUnmet notes the answers of the config about items of which the table has none.
func (r *run) noteUnmet() {
	for _, from := range r.sources {
		for _, p := range r.unmet.of(from.name) {
			r.report.note("the config answers about %s items of %s, and there are none: is the answer misspelt?", quote(p.Items), p.Table)
		}
	}
}
